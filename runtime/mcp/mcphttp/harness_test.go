package mcphttp

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/workshop"
)

func TestMain(m *testing.M) { leak.Main(m) }

// The rig of these tests is package workshop. What follows gives its parts the names that the tests of this package use.
var (
	quiet            = workshop.Quiet
	statelessCall    = workshop.StatelessCall
	statelessHeaders = workshop.StatelessHeaders
	sessionCallOf    = workshop.SessionCall
)

const statelessMeta = workshop.StatelessMeta

func newWorkshop(revisions ...string) *workshop.Workshop {
	w := workshop.New(revisions...)
	w.Claims = func(ctx context.Context) string {
		claims, _ := ClaimsFrom(ctx).(string)
		return claims
	}
	return w
}

// site is a server under test.
type site struct {
	*workshop.Site
	t       *testing.T
	handler *Handler
}

func newSite(t *testing.T, w *workshop.Workshop, o Options) *site {
	t.Helper()
	o.Runtime.Logger = quiet
	h := NewHandler(w.Server, o)
	served := http.Handler(h)
	if handlers > 1 {
		served, h = replicated(t, w, o)
	}
	return &site{workshop.Serve(t, w, served, h.Close), t, h}
}

// Pipes connects clients to a server in memory, so that a test with limits of time can run in a bubble of synctest, where only what is waited for takes
// time. It is the listener of the server.
type Pipes struct {
	dials  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func NewPipes() *Pipes { return &Pipes{dials: make(chan net.Conn), closed: make(chan struct{})} }

// Dial connects a client. Its arguments are those of a dialer of net/http.
func (p *Pipes) Dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.dials <- far:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Client returns an HTTP client whose connections are closed at the end of the test.
func (p *Pipes) Client(t *testing.T) *http.Client {
	transport := &http.Transport{DialContext: p.Dial}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Accept implements [net.Listener].
func (p *Pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dials:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (p *Pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr implements [net.Listener].
func (*Pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// newSiteInMemory is newSite for a bubble of synctest. Nobody buffers what the server writes, so a stream that stays open has to be read.
func newSiteInMemory(t *testing.T, w *workshop.Workshop, o Options) *site {
	t.Helper()
	o.Runtime.Logger = quiet
	h, p := NewHandler(w.Server, o), NewPipes()
	server := httptest.NewUnstartedServer(h)
	server.Listener.Close()
	server.Listener = p
	server.Start()
	t.Cleanup(func() {
		h.Close()
		server.CloseClientConnections()
		server.Close()
		w.Server.Close()
	})
	return &site{&workshop.Site{T: t, Workshop: w, HTTP: server, Client: p.Client(t)}, t, h}
}

// answer is an HTTP response that was read.
type answer struct {
	status int
	header http.Header
	body   string
}

func read(a workshop.Answer) answer { return answer{a.Status, a.Header, a.Body} }

func (s *site) send(method, body string, headers ...string) answer {
	s.t.Helper()
	return read(s.Send(method, body, headers...))
}

func (s *site) open(ctx context.Context, method, body string, headers ...string) *http.Response {
	s.t.Helper()
	return s.Open(ctx, method, body, headers...)
}

func (s *site) callStateless(tool string, more ...string) answer {
	s.t.Helper()
	return read(s.CallStateless(tool, more...))
}

func (s *site) begin(revision string, more ...string) []string {
	s.t.Helper()
	return s.Begin(revision, more...)
}

// lines reads a stream line by line.
type lines struct {
	*workshop.Lines
	t *testing.T
}

func linesOf(t *testing.T, r io.Reader) *lines { return &lines{workshop.LinesOf(t, r), t} }

func (l *lines) want(prefix string) string {
	l.t.Helper()
	return l.Want(prefix)
}

func (l *lines) find(text string) {
	l.t.Helper()
	l.Find(text)
}

func (l *lines) end() {
	l.t.Helper()
	l.End()
}
