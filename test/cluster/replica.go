package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/test/port"
)

// replica is a process that serves at an address, the same one after each start.
type replica struct {
	binary, nats, address string

	mu   sync.Mutex
	cmd  *exec.Cmd
	told bytes.Buffer // which tools have begun; complete after kill
}

// startReplica starts a replica and waits until it is ready.
func startReplica(ctx context.Context, binary, nats string) (*replica, error) {
	r := &replica{binary: binary, nats: nats, address: port.Address()}
	return r, r.start(ctx)
}

// start starts the process until it is ready. One that is not within some seconds, as while NATS is away, is started again, as an orchestrator does.
func (r *replica) start(ctx context.Context) error {
	for ; ctx.Err() == nil; r.kill() {
		r.mu.Lock()
		r.cmd = exec.Command(r.binary, "-nats", r.nats, "-http", r.address, "-key", "the key of the example")
		r.cmd.Env = append(os.Environ(), "SEAL_KEYS=the key of the example is no secret")
		r.cmd.Stdout, r.cmd.Stderr = &r.told, os.Stderr
		err := r.cmd.Start()
		r.mu.Unlock()
		if err != nil {
			return fmt.Errorf("a replica does not start: %w", err)
		}
		for i := 0; i < 150 && sleep(ctx, 20*time.Millisecond); i++ {
			if r.ready() {
				return nil
			}
		}
	}
	return ctx.Err()
}

// ready reports whether the process says that it is ready.
func (r *replica) ready() bool {
	resp, err := (&http.Client{Timeout: time.Second}).Get("http://" + r.address + "/readyz")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// waits finds goroutines that wait for the answer to a question, or have a stream of a session, after all clients have ended theirs.
var waits = regexp.MustCompile(`(?m)^(\d+) @.*\n(?:#.*\n)*?#.*\(\*(?:question\)\.call|session\)\.pump)\+`)

// goroutines returns how many goroutines, descriptors and of these goroutines the process has, and where the goroutines are. Connections that are idle have
// none.
func (r *replica) goroutines() (n [3]int, profile string, err error) {
	http.DefaultClient.CloseIdleConnections()
	resp, err := http.Get("http://" + r.address + "/goroutines")
	if err != nil {
		return n, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil {
		_, err = fmt.Sscanf(string(text), "goroutine profile: total %d", &n[0])
	}
	if files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", r.cmd.Process.Pid)); err == nil { // of Linux
		n[1] = len(files)
	}
	for _, found := range waits.FindAllSubmatch(text, -1) {
		times, _ := strconv.Atoi(string(found[1]))
		n[0], n[2] = n[0]-times, n[2]+times
	}
	return n, string(text), err
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
