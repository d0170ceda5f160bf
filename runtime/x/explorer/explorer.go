// Package explorer is a page on which people read what a service offers and call it: JSON-RPC services and MCP servers. It is served by the
// service itself, from files of this package, and asks no other site for anything:
//
//	page := explorer.NewHandler(server, explorer.Options{})
//	http.Handle("/explorer/", http.StripPrefix("/explorer", page))
//	log.Print(page.URL("http://localhost:4000/explorer/"))
//
// Every request of the page for the service has a token, which is new for each handler and part of the URL that [Handler.URL] returns. Requests
// for other hosts and from pages of other origins are refused. Over an address that is not of this machine alone, the page can only read lists,
// unless Options.Authorize says who may call.
//
// Nothing of this package is promised yet.
package explorer

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// Options say what the page shows and who may use it. The zero value is for a server on loopback.
type Options struct {
	// Name is the title of the page. Empty means the name that an MCP server gives itself.
	Name string

	// Document describes the service: an OpenRPC document, such as "rpcgen export --format openrpc" writes, or the result of tools/list. Empty
	// means that the server is asked: MCP servers for their lists, others by rpc.discover.
	Document []byte

	// Command and URL are how others start or reach the server, for the lines that the page offers to copy. Command is the command of a
	// server on standard input and output, and URL the address of one over HTTP. Both may be empty.
	Command []string
	URL     string

	// Token is the token of the page. Empty means a new random one.
	Token string

	// Authorize reports by an error that a request may not call the service. It is asked in addition to the token, and allows calls over
	// addresses that are not of this machine alone. Nil means that such requests can only read lists.
	Authorize func(r *http.Request) error

	// AllowedHosts are further names that the Host header may have. Names of this machine are allowed on loopback.
	AllowedHosts []string

	// Runtime holds the limits of messages and calls.
	Runtime runtime.Options

	// MaxPages limits the pages that are connected at the same time. Zero means 16.
	MaxPages int
}

// maxMessage is the size limit of one message, in bytes.
const maxMessage = 64 << 20

// connector serves the messages of one page until conn or ctx ends.
type connector func(ctx context.Context, conn frame.Conn) error

// Handler is the page, an [http.Handler]. It is safe for concurrent use.
type Handler struct {
	options Options
	connect connector // nil if there is only a document
	guard   *Guard
	token   string
	log     *slog.Logger

	mu    sync.Mutex
	pages map[string]*session
	ends  map[*http.Server]context.Context // see shutdown
}

// NewHandler returns a page for a service of this program: a generated handler, or an MCP server. A nil handler shows Options.Document alone.
func NewHandler(h runtime.Handler, o Options) *Handler {
	if h == nil {
		return newHandler(nil, o)
	}
	return newHandler(func(ctx context.Context, conn frame.Conn) error { return runtime.Serve(ctx, conn, h, o.Runtime) }, o)
}

// NewRelay returns a page for a server that dial connects to, once for each page that is opened. Packages stdio and mcphttp make such functions.
func NewRelay(dial func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error), o Options) *Handler {
	return newHandler(func(ctx context.Context, conn frame.Conn) error { return relay(ctx, conn, dial) }, o)
}

func newHandler(connect connector, o Options) *Handler {
	h := &Handler{options: o, connect: connect, guard: NewGuard(o.AllowedHosts...), token: cmp.Or(o.Token, rand.Text()),
		log: cmp.Or(o.Runtime.Logger, slog.Default()), pages: map[string]*session{}, ends: map[*http.Server]context.Context{}}
	h.options.MaxPages = cmp.Or(h.options.MaxPages, 16)
	return h
}

// URL returns the address of the page with its token, for a person to open. The argument is where the handler is mounted. The token is in the
// fragment, which browsers send to nobody.
func (h *Handler) URL(mounted string) string { return mounted + "#token=" + h.token }

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.AwaitBody(w, r, web.BodyTime)
	h.guard.Wrap(http.HandlerFunc(h.serve)).ServeHTTP(w, r)
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/api/about", "/api/stream", "/api/send":
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+h.token)) != 1 {
			http.Error(w, "the token is missing or that of an earlier start: open the address that was printed at the start", http.StatusUnauthorized)
			return
		}
		if h.options.Authorize != nil {
			if err := h.options.Authorize(r); err != nil {
				http.Error(w, "you may not use this service", http.StatusForbidden)
				return
			}
		}
	default:
		http.FileServerFS(pageFiles).ServeHTTP(w, r)
		return
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /api/about":
		h.about(w, r)
	case "GET /api/stream":
		h.stream(w, r)
	case "POST /api/send":
		h.send(w, r)
	default:
		http.Error(w, "the method is not allowed", http.StatusMethodNotAllowed)
	}
}

