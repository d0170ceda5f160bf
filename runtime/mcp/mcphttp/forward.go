package mcphttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A request to another replica, and the first part of its answer, is a line of JSON followed by the body.

// forwardedRequest is the line of a request.
type forwardedRequest struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Host   string      `json:"host"`
	Remote string      `json:"remote"`
	Header http.Header `json:"header"`
}

// forwardedAnswer is the line of an answer. Without a status the request was not served.
type forwardedAnswer struct {
	Status int         `json:"status,omitempty"`
	Header http.Header `json:"header,omitempty"`
}

// withLine returns a line of JSON followed by a body.
func withLine(line any, body []byte) []byte {
	text, _ := json.Marshal(line) // which is text and numbers
	return append(append(text, '\n'), body...)
}

// encodeRequest returns the text of a request.
func encodeRequest(r *http.Request, body []byte) []byte {
	return withLine(&forwardedRequest{r.Method, r.URL.RequestURI(), r.Host, r.RemoteAddr, r.Header}, body)
}

// decodeRequest reads the text of a request.
func decodeRequest(ctx context.Context, text []byte) (*http.Request, error) {
	line, body, found := bytes.Cut(text, []byte("\n"))
	var f forwardedRequest
	if err := json.Unmarshal(line, &f); err != nil || !found {
		return nil, errors.New("mcphttp: a request of another replica is not valid")
	}
	u, err := url.ParseRequestURI(f.URL)
	if err != nil {
		return nil, err
	}
	if f.Header == nil {
		f.Header = http.Header{}
	}
	r := &http.Request{
		Method: f.Method, URL: u, RequestURI: f.URL, Host: f.Host, RemoteAddr: f.Remote, Header: f.Header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
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
		w.buf = withLine(&forwardedAnswer{status, w.header}, nil)
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

// finish sends the last part. A request that was not answered was not served.
func (w *forwardedWriter) finish() error {
	if !w.begun {
		w.buf = withLine(&forwardedAnswer{}, nil)
	}
	return w.send(w.buf, true)
}

// forwarder writes the answer of another replica to the client.
type forwarder struct {
	w       http.ResponseWriter
	timeout time.Duration // for the client to read what is written
	begun   bool
	stream  bool // the answer is a stream of events
}

// errNotServed means that a replica has not served a request, because it is not the home of the session or shuts down.
var errNotServed = errors.New("mcphttp: the replica does not serve the session")

// part writes a part of the answer.
func (f *forwarder) part(part []byte) error {
	if !f.begun {
		line, body, _ := bytes.Cut(part, []byte("\n"))
		var a forwardedAnswer
		if err := json.Unmarshal(line, &a); err != nil {
			return err
		}
		if a.Status == 0 {
			return errNotServed
		}
		f.begun = true
		maps.Copy(f.w.Header(), a.Header)
		f.stream = strings.HasPrefix(f.w.Header().Get("Content-Type"), typeStream)
		f.w.WriteHeader(a.Status)
		part = body
	}
	control := http.NewResponseController(f.w)
	control.SetWriteDeadline(time.Now().Add(f.timeout)) // a writer without support has deadlines of its own
	if _, err := f.w.Write(part); err != nil && !errors.Is(err, http.ErrBodyNotAllowed) {
		return err
	}
	return control.Flush()
}

// end removes the deadline, see [eventStream.end].
func (f *forwarder) end() { http.NewResponseController(f.w).SetWriteDeadline(time.Time{}) }
