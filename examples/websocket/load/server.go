package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	rpc "github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/websocket"
	"github.com/rpcgen-go/rpcgen/runtime/x/ratelimit"
)

// patience is how long the server waits for a pong, or for a message to be written. The default is 30 seconds.
const patience = 20 * time.Second

// usage is what the server takes.
type usage struct {
	Sessions   int64
	Goroutines int
	Bytes      int64 // of the heap and the stacks that are in use
	Resident   int64 // bytes of memory of the process; 0 if they are unknown
}

// serve serves until its standard input ends, and writes its address first.
func serve(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	var sessions atomic.Int64
	quiet, limiter := slog.New(slog.DiscardHandler), ratelimit.New(ratelimit.Limits{})
	handler := websocket.NewHandler(counted{weather.NewHandler(office.Office{}), &sessions}, websocket.Options{
		Runtime: rpc.Options{Logger: quiet, Limiter: limiter.Middleware}, MaxConns: 1 << 20, MaxConnsPerClient: 1 << 20,
		PingInterval: patience, PingTimeout: patience, WriteTimeout: patience,
	})
	mux := http.NewServeMux()
	mux.Handle("/ws", handler)
	mux.HandleFunc("/usage", func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(use(sessions.Load())) })
	mux.HandleFunc("/limit", func(http.ResponseWriter, *http.Request) {
		limiter.Set(ratelimit.Limits{Session: ratelimit.Rate{Calls: rate}})
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	server := &http.Server{Handler: mux, ErrorLog: slog.NewLogLogger(quiet.Handler(), slog.LevelError)}
	go server.Serve(l)
	<-ctx.Done()
	handler.Close()
	return server.Close()
}

// counted counts the sessions of a handler.
type counted struct {
	rpc.Handler
	sessions *atomic.Int64
}

// Hooks implements [rpc.Handler].
func (c counted) Hooks() rpc.Hooks {
	h := c.Handler.Hooks()
	h.Open = func(rpc.Conn) rpc.Handler {
		c.sessions.Add(1)
		return c
	}
	h.Closed = func() { c.sessions.Add(-1) }
	return h
}

// use returns what this process takes, after a collection.
func use(sessions int64) usage {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{sessions, runtime.NumGoroutine(), int64(m.HeapAlloc + m.StackInuse), resident()}
}

// resident reads the resident memory of this process, where /proc has it.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	var size, pages int64
	if err == nil {
		fmt.Sscan(string(text), &size, &pages)
	}
	return pages * int64(os.Getpagesize())
}

// remote is the server in a process of its own.
type remote struct {
	address string
	command *exec.Cmd
	input   io.Closer
}

// start starts the server.
func start(ctx context.Context) (*remote, error) {
	cmd := exec.CommandContext(ctx, os.Args[0], "-serve")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	return &remote{strings.TrimSpace(address), cmd, in}, err
}

// stop ends the server.
func (r *remote) stop() error {
	r.input.Close()
	return r.command.Wait()
}

// usage asks the server what it takes.
func (r *remote) usage() (u usage, err error) {
	resp, err := http.Get("http://" + r.address + "/usage")
	if err != nil {
		return u, err
	}
	defer resp.Body.Close()
	return u, json.NewDecoder(resp.Body).Decode(&u)
}

// until waits until the server has that many sessions.
func (r *remote) until(ctx context.Context, sessions int64) (u usage, err error) {
	ctx, cancel := context.WithTimeout(ctx, 6*patience)
	defer cancel()
	for {
		if u, err = r.usage(); err != nil || u.Sessions == sessions {
			return u, err
		}
		select {
		case <-ctx.Done():
			return u, fmt.Errorf("the server has %d sessions, and not %d", u.Sessions, sessions)
		case <-time.After(200 * time.Millisecond):
		}
	}
}
