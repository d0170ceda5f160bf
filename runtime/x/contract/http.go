package contract

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

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
		p.refused(resp, message)
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode/100 == 3: // a redirect that is not followed
		p.refused(resp, message)
	case len(bytes.TrimSpace(body)) > 0:
		if kind := resp.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") && resp.StatusCode == http.StatusOK {
			p.mu.Lock()
			p.other = strconv.Quote(kind)
			p.mu.Unlock()
		}
		p.take(bytes.TrimSpace(body))
	}
}

// refused answers a request that was answered by a status only.
func (p *posts) refused(resp *http.Response, message []byte) {
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
