package tcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// DialUnix connects to the Unix socket at a path; see [Dial].
func DialUnix(ctx context.Context, path string, h runtime.Handler, opts ...Option) (*runtime.Session, error) {
	return connect(ctx, "unix", path, h, opts)
}

// ListenAndServeUnix listens on a Unix socket, and serves h there; see [ListenUnix] and [Serve].
func ListenAndServeUnix(ctx context.Context, path string, mode fs.FileMode, h runtime.Handler, opts ...Option) error {
	l, err := ListenUnix(path, mode)
	if err != nil {
		return err
	}
	return Serve(ctx, l, h, opts...)
}

// ListenUnix listens on a Unix socket. Its file has the permissions of mode, which decide who may connect; zero means 0600, the user of this
// process alone. A socket that another process has left there is removed; one that is served, and a file that is not a socket, are errors. The
// file is removed when the listener is closed.
func ListenUnix(path string, mode fs.FileMode) (net.Listener, error) {
	mode = cmp.Or(mode, 0o600)
	if err := removeStale(path); err != nil {
		return nil, err
	}
	lc := net.ListenConfig{Control: restrict(mode.Perm())}
	l, err := lc.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, mode.Perm()); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// removeStale removes a socket that no process serves.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("tcp: %s exists already and is not a socket: remove it, or choose another path", path)
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		c.Close()
		return fmt.Errorf("tcp: another process serves the socket %s", path)
	}
	if !refusesConnections(err) {
		return fmt.Errorf("tcp: the socket %s is there already: %w", path, err)
	}
	return os.Remove(path)
}
