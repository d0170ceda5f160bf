package contract

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/procgroup"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Conn reaches a server: each use of it is a new instance of the server, or at least a new session. Make one by [Command], [URL], [Stream] or [InMemory].
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
var inName = text.Pattern(`^[.-]*[\pL\pN_]`)

// neutral is a message with ownFolder in place of the working folder, as other instances and reports have it.
func (s *stream) neutral(message []byte) []byte {
	if s.folder == "" || !bytes.Contains(message, []byte(s.folder)) {
		return message
	}
	parts := bytes.Split(message, []byte(s.folder))
	out := parts[0]
	for _, after := range parts[1:] {
		name := ownFolder
		if inName().Match(after) {
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
	procgroup.Closes(read, 500*time.Millisecond)
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

// dialConn is a Conn whose instances are made by a function.
type dialConn func(ctx context.Context) (io.ReadCloser, io.WriteCloser, error)

// Stream reaches a server by streams of lines, one message each: dial starts an instance or connects to it.
func Stream(dial func(ctx context.Context) (io.ReadCloser, io.WriteCloser, error)) Conn {
	return dialConn(dial)
}

func (d dialConn) open(ctx context.Context, take func([]byte)) (link, error) {
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
		return killWriter{fromServer, kill}, toServer, nil
	})
}

// killWriter is the output of a server in memory, whose calls are cancelled when it is closed.
type killWriter struct {
	io.ReadCloser
	kill func()
}

func (k killWriter) Close() error {
	k.kill()
	return k.ReadCloser.Close()
}

// Site is a server at a URL: MCP over streamable HTTP, or JSON-RPC whose requests are posted.
type Site struct {
	URL    string
	Header http.Header  // of every request
	Client *http.Client // nil for one that follows redirects within the host of the URL only
}

// transport has the connections of all sites without a client of their own.
var transport = web.NewTransport()

// client sends the requests.
func (s *Site) client() *http.Client {
	if s.Client != nil {
		return s.Client
	}
	return &http.Client{Transport: transport, CheckRedirect: web.SameHost}
}

// URL reaches a server at a URL.
func URL(url string) Conn { return &Site{URL: url} }

func (s *Site) open(_ context.Context, take func([]byte)) (link, error) {
	ctx, cancel := context.WithCancel(context.Background())
	return &posts{Site: s, take: take, ctx: ctx, cancel: cancel, fate: fate{done: make(chan struct{})}}, nil
}

// posts is a link whose messages are requests of HTTP.
type posts struct {
	*Site
	fate
	take   func([]byte)
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	session string
	other   string // a Content-Type of an answer that is neither JSON nor events
}

func (p *posts) send(_ context.Context, message []byte, headers map[string]string) error {
	r, err := http.NewRequestWithContext(p.ctx, http.MethodPost, p.URL, bytes.NewReader(message))
	if err != nil {
		return err
	}
	if p.Header != nil {
		r.Header = p.Header.Clone()
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	p.mu.Lock()
	if p.session != "" {
		r.Header.Set("Mcp-Session-Id", p.session)
	}
	p.mu.Unlock()
	for name, value := range headers {
		r.Header.Set(name, headerValue(value))
	}
	go p.post(r, message)
	return nil
}

// headerValue encodes a text for a header, if it has to be (basic/transports/streamable-http, Value Encoding).
func headerValue(s string) string {
	plain := s == strings.TrimSpace(s) && !strings.HasPrefix(s, "=?base64?")
	for i := range len(s) {
		plain = plain && s[i] >= ' ' && s[i] <= '~'
	}
	if plain {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

func (p *posts) post(r *http.Request, message []byte) {
	resp, err := p.client().Do(r)
	if err != nil {
		if p.ctx.Err() == nil {
			p.finish("the connection failed: " + err.Error())
		}
		return
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		p.mu.Lock()
		p.session = id
		p.mu.Unlock()
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		p.events(resp.Body)
		return
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(maxMessage)+1))
	switch {
	case err != nil && p.ctx.Err() == nil:
		p.finish("the connection failed: " + err.Error())
	case len(body) > maxMessage:
		p.take([]byte(tooLong))
	case resp.StatusCode >= 400 && !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")):
		p.answerRefusal(resp, message)
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode/100 == 3: // a redirect that is not followed
		p.answerRefusal(resp, message)
	case len(bytes.TrimSpace(body)) > 0:
		if kind := resp.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") && resp.StatusCode == http.StatusOK {
			p.mu.Lock()
			p.other = strconv.Quote(kind)
			p.mu.Unlock()
		}
		p.take(bytes.TrimSpace(body))
	}
}

// answerRefusal answers a request that was answered by a status only.
func (p *posts) answerRefusal(resp *http.Response, message []byte) {
	v, err := jsontree.Parse(message)
	if err != nil || v.In("id") == nil {
		return
	}
	if wait, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && wait > 0 && wait <= 10 {
		select {
		case <-time.After(time.Duration(wait) * time.Second):
		case <-p.ctx.Done():
		}
	}
	p.take(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"HTTP status %s"}}`, v.In("id").JSON(), statusCode, resp.Status))
}

// statusCode is the code of answers that were a status of HTTP only.
const statusCode = -31999

// lineEnds reads texts whose lines end with CR, LF or both as ones whose lines end with LF.
type lineEnds struct {
	from io.Reader
	cr   bool // the last byte was CR, and an LF that follows belongs to it
}

// Read implements [io.Reader].
func (l *lineEnds) Read(b []byte) (int, error) {
	n, err := l.from.Read(b)
	kept := b[:0]
	for _, c := range b[:n] {
		if c != '\n' || !l.cr {
			kept = append(kept, c)
		}
		if l.cr = c == '\r'; l.cr {
			kept[len(kept)-1] = '\n'
		}
	}
	return len(kept), err
}

// events gives the data of each event to take (HTML standard, section 9.2.6).
func (p *posts) events(body io.Reader) {
	var data []byte
	mark := []byte("\uFEFF") // may come before the first line
	for all := newLines(&lineEnds{from: body}); ; mark = nil {
		line, err := all.next()
		text := bytes.TrimPrefix(bytes.TrimSuffix(line, []byte("\n")), mark)
		value, isData := bytes.CutPrefix(text, []byte("data:"))
		switch {
		case len(text) == 0 && len(data) > 0:
			p.take(data)
			data = nil
		case string(data) == tooLong: // until the event ends
		case string(text) == tooLong || isData && len(data)+len(value) > maxMessage:
			data = []byte(tooLong)
		case isData && len(data) > 0:
			data = append(append(data, '\n'), bytes.TrimPrefix(value, []byte(" "))...)
		case isData:
			data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
		}
		if err != nil {
			if len(data) > 0 {
				p.take(data)
			}
			if !errors.Is(err, io.EOF) && p.ctx.Err() == nil {
				p.finish("the connection failed: " + err.Error())
			}
			return
		}
	}
}

func (p *posts) hangUp() { p.remove() }

// remove ends the session, and returns the status of the answer; 0 if there is no session or no answer.
func (p *posts) remove() (status int) {
	p.mu.Lock()
	session := p.session
	p.mu.Unlock()
	if session == "" {
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, p.URL, nil)
	if err != nil {
		return 0
	}
	if p.Header != nil {
		r.Header = p.Header.Clone()
	}
	r.Header.Set("Mcp-Session-Id", session)
	resp, err := p.client().Do(r)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

// kind is a Content-Type that no answer may have, if there was one.
func (p *posts) kind() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.other
}

func (p *posts) kill() {
	p.hangUp()
	p.cancel()
	p.finish("it was ended")
}

func (p *posts) isProcess() (process, http bool) { return false, true }
