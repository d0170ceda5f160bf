package backend_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend/backendtest"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
	"github.com/rpcgen-go/rpcgen/test/parrot"
)

// locked is a buffer that goroutines write to.
type locked struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// TestRepeatedEverywhere: an API repeats credentials in each part of its answers and in five spellings, and none of them is in what leaves the server: its output with results, errors, progress
// and log messages, its logs, deviations, events and recordings.
func TestRepeatedEverywhere(t *testing.T) {
	for way := range parrot.Ways {
		for spelling := range parrot.Spellings {
			for tool, arguments := range map[string]string{
				"issues_list": `{"owner":"o","repo":"r"}`, "charge_create": `{"amount":1,"currency":"eur"}`, "droplet_create": `{"project":"p","name":"n"}`,
			} {
				if tool == "droplet_create" && !strings.Contains(parrot.Ways[way](""), "500") {
					continue // the work is not done
				}
				everywhere(t, way, spelling, tool, arguments)
			}
		}
	}
}

func everywhere(t *testing.T, way, spelling, tool, arguments string) {
	p := &parrot.API{Way: way, Spelling: spelling, First: func(r *http.Request) string {
		if strings.HasSuffix(r.URL.Path, "/droplets") {
			return created
		}
		return ""
	}}
	site := httptest.NewUnstartedServer(p)
	site.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	site.Start()
	defer site.Close()
	left, file := new(locked), filepath.Join(t.TempDir(), "a.jsonl")
	log := slog.New(slog.NewTextHandler(left, nil))
	o := backend.Options{
		Server: site.URL, Tries: 1, CallTimeout: time.Minute, Logger: log, Transport: backendtest.Record(file, &http.Transport{DisableKeepAlives: true}),
		Credentials: backend.Func(func(_ context.Context, q backend.Ask) (backend.Credential, error) {
			secret := fmt.Sprintf("%t/se+cret-of-the-service-9876543210", q.Refused)
			if q.Backend == "pay" {
				return backend.Basic("me", secret), nil
			}
			return backend.Bearer(secret), nil
		}),
		OnDeviation: func(_ context.Context, d backend.Deviation) { fmt.Fprintf(left, "%+v\n", d) },
		OnCall:      func(_ context.Context, e backend.Event) { fmt.Fprintf(left, "%+v %v\n", e, e.Err) },
	}
	api, err := rpc.NewBackend(rpc.BackendOptions{Tracker: o, Pay: o})
	if err != nil {
		t.Fatal(err)
	}
	server := rpc.NewServer(api, mcp.Options{StateKeys: [][]byte{make([]byte, 32)}, Logger: log})
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- stdio.Serve(t.Context(), server, stdio.WithInput(in), stdio.WithOutput(io.MultiWriter(out, left)))
		out.Close()
	}()
	c, err := mcpclient.Connect(t.Context(), func(_ context.Context, h runtime.Handler) (runtime.Conn, error) {
		return runtime.NewSession(context.WithoutCancel(t.Context()), stdio.NewConn(fromServer, toServer, frame.Lines, 0), h, runtime.Options{}), nil
	}, mcpclient.Options{LogLevel: "debug", Logger: slog.New(slog.DiscardHandler), OnProgress: func(context.Context, mcpclient.ProgressReport) {}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := c.CallTool(t.Context(), tool, runtime.RawOf([]byte(arguments)))
	_ = c.Close()
	toServer.Close()
	<-served
	recorded, _ := os.ReadFile(file)
	succeeded := err == nil && !result.IsError.Or(false)
	if leak := p.Leak(left.String() + string(recorded)); leak != "" {
		t.Errorf("%s, %s, %s: %q is in\n%s\n%s", way, spelling, tool, leak, left, recorded)
	}
	if p.Calls() < 2 || succeeded && strings.Contains(left.String(), "[secret]") {
		t.Errorf("%s, %s, %s: %d requests, success %t", way, spelling, tool, p.Calls(), succeeded)
	}
}
