package mcphttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"
)

// errBodyTooLarge says that a body is over the limit.
var errBodyTooLarge = errors.New("the body is over the size limit")

// readBody reads the message of a request, in memory that is not used again: what is decoded from it shares it.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > int64(h.o.MaxBody) {
		return nil, errBodyTooLarge
	}
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(h.o.BodyTimeout)) // who cannot, has deadlines of its own
	body, err := readAtMost(r.Body, r.ContentLength, h.o.MaxBody)
	if err == nil {
		control.SetReadDeadline(time.Time{}) // or the connection would be given up during a long call
	}
	return body, err
}

// readAtMost reads to the end. A negative size is unknown. Memory for a large body is taken as it comes: what a client says that
// it is going to send costs nothing.
func readAtMost(r io.Reader, size int64, most int) ([]byte, error) {
	const small = 64 << 10
	if size >= 0 && size <= small {
		body := make([]byte, size)
		_, err := io.ReadFull(r, body)
		return body, err
	}
	var b bytes.Buffer
	n, err := b.ReadFrom(io.LimitReader(r, int64(most)+1))
	if n > int64(most) {
		return nil, errBodyTooLarge
	}
	return b.Bytes(), err
}
