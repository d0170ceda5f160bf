package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// replica is a process that serves at an address, the same one after each start.
type replica struct {
	binary, nats, address string

	mu  sync.Mutex
	cmd *exec.Cmd
}

// startReplica starts a replica and waits until it is ready.
func startReplica(ctx context.Context, binary, nats string) (*replica, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &replica{binary: binary, nats: nats, address: l.Addr().String()}
	l.Close()
	return r, r.start(ctx)
}

func (r *replica) start(ctx context.Context) error {
	r.mu.Lock()
	r.cmd = exec.Command(r.binary, "-nats", r.nats, "-http", r.address, "-key", "the key of the example")
	r.cmd.Stderr = os.Stderr
	err := r.cmd.Start()
	r.mu.Unlock()
	for err == nil {
		resp, failed := http.Get("http://" + r.address + "/readyz")
		if failed == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return fmt.Errorf("a replica does not start: %w", err)
}

// kill ends the process at once.
func (r *replica) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd != nil && r.cmd.Process != nil {
		r.cmd.Process.Kill()
		r.cmd.Wait()
		r.cmd = nil
	}
}

// pause stops the process from running for a while.
func (r *replica) pause(ctx context.Context, length time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd == nil {
		return
	}
	r.cmd.Process.Signal(syscall.SIGSTOP)
	select {
	case <-time.After(length):
	case <-ctx.Done():
	}
	r.cmd.Process.Signal(syscall.SIGCONT)
}
