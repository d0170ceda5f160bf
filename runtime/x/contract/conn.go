package contract

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/procgroup"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// Conn reaches a server: each use of it is a new instance of the server, or at least a new session. Make one by [Command], [URL], [Stream]
// or [InMemory].
type Conn interface {
	// open starts an instance. What arrives is given to take, one message each, from one goroutine or several.
	open(ctx context.Context, take func(message []byte)) (link, error)
}

// link is a connection to one instance of the server.
type link interface {
	send(ctx context.Context, message []byte, headers map[string]string) error
	hangUp()                // ends the input of the server, which should then end
	kill()                  // ends everything
	ended() <-chan struct{} // is closed when the server has ended or the connection is closed
	end() string            // says how it ended, after ended
	isProcess() (process, http bool)
}

// Limits of an instance: of a message, whose rest is dropped, and of what it may send in all before it is ended. Only tests change them.
var maxMessage, maxTotal = 24 << 20, 256 << 20

// tooLong stands in for the message that was longer than maxMessage.
const tooLong = "\x00too long"

// ownFolder is the working folder of an instance that has one of its own, in what is kept of messages and in reports. A part of it, or what is added to
// it, is the name of something in that folder.
const ownFolder = "$PWD/"

// fate is whether and how a link has ended.
type fate struct {
	done   chan struct{}
	once   sync.Once
	reason string
}

func (f *fate) finish(reason string) {
	f.once.Do(func() {
		f.reason = reason
		close(f.done)
	})
}

func (f *fate) ended() <-chan struct{} { return f.done }

func (f *fate) end() string { return f.reason }

// stream is a link whose messages are lines.
type stream struct {
	fate
	in      io.Closer
	out     io.WriteCloser
	lock    chan struct{} // held while a message is written
	process *procgroup.Group
	folder  string // of the process, as texts of JSON have it; empty for none
	errors  tail
}

func newStream(in io.Closer, out io.WriteCloser) *stream {
	return &stream{in: in, out: out, lock: make(chan struct{}, 1), fate: fate{done: make(chan struct{})}}
}

// inName is what goes on with the name before it, so that a name which only begins like that of a folder is another one.
var inName = regexp.MustCompile(`^[.-]*[\pL\pN_]`)

// kept is a message with ownFolder in place of the working folder, as other instances and reports have it.
func (s *stream) kept(message []byte) []byte {
	if s.folder == "" || !bytes.Contains(message, []byte(s.folder)) {
		return message
	}
	parts := bytes.Split(message, []byte(s.folder))
	out := parts[0]
	for _, after := range parts[1:] {
		name := ownFolder
		if inName.Match(after) {
			name = s.folder
		}
		out = append(append(out[:len(out):len(out)], name...), bytes.TrimPrefix(after, []byte("/"))...)
	}
	return out
}

// read gives each line to take, and returns why there are no more.
func (s *stream) read(r io.Reader, take func([]byte)) error {
	for all := newLines(r); ; {
		line, err := all.next()
		if line = bytes.TrimSpace(line); len(line) > 0 {
			take(line)
		}
		if err != nil {
			return err
		}
	}
}

// lines are those that one instance sends.
type lines struct {
	from  *bufio.Reader
	total int // bytes so far
}

func newLines(r io.Reader) *lines { return &lines{from: bufio.NewReaderSize(r, 64<<10)} }

