package explorer

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/x/message"
)

// session is one open page: what it sends goes to page, and comes out of server.
type session struct {
	id           string
	server, page *pipe.Conn
	sending      sync.Mutex
}

// lines writes JSON texts, each on a line of its own.
type lines struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	flush func() error
	last  time.Time
}

func newLines(w http.ResponseWriter) *lines {
	return &lines{w: w, flush: http.NewResponseController(w).Flush, last: time.Now()}
}

// write writes a value.
func (l *lines) write(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return l.text(text)
}

// text writes a JSON text. Line breaks in it can only be white space (RFC 8259, section 2).
func (l *lines) text(text []byte) error {
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = time.Now()
	if _, err := l.w.Write(append(text, '\n')); err != nil {
		return err
	}
	return l.flush()
}

// keep writes an empty line whenever there was none for a while.
func (l *lines) keep(ctx context.Context, quiet time.Duration) {
	tick := time.NewTicker(quiet / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		l.mu.Lock()
		if ctx.Err() == nil && time.Since(l.last) >= quiet {
			l.last = time.Now()
			l.w.Write([]byte{'\n'})
			l.flush()
		}
		l.mu.Unlock()
	}
}

// copyTo writes what the server sends, until the connection ends.
func (s *session) copyTo(l *lines) {
	for {
		text, err := s.page.ReadFrame()
		if err != nil || l.text(text) != nil {
			return
		}
	}
}

// reader reads the messages of pages.
var reader = message.Parser{Protocol: runtime.Plain}

// listing are the methods of a page that may only read lists.
var listing = []string{"initialize", "notifications/initialized", "notifications/cancelled", "ping", "server/discover", "tools/list", "resources/list",
	"resources/templates/list", "prompts/list", "rpc.discover"}

// send passes on a message or a batch of a page.
func (h *Handler) send(w http.ResponseWriter, r *http.Request) {
	s := h.page(r.Header.Get("Explorer-Page"))
	if s == nil {
		http.Error(w, "the connection of this page has ended: connect again", http.StatusGone)
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		http.Error(w, "the message is too large, or was cut off", http.StatusRequestEntityTooLarge)
		return
	}
	if h.readOnly(r) && !lists(text) {
		http.Error(w, "this address is not of this machine alone, and without Options.Authorize only lists can be read over it", http.StatusForbidden)
		return
	}
	s.sending.Lock()
	err = s.page.WriteFrame(text)
	s.sending.Unlock()
	if err != nil {
		http.Error(w, "the server does not take the message: "+err.Error(), http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// lists reports whether a text only asks for lists.
func lists(text []byte) bool {
	all, err := reader.ParseBatch(text)
	return err == nil && !slices.ContainsFunc(all, func(m message.Message) bool { return !slices.Contains(listing, m.Method) })
}
