// Command server serves the editor service over standard input and output, with Content-Length headers as language servers have them.
package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/editor"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
)

// service is the service of one client. The runtime sees to the handshake and to cancellation.
type service struct {
	editor.UnimplementedServer

	mu   sync.Mutex
	text string
}

// Initialize implements [editor.Server].
func (*service) Initialize(context.Context) (editor.InitializeResult, error) {
	return editor.InitializeResult{Server: "editor"}, nil
}

// Initialized implements [editor.Server].
func (*service) Initialized(context.Context) error { return nil }

// Shutdown implements [editor.Server].
func (*service) Shutdown(context.Context) (none struct{}, err error) { return none, nil }

// Exit implements [editor.Server].
func (*service) Exit(context.Context) error { return nil }

// WorkDo implements [editor.Server]. It ends early if the call is cancelled.
func (*service) WorkDo(ctx context.Context, p editor.WorkDoParams) (result editor.WorkDoResult, err error) {
	progress := editor.ProgressFrom(ctx)
	for result.Steps < p.Steps {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return result, ctx.Err()
		}
		result.Steps++
		if err := progress.Report(ctx, editor.ProgressParams{Value: editor.ProgressParamsValue{Done: result.Steps}}); err != nil {
			return result, err
		}
	}
	return result, nil
}

// DocumentChanged implements [editor.Server]. Requests that arrive later wait for it.
func (s *service) DocumentChanged(_ context.Context, p editor.DocumentChangedParams) error {
	time.Sleep(time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = p.Text
	return nil
}

// DocumentRead implements [editor.Server].
func (s *service) DocumentRead(context.Context) (editor.DocumentReadResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return editor.DocumentReadResult{Text: s.text}, nil
}

func main() {
	err := stdio.Serve(context.Background(), editor.NewHandler(&service{}), stdio.WithFraming(frame.Headers))
	if err != nil {
		if !errors.Is(err, runtime.ErrNotShutDown) {
			slog.Error("the session failed", "error", err)
		}
		os.Exit(1)
	}
}