// next returns the next line with its end, which the caller owns, or tooLong in its place. The error says why there are no more; a line may come with it.
func (l *lines) next() (line []byte, err error) {
	for dropped := false; ; {
		part, err := l.from.ReadSlice('\n')
		if len(line) < maxMessage {
			line = append(line, part...)
		} else if len(part) > 0 {
			dropped = true
		}
		if l.total += len(part); l.total > maxTotal {
			err = fmt.Errorf("it has sent more than %d MiB, and was ended", maxTotal>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if dropped {
				line = []byte(tooLong)
			}
			return line, err
		}
	}
}

func (s *stream) send(ctx context.Context, message []byte, _ map[string]string) error {
	select {
	case s.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return errors.New(s.reason)
	}
	if s.folder != "" {
		message = bytes.ReplaceAll(message, []byte(ownFolder), []byte(s.folder+"/"))
	}
	written := make(chan error, 1)
	go func() {
		defer func() { <-s.lock }()
		_, err := s.out.Write(append(message[:len(message):len(message)], '\n'))
		written <- err
	}()
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *stream) hangUp() { go s.out.Close() }

func (s *stream) kill() {
	if s.process != nil {
		_ = s.process.Signal(os.Kill) // it may have ended
	}
	s.in.Close()
	s.hangUp()
	s.finish("it was ended")
}

func (s *stream) isProcess() (process, http bool) { return s.process != nil, false }

// Process is a command that is started for each instance of the server. Its messages are lines on its standard input and output.
type Process struct {
	Args   []string
	Folder func() (string, error)       // gives each instance a working folder of its own, an absolute path; nil for the current one
	Env    func(folder string) []string // of each instance, as NAME=VALUE; nil for that of this process
}

// Command reaches a server that is a command.
func Command(args ...string) Conn { return &Process{Args: args} }

func (p *Process) open(_ context.Context, take func([]byte)) (link, error) {
	cmd := exec.Command(p.Args[0], p.Args[1:]...)
	if p.Folder != nil {
		folder, err := p.Folder()
		if err != nil {
			return nil, err
		}
		cmd.Dir = folder
	}
	if p.Env != nil {
		cmd.Env = p.Env(cmd.Dir)
	}
	in, toServer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromServer, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close(), toServer.Close())
	}
	s := newStream(fromServer, toServer)
	if p.Folder != nil {
		s.folder = strings.Trim(string(jsontree.AppendText(nil, cmd.Dir)), `"`)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = in, out, &s.errors, time.Second
	s.process, err = procgroup.Start(cmd)
	in.Close()
	out.Close()
	if err != nil {
		return nil, errors.Join(err, fromServer.Close(), toServer.Close())
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		if err := s.read(fromServer, take); !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) {
			s.finish(err.Error())
			_ = s.process.Signal(os.Kill) // it may have ended
		}
	}()
	go s.wait(cmd, fromServer, read)
	return s, nil
}

// wait waits for the end of the process, then for the rest of its output, and ends what it has started.
func (s *stream) wait(cmd *exec.Cmd, output io.Closer, read <-chan struct{}) {
	err := cmd.Wait()
	s.process.End(0)
	select {
	case <-read:
	case <-time.After(500 * time.Millisecond):
	}
	output.Close()
	<-read
	reason := "it ended with code 0"
	if err != nil {
		reason = "it ended: " + err.Error()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			reason = "it ended with code " + fmt.Sprint(exit.ExitCode())
			if exit.ExitCode() < 0 {
				reason = "it ended by a signal: " + exit.String()
			}
		}
	}
	if text := s.errors.String(); text != "" && err != nil {
		reason += ": " + text
	}
	s.finish(reason)
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	all []byte
}

func (t *tail) Write(p []byte) (int, error) {
	const most = 600
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, p[max(0, len(p)-most):]...)
	t.all = append([]byte(nil), t.all[max(0, len(t.all)-most):]...)
	return len(p), nil
}

// String is the last line that says something.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.all), []byte("\n"))
	for _, line := range lines {
		if bytes.Contains(line, []byte("Error")) || bytes.Contains(line, []byte("panic:")) {
			return clip(string(bytes.TrimSpace(line)), 200)
		}
	}
	return clip(string(bytes.TrimSpace(lines[len(lines)-1])), 200)
}

// dialed is a Conn whose instances are made by a function.
type dialed func(ctx context.Context) (io.ReadCloser, io.WriteCloser, error)

// Stream reaches a server by streams of lines, one message each: dial starts an instance or connects to it.
func Stream(dial func(ctx context.Context) (io.ReadCloser, io.WriteCloser, error)) Conn {
	return dialed(dial)
}

func (d dialed) open(ctx context.Context, take func([]byte)) (link, error) {
	in, out, err := d(ctx)
	if err != nil {
		return nil, err
	}
	s := newStream(in, out)
	go func() {
		err := s.read(in, take)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
			err = errors.New("it closed the connection")
		}
		s.finish(err.Error())
		out.Close()
	}()
	return s, nil
}

// InMemory reaches a server within this program: each instance is what make returns, such as a new server of MCP, or the same one each time.
// Its sessions log nothing, since a handler that panics would do so in hundreds of calls.
func InMemory(make func() runtime.Handler) Conn {
	quiet := runtime.Options{Logger: slog.New(slog.DiscardHandler)}
	return Stream(func(context.Context) (io.ReadCloser, io.WriteCloser, error) {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		ctx, kill := context.WithCancel(context.Background())
		go func() {
			defer kill()
			err := stdio.Serve(ctx, make(), stdio.WithInput(in), stdio.WithOutput(out), stdio.WithMaxFrame(maxMessage), stdio.WithOptions(quiet))
			in.CloseWithError(err)
			out.CloseWithError(err)
		}()
		return killed{fromServer, kill}, toServer, nil
	})
}

// killed is the output of a server in memory, whose calls are cancelled when it is closed.
type killed struct {
	io.ReadCloser
	kill func()
}

func (k killed) Close() error {
	k.kill()
	return k.ReadCloser.Close()
}
