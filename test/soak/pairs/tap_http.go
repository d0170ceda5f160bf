package pairs

import (
	"bytes"
	"io"
	"net/http"
)

// tapped is a tap of the messages of a client over HTTP, which are bodies, or events of streams.
type tapped struct {
	http.RoundTripper
	tap *tap
}

// tapHTTP returns a client over the connections of pool, for one connection of JSON-RPC.
func (r *run) tapHTTP(name string, pool http.RoundTripper) *http.Client {
	return &http.Client{Transport: &tapped{pool, r.newTap(name)}}
}

// RoundTrip implements [http.RoundTripper].
func (t *tapped) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.GetBody != nil {
		body, err := q.GetBody()
		if err != nil {
			return nil, err
		}
		message, err := io.ReadAll(body)
		if err != nil {
			return nil, err
		}
		t.tap.see(true, message)
	}
	answer, err := t.RoundTripper.RoundTrip(q)
	if err == nil {
		answer.Body = &tappedBody{ReadCloser: answer.Body, tap: t.tap}
	}
	return answer, err
}

// tappedBody looks at the lines of a body: a message is one line, after data: in a stream.
type tappedBody struct {
	io.ReadCloser
	tap  *tap
	rest []byte // of a line whose end has not come yet
}

// Read implements [io.Reader].
func (b *tappedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.rest = append(b.rest, p[:n]...)
	for {
		line, rest, whole := bytes.Cut(b.rest, []byte("\n"))
		if !whole {
			break
		}
		b.line(line)
		b.rest = rest
	}
	if err == io.EOF {
		b.line(b.rest)
		b.rest = nil
	}
	return n, err
}

func (b *tappedBody) line(line []byte) {
	if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("data:"))); len(line) > 0 && (line[0] == '{' || line[0] == '[') {
		b.tap.see(false, line)
	}
}
