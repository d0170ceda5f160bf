package mcphttp

import (
	"context"
	"io"
	"net/http"
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
