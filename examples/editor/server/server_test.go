package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/editor"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
)

// TestMain runs the server instead of the tests in the process that start has started.
func TestMain(m *testing.M) {
	if os.Getenv("EDITOR_SERVER") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// start starts the server as an editor does.
func start(t *testing.T) (*stdio.Process, *editor.Client) {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "EDITOR_SERVER=1")
	process, err := stdio.Command(t.Context(), command, nil, stdio.WithFraming(frame.Headers))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Close() })
	return process, editor.NewClient(process)
}

// TestSession: a session from its handshake to its end.
func TestSession(t *testing.T) {
	process, c := start(t)
	ctx := t.Context()
	if _, err := c.DocumentRead(ctx); !errors.As(err, new(*editor.NotOpenedError)) {
		t.Error("before initialize:", err)
	}
	if got, err := c.Initialize(ctx); err != nil || got.Server != "editor" {
		t.Error(got, err)
	}
	var steps []int32
	reports := editor.WithProgress(ctx, func(p editor.ProgressParams) { steps = append(steps, p.Value.Done) })
	if got, err := c.WorkDo(reports, editor.WorkDoParams{Steps: 3}); err != nil || got.Steps != 3 || fmt.Sprint(steps) != "[1 2 3]" {
		t.Error(got, steps, err)
	}
	for i := range 100 {
		text := fmt.Sprint("text ", i)
		if err := c.DocumentChanged(ctx, editor.DocumentChangedParams{Text: text}); err != nil {
			t.Fatal(err)
		}
		if got, err := c.DocumentRead(ctx); err != nil || got.Text != text {
			t.Fatalf("after %s: %v, %v", text, got, err)
		}
	}
	if _, err := c.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if err := c.Exit(ctx); err != nil {
		t.Error(err)
	}
	if err := process.Wait(); err != nil {
		t.Error("the process ended with", err)
	}
}

// TestCancelled: the server ends a call that its client cancels, and goes on.
func TestCancelled(t *testing.T) {
	_, c := start(t)
	if _, err := c.Initialize(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.WorkDo(ctx, editor.WorkDoParams{Steps: 1_000_000}); err != context.DeadlineExceeded {
		t.Error(err)
	}
	if _, err := c.DocumentRead(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := c.Initialize(t.Context()); err == nil || err.(*runtime.Error).Code != runtime.CodeInvalidRequest {
		t.Error("a second initialize:", err)
	}
}