// readOnly reports whether a request may only read lists.
func (h *Handler) readOnly(r *http.Request) bool {
	if h.options.Authorize != nil {
		return false
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	tcp, ok := local.(*net.TCPAddr)
	return !ok || !tcp.IP.IsLoopback()
}

// about is what the page knows before it has asked the server.
type about struct {
	Name      string          `json:"name,omitempty"`
	Document  json.RawMessage `json:"document,omitempty"`
	Command   []string        `json:"command,omitempty"`
	URL       string          `json:"url,omitempty"`
	Connected bool            `json:"connected"`
	ReadOnly  bool            `json:"readOnly"`
}

func (h *Handler) about(w http.ResponseWriter, r *http.Request) {
	a := about{h.options.Name, h.options.Document, h.options.Command, h.options.URL, h.connect != nil, h.readOnly(r)}
	text, err := json.Marshal(a)
	if err != nil {
		http.Error(w, "the document is not valid JSON: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(text)
}

// open adds a page. It is nil if there are too many.
func (h *Handler) open() *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.pages) >= h.options.MaxPages {
		return nil
	}
	s := &session{id: rand.Text()}
	s.server, s.page = pipe.New(maxMessage)
	h.pages[s.id] = s
	return s
}

func (h *Handler) page(id string) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pages[id]
}

func (h *Handler) close(s *session) {
	h.mu.Lock()
	delete(h.pages, s.id)
	h.mu.Unlock()
	s.page.Close()
}

// shutdown returns a context that ends when the server of a request begins to shut down: [http.Server.Shutdown] waits for requests, and a stream has
// no end of its own.
func (h *Handler) shutdown(r *http.Request) context.Context {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !ok {
		return context.Background()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	ctx := h.ends[server]
	if ctx == nil {
		ending, end := context.WithCancel(context.Background())
		server.RegisterOnShutdown(end)
		h.ends[server], ctx = ending, ending
	}
	return ctx
}

// quietTime is after how long without a message a stream gets an empty line, by which a connection that died is found.
const quietTime = 20 * time.Second

// stream connects a page: the answer has an event for each message of the server. The first event is "page", with the id of the page, and the last is
// "ended", which says why the connection has ended; messages are events without a name.
func (h *Handler) stream(w http.ResponseWriter, r *http.Request) {
	if h.connect == nil {
		http.Error(w, "there is no server, only its description", http.StatusNotFound)
		return
	}
	s := h.open()
	if s == nil {
		http.Error(w, fmt.Sprintf("%d pages are open already; close one", h.options.MaxPages), http.StatusServiceUnavailable)
		return
	}
	defer h.close(s)
	// without it, only who has the token calls, on this machine
	ctx, stop := context.WithCancel(context.WithValue(r.Context(), contextkey.Remote{}, h.options.Authorize != nil))
	defer stop()
	down := h.shutdown(r)
	defer context.AfterFunc(down, stop)()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	defer context.AfterFunc(ctx, func() { // the person has closed the page
		s.page.Close()
		s.server.Close()
	})()
	ended := make(chan error, 1)
	go func() {
		ended <- h.connect(ctx, s.server)
		s.server.Close()
	}()
	lines := &lines{w: w, flush: http.NewResponseController(w).Flush, last: time.Now()}
	if lines.write("page", s.id) != nil {
		stop()
	}
	go lines.keep(ctx, quietTime)
	s.copyTo(lines)
	stop()
	s.page.Close()
	reason := "the server has closed the connection"
	if err := <-ended; down.Err() != nil {
		reason = "the service is shutting down"
	} else if err != nil && r.Context().Err() == nil {
		h.log.Warn("explorer: the connection of a page has ended", "error", err)
		reason += ": " + err.Error()
	}
	lines.write("ended", reason)
}
