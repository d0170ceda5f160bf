package mcphttp

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
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// site is a server under test.
type site struct {
	t *testing.T
	*workshop
	handler *Handler
	http    *httptest.Server
	client  *http.Client
}

func newSite(t *testing.T, w *workshop, o Options) *site {
	t.Helper()
	o.Runtime.Logger = quiet
	h := NewHandler(w.server, o)
	served := http.Handler(h)
	if handlers > 1 {
		served, h = replicated(t, w, o)
	}
	s := &site{t: t, workshop: w, handler: h, http: httptest.NewUnstartedServer(served), client: &http.Client{Transport: &http.Transport{}}}
	s.http.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		c.(*net.TCPConn).SetWriteBuffer(8 << 10) // so that what a client does not read is noticed after kilobytes, not megabytes
		return ctx
	}
	s.http.Start()
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		h.Close()
		s.http.CloseClientConnections()
		s.http.Close()
		w.server.Close()
	})
	return s
}

// answer is an HTTP response that was read.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request with headers, each as "Name: value".
func (s *site) send(method, body string, headers ...string) answer {
	s.t.Helper()
	resp := s.open(context.Background(), method, body, headers...)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// open sends a request, and leaves the response to be read.
func (s *site) open(ctx context.Context, method, body string, headers ...string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, s.http.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
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
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp
}

const statelessMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`

// call is the text of a tools/call.
func statelessCall(id int, tool, more string) string {
	return `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"tools/call","params":{"name":"` + tool + `",` + statelessMeta + more + `}}}`
}

// stateless returns the headers of a stateless request.
func statelessHeaders(method, name string, more ...string) []string {
	return append([]string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method, "Mcp-Name: " + name}, more...)
}

// callStateless calls a tool.
func (s *site) callStateless(tool string, more ...string) answer {
	s.t.Helper()
	return s.send("POST", statelessCall(1, tool, ""), statelessHeaders("tools/call", tool, more...)...)
}

// begin opens a session, and returns the headers of its requests.
func (s *site) begin(revision string, more ...string) []string {
	s.t.Helper()
	a := s.send("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+
		`","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`, more...)
	id := a.header.Get("Mcp-Session-Id")
	if a.status != 200 || id == "" {
		s.t.Fatal("initialize", a)
	}
	headers := append([]string{"Mcp-Session-Id: " + id, "MCP-Protocol-Version: " + revision}, more...)
	if a := s.send("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, headers...); a.status != 202 || a.body != "" {
		s.t.Fatal("initialized", a)
	}
	return headers
}

func sessionCallOf(id, tool, meta string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"` + meta + `}}`
}

// lines reads a stream line by line.
type lines struct {
	t *testing.T
	*bufio.Scanner
}

func linesOf(t *testing.T, r io.Reader) *lines {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	return &lines{t, s}
}

// want reads the next line that is not empty, which has to begin with prefix, and returns what follows.
func (l *lines) want(prefix string) string {
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

// find reads up to a line with text in it.
func (l *lines) find(text string) {
	l.t.Helper()
	for l.Scan() {
		if strings.Contains(l.Text(), text) {
			return
		}
	}
	l.t.Fatalf("the stream ended before %s: %v", text, l.Err())
}

// end reads to the end.
func (l *lines) end() {
	l.t.Helper()
	for l.Scan() {
		if line := l.Text(); line != "" {
			l.t.Fatal("unexpected line", line)
		}
	}
}

// eventually waits until what is asked is so.
func eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	for range 1000 {
		if so() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("never: ", what)
}
