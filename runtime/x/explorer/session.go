package explorer

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
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

// lines writes events, each of which has one line of data.
type lines struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	flush func() error
	last  time.Time
}

// write writes an event. Line breaks in JSON can only be white space (RFC 8259, section 2), and in other texts they are for people.
func (l *lines) write(name, text string) error {
	if name != "" {
		name = "event: " + name + "\n"
	}
	text = name + "data: " + noBreaks.Replace(text) + "\n\n"
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = time.Now()
	if _, err := io.WriteString(l.w, text); err != nil {
		return err
	}
	return l.flush()
}

var noBreaks = strings.NewReplacer("\n", " ", "\r", " ")

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
		if err != nil || l.write("", string(text)) != nil {
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
