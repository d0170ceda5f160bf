// Package remote holds the commands of rpcgen that talk to a server, tools and call: they list and call the tools of an MCP server for a person at a command line.
package remote

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/schema/file"
)

// Server says how a server is reached: by a URL, or by a command that is started.
type Server struct {
	URL     string
	Command []string
	Folder  string   // in which the command runs; empty for the current one
	Env     []string // of the command, as NAME=VALUE; nil for that of this process
	Headers []string // Name: value, of HTTP requests
	Login   Login    // when a server at a URL requires a token
	Era     mcp.Era  // zero if it is found out
	Version string   // of the program that asks
	Verbose bool     // show what the server logs and writes to its standard error

	// Wait is how long the server may take to answer first, from its start, and to answer each request for a list. A login does not count. Zero means DefaultWait.
	Wait time.Duration

	see func(sent bool, frame []byte) // gets every message of a command; nil for none
}

// DefaultWait is how long a server may take to answer first.
const DefaultWait = 30 * time.Second

// Terminal is where a person reads and writes. What is written may hold anything that a server said, in several lines: Out and Err have to
// show what is hidden, as text.Writer does.
type Terminal struct {
	In          io.Reader
	Out         io.Writer // for results
	Err         io.Writer // for everything else, such as questions
	Interactive bool      // a person can be asked

	clock *patience // nil for one of the connection alone
}

// UsageError says that a command was called the wrong way: nothing was called at the server.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Usage returns a [UsageError], formatted as by [fmt.Errorf].
func Usage(format string, values ...any) error { return &UsageError{fmt.Errorf(format, values...)} }

// connect connects to the server, which may ask the person at the terminal.
func (s *Server) connect(ctx context.Context, t Terminal, middleware ...mcpclient.Middleware) (*mcpclient.Client, error) {
	var warned warnings
	log := slog.New(&warned)
	o := mcpclient.Options{Name: "rpcgen", Version: s.Version, Era: s.Era}
	if s.Verbose {
		log = slog.New(slog.NewTextHandler(t.Err, nil))
		o.LogLevel = "debug"
		o.OnLog = func(_ context.Context, m mcpclient.LogMessage) {
			fmt.Fprintln(t.Err, strings.TrimSpace(m.Level+" "+m.Logger), m.Data)
		}
		o.OnProgress = func(_ context.Context, p mcpclient.ProgressReport) { fmt.Fprintln(t.Err, progress(p)) }
	}
	o.Logger = log
	t.clock = cmp.Or(t.clock, new(patience))
	if t.Interactive {
		f := &forms{in: bufio.NewReader(t.In), out: t.Err, clock: t.clock}
		o.OnElicit, o.OnElicitURL = f.elicit, f.elicitURL
	}
	wait, err := s.firstWait()
	if err != nil {
		return nil, err
	}
	t.clock.wait = wait
	o.Middleware = append([]mcpclient.Middleware{t.clock.lists}, middleware...)
	starting, stop := t.clock.limit(ctx, wait, s.silent(wait, "an MCP server"))
	defer stop()
	dial, dialSSE, err := s.dialers(t, log)
	if err != nil {
		return nil, &UsageError{err}
	}
	c, err := mcpclient.Connect(starting, dial, o)
	if dialSSE != nil && mcphttp.MaySpeakSSE(err) {
		if old, fault := mcpclient.Connect(starting, dialSSE, o); fault == nil {
			return old, nil
		}
	}
	if e, ok := errors.AsType[*runtime.Error](err); ok && e.Code == runtime.CodeMethodNotFound {
		err = fmt.Errorf("%w: if it is a JSON-RPC service, and not one of MCP, call, explore, load and verify take it with --jsonrpc", err)
	}
	err = s.explain(starting, err, &warned)
	warned.show(t.Err)
	return c, err
}

// firstWait is how long the server may take to answer first.
func (s *Server) firstWait() (time.Duration, error) {
	if s.Wait < 0 {
		return 0, &UsageError{errors.New("--wait is more than nothing")}
	}
	return cmp.Or(s.Wait, DefaultWait), nil
}

// silent is the error of a server that has not answered, which is what it should be.
func (s *Server) silent(wait time.Duration, what string) error {
	if s.URL != "" {
		return fmt.Errorf("there is no answer after %s: look whether %s listens at this URL, or give it longer with --wait", wait, what)
	}
	return fmt.Errorf("there is no answer after %s: look whether the command speaks %s on its standard input and output (many servers need an argument for that, such as stdio), or give it longer with --wait if it is built or downloaded first", wait, strings.Fields(what)[1])
}

