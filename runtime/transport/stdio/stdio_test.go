package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/transporttest"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// TestMain is also the program that TestCommand starts.
func TestMain(m *testing.M) {
	switch os.Getenv("STDIO_TEST") {
	case "":
		leak.Main(m)
	case "serve":
		if err := Serve(context.Background(), weather.NewHandler(office())); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
	case "echo":
		serveEcho()
	case "echo modern":
		serveEcho(mcp.Revision20260728)
	case "echo handshake":
		serveEcho(mcp.Revision20241105, mcp.Revision20250618)
	case "prints":
		fmt.Printf("listening on port 80\n  [INFO] ready\n%s\n", strings.Repeat("=", 2000))
		serveOnly()
	case "deaf":
		ignoreTerm()
		os.Stderr.WriteString("I do not listen\n")
		time.Sleep(time.Hour)
	case "brief", "brief mcp":
		o := runtime.Options{Logger: quiet, DrainTimeout: 300 * time.Millisecond, ShutdownTimeout: 300 * time.Millisecond, StallTimeout: 300 * time.Millisecond}
		h := weather.NewHandler(office())
		if os.Getenv("STDIO_TEST") == "brief mcp" {
			h = mcp.NewServer(echo{}, mcp.Options{Logger: quiet})
		}
		Serve(context.Background(), h, WithOptions(o))
	case "late":
		late()
	case "stubborn":
		stubborn()
	case "full":
		os.Stdin.Read(make([]byte, 1))
		os.Stderr.WriteString("that is too much\n")
		os.Exit(9)
	case "fail":
		os.Stderr.WriteString("cannot start: no weather\n")
		os.Exit(3)
	default:
		hostile(os.Getenv("STDIO_TEST"))
	}
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func office() *weather.Server {
	return &weather.Server{
		Way: runtime.Plain,
		Current: func(_ context.Context, p weather.CurrentParams) (weather.Report, error) {
			return weather.Report{City: p.City}, nil
		},
		Ping: func(context.Context) error { return nil },
	}
}

// streams returns the ends of two pipes of the system.
func streams(t testing.TB) (clientIn, clientOut, serverIn, serverOut *os.File) {
	t.Helper()
	var err, err2 error
	serverIn, clientOut, err = os.Pipe()
	clientIn, serverOut, err2 = os.Pipe()
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return clientIn, clientOut, serverIn, serverOut
}

func TestContract(t *testing.T) {
	for name, framing := range map[string]frame.Framing{"lines": frame.Lines, "headers": frame.Headers} {
		conn := func(in, out *os.File) frame.Conn {
			r, w := framing.NewReader(in, transporttest.MaxFrame), framing.NewWriter(out, transporttest.MaxFrame)
			return frame.NewConn(r, w, func() error { return errors.Join(in.Close(), out.Close()) })
		}
		t.Run(name, func(t *testing.T) {
			transporttest.Run(t, transporttest.Transport{
				Framing: framing,
				Drains:  true,
				Connect: func(t testing.TB) (client, server frame.Conn) {
					ci, co, si, so := streams(t)
					return conn(ci, co), conn(si, so)
				},
				Raw: func(t testing.TB) (io.ReadWriteCloser, frame.Conn) {
					ci, co, si, so := streams(t)
					return both{ci, co}, conn(si, so)
				},
			})
		})
	}
}

type both struct{ in, out *os.File }

func (b both) Read(p []byte) (int, error)  { return b.in.Read(p) }
func (b both) Write(p []byte) (int, error) { return b.out.Write(p) }
func (b both) Close() error                { return errors.Join(b.in.Close(), b.out.Close()) }

// slow hands out one byte at a time.
type slow struct{ r io.Reader }

func (s slow) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), 1)]) }

func TestServeAnswersWhatIsInFlightAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := office()
		server.Current = func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
			time.Sleep(20 * time.Millisecond)
			return weather.Report{City: p.City}, ctx.Err()
		}
		in := slow{strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"x"}}`)}
		var out bytes.Buffer
		err := Serve(t.Context(), weather.NewHandler(server), WithInput(in), WithOutput(&out), WithOptions(runtime.Options{Logger: quiet}))
		const want = `{"jsonrpc":"2.0","id":1,"result":{"city":"x","degrees":0}}` + "\n"
		if err != nil || out.String() != want {
			t.Fatalf("got %q, %v", out.String(), err)
		}
	})
}

func TestServeEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		defer w.Close()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		if err := Serve(ctx, weather.NewHandler(office()), WithInput(r), WithOutput(io.Discard)); err != context.Canceled {
			t.Fatalf("got %v", err)
		}
	})
}

func TestServeEndsThoughItsFileBlocks(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if err := Serve(ctx, weather.NewHandler(office()), WithInput(r), WithOutput(io.Discard)); err != context.Canceled {
		t.Fatalf("got %v", err)
	}
}

func TestServeEndsThoughItsReaderBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		in := struct{ io.Reader }{r} // its Read cannot be interrupted
		if err := Serve(ctx, weather.NewHandler(office()), WithInput(in), WithOutput(io.Discard)); err != context.Canceled {
			t.Fatalf("got %v", err)
		}
		w.Close() // now it ends, and with it the goroutine that is left
	})
}

// program returns this test as a program of the given kind.
func program(t *testing.T, kind string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "STDIO_TEST="+kind)
	return cmd
}

func TestCommand(t *testing.T) {
	p, err := Command(t.Context(), program(t, "serve"), nil, WithGrace(time.Minute), WithOptions(runtime.Options{Logger: quiet}))
	if err != nil {
		t.Fatal(err)
	}
	got, err := weather.NewClient(p).Current(t.Context(), weather.CurrentParams{City: "Paris"})
	if err != nil || got.City != "Paris" {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if state := p.cmd.ProcessState; !state.Success() {
		t.Error(state)
	}
}

// serveOnly serves, and ends with an error if it gets an answer, which it has not asked for.
func serveOnly() {
	trace := WithTrace(func(sent bool, frame []byte) {
		if !sent && wire.PeekAt(frame).Has("error") {
			os.Exit(7)
		}
	})
	fmt.Println("\x1b[1mready\x1b[0m")
	Serve(context.Background(), weather.NewHandler(office()), trace)
}

// TestCommandThatPrints: lines that a program prints between messages are logged, and not answered.
func TestCommandThatPrints(t *testing.T) {
	var log strings.Builder
	p, err := Command(t.Context(), program(t, "prints"), nil, WithMaxFrame(1000), WithTrace(func(sent bool, message []byte) {
		if sent && strings.Contains(string(message), "error") {
			t.Errorf("a printed line is answered: %s", message)
		}
	}), WithOptions(runtime.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}))
	if err != nil {
		t.Fatal(err)
	}
	got, err := weather.NewClient(p).Current(t.Context(), weather.CurrentParams{City: "Paris"})
	if err != nil || got.City != "Paris" {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if said := log.String(); strings.Count(said, "the program prints on its standard output") != 4 || !strings.Contains(said, "listening on port 80") || strings.Contains(said, "\x1b") {
		t.Error(said)
	}
}

func TestCommandThatFails(t *testing.T) {
	p, err := Command(t.Context(), program(t, "fail"), nil, WithOptions(runtime.Options{Logger: quiet}))
	if err != nil {
		t.Fatal(err)
	}
	if err := weather.NewClient(p).Ping(t.Context()); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("got %v", err)
	}
	<-p.Exited()
	err = p.Close()
	if e, ok := errors.AsType[*ExitError](err); !ok || e.Stderr != "cannot start: no weather" {
		t.Errorf("got %v", err)
	}
}

// TestCommandThatEndsWhileItIsWrittenTo: how the program ended is what counts, not that it cannot be written to.
func TestCommandThatEndsWhileItIsWrittenTo(t *testing.T) {
	large := weather.CurrentParams{City: strings.Repeat("x", 1<<20)}
	for range 20 {
		p, err := Command(t.Context(), program(t, "full"), nil, WithOptions(runtime.Options{Logger: quiet}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := weather.NewClient(p).Current(t.Context(), large); err == nil || strings.Contains(err.Error(), "broken pipe") {
			t.Errorf("the call: %v", err)
		}
		if e, ok := errors.AsType[*ExitError](p.Close()); !ok || e.Stderr != "that is too much" || e.Err.Error() != "exit status 9" {
			t.Errorf("closing: %v", e)
		}
	}
}

// TestServeEndsThoughNobodyReads: a client that closes the input and keeps the output open without reading it does not keep the server.
func TestServeEndsThoughNobodyReads(t *testing.T) {
	const begin = `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n"
	const current = `{"jsonrpc":"2.0","id":%d,"method":"weather/current","params":{"city":"%s"}}` + "\n"
	for name, c := range map[string]struct {
		kind, begin, call string
		calls, size       int
	}{
		"few large answers": {"brief", "", current, 3, 1 << 20},
		"many answers":      {"brief", "", current, 5000, 100},
		"mcp":               {"brief mcp", begin, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"a":"%s"}}}` + "\n", 3, 1 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := program(t, c.kind)
			cmd.Env = append(cmd.Env, "GORACE=atexit_sleep_ms=0")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			io.WriteString(in, c.begin)
			for id := range c.calls {
				if _, err := fmt.Fprintf(in, c.call, id, strings.Repeat("x", c.size)); err != nil {
					break // it has ended already
				}
			}
			in.Close()
			killer := time.AfterFunc(5*time.Minute, func() { cmd.Process.Kill() })
			if _, err := cmd.Process.Wait(); err != nil {
				t.Error(err)
			}
			if !killer.Stop() {
				t.Error("it had to be killed")
			}
		})
	}
}

func TestCommandThatDoesNotEnd(t *testing.T) {
	p, err := Command(t.Context(), program(t, "deaf"), nil, WithGrace(50*time.Millisecond), WithOptions(runtime.Options{Logger: quiet}))
	if err != nil {
		t.Fatal(err)
	}
	await.Until(t, "it has written to its standard error", func() bool { return p.Stderr() != "" })
	if _, ok := errors.AsType[*ExitError](p.Close()); !ok {
		t.Error("it was not killed")
	}
}
