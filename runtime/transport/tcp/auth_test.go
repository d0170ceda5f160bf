package tcp

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// lines is a log that goroutines write to.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// TestAuthPanics: a panic of the function that authenticates closes the connection, and not the server. It is logged, not without limit.
func TestAuthPanics(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	var log lines
	n := 0 // connections are made one after the other
	auth := func(context.Context, net.Conn) (context.Context, error) {
		if n++; n%2 == 0 {
			goruntime.Goexit()
		}
		panic("confidential")
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		o := runtime.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
		served <- Serve(ctx, l, weather.NewHandler(new(weather.Server)), WithAuth(auth), WithMaxConns(1), WithOptions(o))
	}()
	for range 20 {
		if got := ends(t, dial(t, l.Addr().String())); strings.Contains(got, "confidential") {
			t.Errorf("the peer gets %q", got)
		}
	}
	cancel()
	if err := <-served; err != context.Canceled {
		t.Error(err)
	}
	text := log.text.String()
	if records := strings.Count(text, "level=ERROR"); records == 0 || records > peerlog.Burst || !strings.Contains(text, "confidential") || !strings.Contains(text, "auth_test.go") {
		t.Errorf("%d records:\n%.2000s", records, text)
	}
}
