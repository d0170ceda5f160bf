package mcpcluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A request to another replica, and the first part of its answer, is a head followed by the body. A head is the version of its form, strings and
// numbers: a number is a uvarint, a string is its length and its bytes, and an http.Header is the number of its values, each a name and a value.

// headVersion is the first byte of heads. A replica that finds another one does not serve the request.
const headVersion = 1

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendHeader(b []byte, h http.Header) []byte {
	n := 0
	for _, values := range h {
		n += len(values)
	}
	b = binary.AppendUvarint(b, uint64(n))
	for name, values := range h {
		for _, value := range values {
			b = appendText(appendText(b, name), value)
		}
	}
	return b
}

// head reads a head.
type head struct {
	rest  []byte
	wrong bool
}

func newHead(text []byte) *head {
	if len(text) == 0 || text[0] != headVersion {
		return &head{wrong: true}
	}
	return &head{rest: text[1:]}
}

func (h *head) number() int {
	n, size := binary.Uvarint(h.rest)
	if size <= 0 || n > uint64(len(h.rest)) && n > http.StatusNetworkAuthenticationRequired {
		h.rest, h.wrong = nil, true
		return 0
	}
	h.rest = h.rest[size:]
	return int(n)
}

func (h *head) text() string {
	n := h.number()
	if n > len(h.rest) {
		h.rest, h.wrong = nil, true
		return ""
	}
	s := string(h.rest[:n])
	h.rest = h.rest[n:]
	return s
}

func (h *head) header() http.Header {
	all := make(http.Header)
	for range h.number() {
		name, value := h.text(), h.text()
		if h.wrong {
			break
		}
		all[name] = append(all[name], value)
	}
	return all
}

// encodeRequest returns the text of a request.
func encodeRequest(r *http.Request, body []byte) []byte {
	b := make([]byte, 0, 1<<10+len(body))
	b = append(b, headVersion)
	for _, s := range [...]string{r.Method, r.URL.RequestURI(), r.Host, r.RemoteAddr} {
		b = appendText(b, s)
	}
	return append(appendHeader(b, r.Header), body...)
}

// decodeRequest reads the text of a request.
func decodeRequest(ctx context.Context, text []byte) (*http.Request, error) {
	h := newHead(text)
	method, uri, host, remote, header := h.text(), h.text(), h.text(), h.text(), h.header()
	if h.wrong {
		return nil, errors.New("mcpcluster: a request of another replica is not valid")
	}
	u, err := url.ParseRequestURI(uri)
	if err != nil {
		return nil, err
	}
	r := &http.Request{
		Method: method, URL: u, RequestURI: uri, Host: host, RemoteAddr: remote, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(h.rest)), ContentLength: int64(len(h.rest)),
	}
	return r.WithContext(context.WithValue(ctx, forwardedKey{}, true)), nil
}

type forwardedKey struct{}

// isForwarded reports whether a request comes from another replica.
func isForwarded(ctx context.Context) bool { return ctx.Value(forwardedKey{}) != nil }

// forwardedWriter writes the answer to a request of another replica: a part for each flush.
type forwardedWriter struct {
	send   func(part []byte, last bool) error
	header http.Header
	begun  bool // the line is in buf, or was sent
	buf    []byte
}

// Header implements [http.ResponseWriter].
func (w *forwardedWriter) Header() http.Header { return w.header }

// WriteHeader implements [http.ResponseWriter].
func (w *forwardedWriter) WriteHeader(status int) {
	if !w.begun {
		w.begun = true
		w.buf = appendHeader(binary.AppendUvarint([]byte{headVersion}, uint64(status)), w.header)
	}
}

// Write implements [http.ResponseWriter].
func (w *forwardedWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.buf = append(w.buf, p...)
	return len(p), nil
}

// FlushError implements [http.Flusher] for [http.ResponseController]. Answers that are written as a whole are sent by finish.
func (w *forwardedWriter) FlushError() error {
	w.WriteHeader(http.StatusOK)
	if w.header.Get("Content-Length") != "" || len(w.buf) == 0 {
		return nil
	}
	part := w.buf
	w.buf = nil
	return w.send(part, false)
}

// SetReadDeadline is for [http.ResponseController], as SetWriteDeadline is. The replica that asked has the deadlines of the client.
func (*forwardedWriter) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline has no effect.
func (*forwardedWriter) SetWriteDeadline(time.Time) error { return nil }

// finish sends the last part. A request that was not answered was not served.
func (w *forwardedWriter) finish() error {
	if !w.begun {
		w.buf = appendHeader([]byte{headVersion, 0}, nil)
	}
	return w.send(w.buf, true)
}

// forwarder writes the answer of another replica to the client.
type forwarder struct {
	w       http.ResponseWriter
	timeout time.Duration // for the client to read what is written
	begun   bool
	stream  bool // the answer is a stream of events
	within  bool // an event has begun and is not written to its end
}

// errNotServed means that a replica has not served a request, because it is not the home of the session or shuts down.
var errNotServed = errors.New("mcpcluster: the replica does not serve the session")

// part writes a part of the answer.
func (f *forwarder) part(part []byte) error {
	if !f.begun {
		h := newHead(part)
		status, header := h.number(), h.header()
		switch {
		case h.wrong || status != 0 && status < http.StatusOK || status > 599:
			return errors.New("mcpcluster: an answer of another replica is not valid")
		case status == 0:
			return errNotServed
		}
		f.begun = true
		maps.Copy(f.w.Header(), header)
		f.stream = strings.HasPrefix(f.w.Header().Get("Content-Type"), "text/event-stream")
		f.w.WriteHeader(status)
		part = h.rest
	}
	return f.write(part)
}

// write writes a part of the body.
func (f *forwarder) write(part []byte) error {
	control := http.NewResponseController(f.w)
	control.SetWriteDeadline(time.Now().Add(f.timeout)) // a writer without support has deadlines of its own
	f.within = len(part) > 0 && !bytes.HasSuffix(part, []byte("\n\n"))
	if _, err := f.w.Write(part); err != nil && !errors.Is(err, http.ErrBodyNotAllowed) {
		return err
	}
	return control.Flush()
}

// end removes the deadline, which would otherwise apply to the next request of the connection.
func (f *forwarder) end() { http.NewResponseController(f.w).SetWriteDeadline(time.Time{}) }
