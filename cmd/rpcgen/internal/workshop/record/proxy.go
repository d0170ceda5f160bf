package record

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/transcript"
)

// proxy stands before a server at a URL.
type proxy struct {
	target *url.URL
	last   atomic.Int64 // number of the last exchange
	*recorder
}

// serve answers requests at a listener until ctx ends. Requests in flight end with it.
func (p *proxy) serve(ctx context.Context, l net.Listener, errors *log.Logger) error {
	return remote.ServeHTTP(ctx, l, p.handler(errors), errors)
}

// handler passes requests on to the target.
func (p *proxy) handler(errors *log.Logger) http.Handler {
	return p.request(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = p.target.Scheme, p.target.Host, p.target.Host
			r.Out.Header.Set("Accept-Encoding", "identity") // what is compressed cannot be read
		},
		ModifyResponse: p.response,
		FlushInterval:  -1,
		ErrorLog:       errors,
	})
}

// numberKey is the key of the number of an exchange in the context of its request.
type numberKey struct{}

// request records a request and passes it on.
func (p *proxy) request(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, mostWaiting+1))
		if err != nil {
			http.Error(w, "the body cannot be read", http.StatusBadRequest)
			return
		}
		e := &transcript.Exchange{Number: int(p.last.Add(1)), Method: r.Method, Header: recordedFields(r.Header)}
		switch {
		case len(body) > mostWaiting:
			p.stop(errTooLong)
		case len(body) == 0:
			body = nil
		}
		p.see(event{name: transcript.Client, http: e, data: body})
		// An answer may begin before the transport has found the end of the body: it must not be closed then (golang/go#40747).
		_ = http.NewResponseController(w).EnableFullDuplex() // which every server of net/http can
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), numberKey{}, e.Number)))
	})
}

// recordedFields returns the header fields that are recorded: those of MCP, and the type of the content.
func recordedFields(h http.Header) (all [][2]string) {
	for name, values := range h {
		if name == "Content-Type" || strings.HasPrefix(name, "Mcp-") {
			all = append(all, [2]string{strings.ToLower(name), strings.Join(values, ", ")})
		}
	}
	slices.SortFunc(all, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return all
}

// response records a response while it is read.
func (p *proxy) response(resp *http.Response) error {
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	number, _ := resp.Request.Context().Value(numberKey{}).(int)
	e := &transcript.Exchange{Number: number, Status: resp.StatusCode, Header: recordedFields(resp.Header)}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	body := &body{ReadCloser: resp.Body, r: p.recorder, e: e, stream: kind == "text/event-stream"}
	if body.stream {
		body.part(nil)
	}
	resp.Body = body
	return nil
}

// body is the body of a response that is recorded while it is read.
type body struct {
	io.ReadCloser
	r      *recorder
	e      *transcript.Exchange
	stream bool // of events
	begun  bool
	ended  bool
	held   bytes.Buffer // what was read and not recorded
	data   bytes.Buffer // of the event that has begun
}

// part records a part of the response, the first one with its status.
func (b *body) part(message []byte) {
	b.r.see(event{name: transcript.Server, http: b.e, data: message})
	b.e = &transcript.Exchange{Number: b.e.Number}
	b.begun = true
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.held.Write(p[:n])
	if b.stream {
		b.events()
	}
	if b.held.Len()+b.data.Len() > mostWaiting {
		b.r.stop(errTooLong)
		b.held.Reset()
		b.data.Reset()
	}
	if err != nil {
		b.end()
	}
	return n, err
}

// Close implements [io.Closer].
func (b *body) Close() error {
	b.end()
	return b.ReadCloser.Close()
}

// end records what was read last.
func (b *body) end() {
	if b.ended {
		return
	}
	b.ended = true
	if b.stream {
		b.held.WriteString("\n\n") // an event that was not ended
		b.events()
		return
	}
	if b.held.Len() > 0 {
		b.part(bytes.Clone(b.held.Bytes()))
	} else if !b.begun {
		b.part(nil)
	}
}

// events takes complete lines, and records the data of complete events.
func (b *body) events() {
	for {
		i := bytes.IndexByte(b.held.Bytes(), '\n')
		if i < 0 {
			return
		}
		line := bytes.TrimSuffix(b.held.Next(i + 1)[:i], []byte("\r"))
		switch data, ok := bytes.CutPrefix(line, []byte("data:")); {
		case ok:
			if b.data.Len() > 0 {
				b.data.WriteByte('\n')
			}
			b.data.Write(bytes.TrimPrefix(data, []byte(" ")))
		case len(line) == 0 && b.data.Len() > 0:
			b.part(bytes.Clone(b.data.Bytes()))
			b.data.Reset()
		}
	}
}

// pipe is a command with a recorder in its standard input and output.
type pipe struct {
	command []string
	in      io.Reader
	out     io.Writer
	err     io.Writer
	grace   time.Duration
}

// grace is how long a command and what it has started may take to end after they were asked to, and how long what it leaves may still write.
const grace = 5 * time.Second

// run runs the command until it ends, and ends what it has started. When ctx ends, all of them are asked to end as well. The error is how the
// command has exited.
func (p *pipe) run(ctx context.Context, r *recorder) error {
	cmd := exec.CommandContext(ctx, p.command[0], p.command[1:]...)
	started := make(chan *contract.Group, 1)
	cmd.Cancel = func() error { return (<-started).Signal(syscall.SIGTERM) }
	cmd.WaitDelay = p.grace
	cmd.Stderr = p.err
	to, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	cmd.Stdout = &output{to: p.out, recorder: r, fault: func() { to.Close() }}
	group, err := contract.StartGroup(cmd)
	if err != nil {
		return err
	}
	started <- group
	go func() { // ends with the input, which may outlive the command
		passOn(to, p.in, r)
		to.Close()
	}()
	err = cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) { // a process that the command has left keeps its output open
		err = nil
	}
	group.End(p.grace)
	return err
}

// passOn copies bytes to the command, and shows them to the recorder.
func passOn(to io.Writer, from io.Reader, r *recorder) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			r.chunk(transcript.Client, buffer[:n])
			if _, err := to.Write(buffer[:n]); err != nil {
				return // the command has ended, which Wait says
			}
		}
		if err != nil {
			return
		}
	}
}

// output passes on what the command writes, and shows it to the recorder.
type output struct {
	to       io.Writer
	recorder *recorder
	fault    func() // is called when what the command writes is not read any more
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	o.recorder.chunk(transcript.Server, p)
	n, err := o.to.Write(p)
	if err != nil {
		o.fault()
	}
	return n, err
}
