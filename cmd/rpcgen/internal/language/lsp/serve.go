package lsp

import (
	"context"
	"log/slog"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/listed"
	"github.com/rpcgen-go/rpcgen/generated/lsp"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/schema/file"
)

// MaxFrame is the size limit of a message in bytes: that of a schema, 8 MiB, each byte escaped as \n is, and something for the rest.
const MaxFrame = 32 << 20

// ErrNotShutDown is the end of a session whose client did not ask for it: an exit notification, or the end of the input, without a
// shutdown request before it (LSP 3.17, exit).
var ErrNotShutDown = runtime.ErrNotShutDown

// Options are the settings of a server. All fields may be zero.
type Options struct {
	Version string        // of the command, for initialize
	Logger  *slog.Logger  // nil for slog.Default
	Imports listed.Import // reads the lists of servers that schemas name; never nil

	read func(path string) ([]byte, error) // reads a file that is not open; nil for the file system
}

// Serve serves one client on conn until the client sends exit, its input ends, or ctx ends. The error is nil after shutdown, and
// [ErrNotShutDown] without it; otherwise it is that of ctx or of the connection.
func Serve(ctx context.Context, conn frame.Conn, o Options) error {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	s := newServer(o)
	session := runtime.NewSession(ctx, conn, lsp.NewHandler(s), runtime.Options{MaxMessage: MaxFrame, Logger: o.Logger})
	checked := make(chan struct{})
	go func() {
		defer close(checked)
		s.checkChanges(inner, lsp.NewCallbackClient(session))
	}()
	err := session.Wait()
	stop()
	<-checked
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	case !s.down.Load():
		return ErrNotShutDown
	}
	return nil
}

// newServer returns a server of one session.
func newServer(o Options) *server {
	read := o.read
	if read == nil {
		read = file.Read
	}
	return &server{version: o.Version, documents: documents{open: map[string]*document{}, read: read, list: o.Imports}, changed: make(chan struct{}, 1)}
}