// explain returns the error of a connection with what is known of its cause: why ctx has ended, that a program has, and what was warned of.
func (s *Server) explain(ctx context.Context, err error, warned *warnings) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	err = connectAdvice(s.explainEnd(err))
	if all := warned.String(); all != "" {
		err = fmt.Errorf("%w\n%s", err, all)
	}
	return err
}

// connectAdvice says what helps where nothing listens.
func connectAdvice(err error) error {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%w: nothing listens at this address: start the server, or correct the URL", err)
	}
	return err
}

// explainEnd says of the error of a connection what it means for a program: that it did not start, or has ended. Its end is reported once, however
// many requests it has failed.
func (s *Server) explainEnd(err error) error {
	if s.URL != "" || err == nil {
		return err
	}
	const early = "the program has ended, or closed its standard output, before it had answered: %w"
	exit, exited := errors.AsType[*stdio.ExitError](err)
	path, failed := errors.AsType[*fs.PathError](err)
	switch _, missing := errors.AsType[*exec.Error](err); {
	case exited:
		return fmt.Errorf(early, exit)
	case errors.Is(err, runtime.ErrClosed):
		return fmt.Errorf(early, err)
	case missing || failed && path.Path == s.Command[0]:
		return fmt.Errorf("%w: after -- name a program that is in $PATH, or by its path from here, with each argument as a word of its own", err)
	}
	return err
}

// warnings is a handler of log records that keeps the first warnings, and shows those after a connection is there. It is safe for concurrent use.
type warnings struct {
	mu  sync.Mutex
	all []string
	out io.Writer // nil before
}

// Enabled implements [slog.Handler].
func (*warnings) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

// Handle implements [slog.Handler].
func (w *warnings) Handle(_ context.Context, r slog.Record) error {
	const most = 3
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.all) == most {
		return nil
	}
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += fmt.Sprintf(": %q", a.Value.String())
		return true
	})
	if !slices.Contains(w.all, text) {
		w.all = append(w.all, text)
		if w.out != nil {
			fmt.Fprintln(w.out, text)
		}
	}
	return nil
}

// show shows what is warned of from now on.
func (w *warnings) show(out io.Writer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all, w.out = nil, out
}

// WithAttrs implements [slog.Handler].
func (w *warnings) WithAttrs([]slog.Attr) slog.Handler { return w }

// WithGroup implements [slog.Handler].
func (w *warnings) WithGroup(string) slog.Handler { return w }

// String returns the warnings, one on each line.
func (w *warnings) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.all, "\n")
}

// dialers returns how the server is reached, and, if it has a URL, how one of 2024-11-05 is that refuses this. The clock stands still while a person logs in.
func (s *Server) dialers(t Terminal, log *slog.Logger) (dial, dialSSE mcpclient.Dialer, err error) {
	limits := runtime.Options{Logger: log, MaxMessage: file.Most}
	if s.URL == "" {
		return s.program(t.Err, limits), nil, nil
	}
	if _, err := Address(s.URL, "http", "https"); err != nil {
		return nil, nil, err
	}
	header, client, err := s.HTTP(t)
	if err != nil {
		return nil, nil, err
	}
	http := mcphttp.ClientOptions{Runtime: limits, Header: header, HTTP: client}
	return mcphttp.Dial(s.URL, http), mcphttp.DialSSE(s.URL, http), nil
}

// program returns how the command is started and talked to.
func (s *Server) program(stderr io.Writer, limits runtime.Options) mcpclient.Dialer {
	opts := []stdio.Option{stdio.WithOptions(limits), stdio.WithMaxFrame(file.Most)}
	if s.Verbose {
		opts = append(opts, stdio.WithStderr(stderr))
	}
	if s.see != nil {
		opts = append(opts, stdio.WithTrace(s.see))
	}
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Dir, cmd.Env = s.Folder, s.Env
	return stdio.Dial(cmd, opts...)
}

// Header returns the header of HTTP requests.
func (s *Server) Header() (http.Header, error) {
	header := make(http.Header)
	for _, line := range s.Headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("the header %q is not of the form Name: value", line)
		}
		header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return header, nil
}

// progress says in words how far a call is.
func progress(p mcpclient.ProgressReport) string {
	text := fmt.Sprintf("%g", p.Done)
	if p.Total > 0 {
		text += fmt.Sprintf(" of %g", p.Total)
	}
	if p.Message != "" {
		text += ": " + p.Message
	}
	return text
}
