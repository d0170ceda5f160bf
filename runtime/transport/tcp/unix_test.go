package tcp

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	rpcgen "github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/transport/transporttest"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// socket returns a path for a socket, which has to be short.
func socket(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rpc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

func TestContractUnix(t *testing.T) {
	o := newOptions([]Option{WithMaxFrame(transporttest.MaxFrame)})
	pair := func(t testing.TB) (client, server net.Conn) {
		l, err := ListenUnix(socket(t), 0)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if client, err = net.Dial("unix", l.Addr().String()); err != nil {
			t.Fatal(err)
		}
		if server, err = l.Accept(); err != nil {
			t.Fatal(err)
		}
		return client, server
	}
	transporttest.Run(t, transporttest.Transport{
		Connect: func(t testing.TB) (client, server frame.Conn) {
			c, s := pair(t)
			return newConn(c, o, nil), newConn(s, o, nil)
		},
		Raw: func(t testing.TB) (io.ReadWriteCloser, frame.Conn) {
			c, s := pair(t)
			return c, newConn(s, o, nil)
		},
	})
}

// TestUnix: a socket is served, has the permissions that were asked for, and is gone afterwards.
func TestUnix(t *testing.T) {
	for _, mode := range []fs.FileMode{0, 0o666, 0o660} {
		path := socket(t)
		ctx, cancel := context.WithCancel(context.Background())
		served := make(chan error, 1)
		go func() { served <- ListenAndServeUnix(ctx, path, mode, weather.NewHandler(ping())) }()
		var s *rpcgen.Session
		await.Until(t, "the socket is served", func() bool {
			var err error
			s, err = DialUnix(t.Context(), path, nil, WithOptions(rpcgen.Options{Logger: quiet}))
			return err == nil
		})
		if err := weather.NewClient(s).Ping(t.Context()); err != nil {
			t.Error(err)
		}
		want := mode
		if want == 0 {
			want = 0o600
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Error(info, err)
		}
		cancel()
		if err := <-served; err != context.Canceled {
			t.Error(err)
		}
		s.Wait()
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Error("the socket is left:", err)
		}
	}
}

// TestStaleSocket: a socket that no process serves is removed; one that is served, or another file, is not.
func TestStaleSocket(t *testing.T) {
	path := socket(t)
	left, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	if _, err := ListenUnix(path, 0); err == nil || !strings.Contains(err.Error(), "another process serves the socket") {
		t.Error(err)
	}
	left.Close()
	l, err := ListenUnix(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ListenUnix(path, 0); err == nil || !strings.Contains(err.Error(), "is not a socket") {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); string(text) != "precious" {
		t.Error(err)
	}
}

// TestAuth: a connection is served as the principal that it was found to be, and others are closed; who takes too long is one of these.
func TestAuth(t *testing.T) {
	server := ping()
	server.Current = func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		return weather.Report{City: principal.From(ctx)}, nil
	}
	auth := func(ctx context.Context, c net.Conn) (context.Context, error) {
		var name [3]byte
		if _, err := io.ReadFull(c, name[:]); err != nil {
			return nil, err
		}
		if string(name[:]) != "ann" {
			return nil, errors.New("unknown")
		}
		return principal.With(ctx, string(name[:])), nil
	}
	address, stop := start(t, weather.NewHandler(server), WithAuth(auth), WithFirstTimeout(time.Minute), WithMaxConns(1))
	soon, _ := start(t, weather.NewHandler(server), WithAuth(auth), WithFirstTimeout(50*time.Millisecond), WithMaxConns(1))
	for _, who := range []struct{ hello, address string }{{"bob", address}, {"", soon}, {"an", soon}, {"", soon}, {"ann", address}} { // each has the one place that there is
		c := dial(t, who.address)
		io.WriteString(c, who.hello)
		if who.hello != "ann" {
			if got := ends(t, c); got != "" {
				t.Errorf("got %q", got)
			}
			continue
		}
		s := NewSession(t.Context(), c, nil, WithOptions(rpcgen.Options{Logger: quiet}))
		if got, err := weather.NewClient(s).Current(t.Context(), weather.CurrentParams{City: "x"}); err != nil || got.City != "ann" {
			t.Error(got, err)
		}
		s.Close()
		s.Wait()
	}
	waiting := dial(t, address)
	stop() // while one is being authenticated
	ends(t, waiting)
}
