package workshop

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// Site is a workshop that is served over HTTP, and a client of it.
type Site struct {
	T *testing.T
	*Workshop
	HTTP   *httptest.Server
	Client *http.Client
}

// Serve serves a workshop with h until the end of the test, when close is called, too.
func Serve(t *testing.T, w *Workshop, h http.Handler, close func() error) *Site {
	s := &Site{T: t, Workshop: w, HTTP: httptest.NewUnstartedServer(h), Client: &http.Client{Transport: &http.Transport{}}}
	s.HTTP.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		c.(*net.TCPConn).SetWriteBuffer(8 << 10) // so that what a client does not read is noticed after kilobytes, not megabytes
		return ctx
	}
	s.HTTP.Start()
	t.Cleanup(func() {
		s.Client.CloseIdleConnections()
		close()
		s.HTTP.CloseClientConnections()
		s.HTTP.Close()
		w.Server.Close()
	})
	return s
}

// Answer is an HTTP response that was read.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Send sends a request with headers, each as "Name: value".
func (s *Site) Send(method, body string, headers ...string) Answer {
	s.T.Helper()
	resp := s.Open(context.Background(), method, body, headers...)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return Answer{resp.StatusCode, resp.Header, string(text)}
}

// Open sends a request, and leaves the response to be read.
func (s *Site) Open(ctx context.Context, method, body string, headers ...string) *http.Response {
	s.T.Helper()
	r, err := http.NewRequestWithContext(ctx, method, s.HTTP.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		switch {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
	}
	resp, err := s.Client.Do(r)
	if err != nil {
		s.T.Fatal(err)
	}
	return resp
}

// StatelessMeta is the _meta of a stateless request, without its end.
const StatelessMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`

// StatelessCall is the text of a tools/call outside of sessions.
func StatelessCall(id int, tool, more string) string {
	return `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"tools/call","params":{"name":"` + tool + `",` + StatelessMeta + more + `}}}`
}

// StatelessHeaders returns the headers of a stateless request.
func StatelessHeaders(method, name string, more ...string) []string {
	return append([]string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method, "Mcp-Name: " + name}, more...)
}

// CallStateless calls a tool.
func (s *Site) CallStateless(tool string, more ...string) Answer {
	s.T.Helper()
	return s.Send("POST", StatelessCall(1, tool, ""), StatelessHeaders("tools/call", tool, more...)...)
}

// Begin opens a session, and returns the headers of its requests.
func (s *Site) Begin(revision string, more ...string) []string {
	s.T.Helper()
	a := s.Send("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+
		`","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`, more...)
	id := a.Header.Get("Mcp-Session-Id")
	if a.Status != 200 || id == "" {
		s.T.Fatal("initialize", a)
	}
	headers := append([]string{"Mcp-Session-Id: " + id, "MCP-Protocol-Version: " + revision}, more...)
	if a := s.Send("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, headers...); a.Status != 202 || a.Body != "" {
		s.T.Fatal("initialized", a)
	}
	return headers
}

// SessionCall is the text of a tools/call in a session.
func SessionCall(id, tool, meta string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"` + meta + `}}`
}

// Lines reads a stream line by line.
type Lines struct {
	t *testing.T
	*bufio.Scanner
}

// LinesOf returns the lines of r.
func LinesOf(t *testing.T, r io.Reader) *Lines {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	return &Lines{t, s}
}

// Want reads the next line that is not empty, which has to begin with prefix, and returns what follows.
func (l *Lines) Want(prefix string) string {
	l.t.Helper()
	for l.Scan() {
		if line := l.Text(); line != "" {
			rest, ok := strings.CutPrefix(line, prefix)
			if !ok {
				l.t.Fatalf("got %s\nwant %s", line, prefix)
			}
			return rest
		}
	}
	l.t.Fatalf("the stream ended before %s: %v", prefix, l.Err())
	return ""
}

// Find reads up to a line with text in it.
func (l *Lines) Find(text string) {
	l.t.Helper()
	for l.Scan() {
		if strings.Contains(l.Text(), text) {
			return
		}
	}
	l.t.Fatalf("the stream ended before %s: %v", text, l.Err())
}

// End reads to the end.
func (l *Lines) End() {
	l.t.Helper()
	for l.Scan() {
		if line := l.Text(); line != "" {
			l.t.Fatal("unexpected line", line)
		}
	}
}
