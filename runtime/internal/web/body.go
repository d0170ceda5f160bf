package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"
)

// ErrBodyTooLarge says that a body is over the limit.
var ErrBodyTooLarge = errors.New("the body is over the size limit")

// ReadBody reads the body of a request of at most that many bytes within the timeout, in memory that is not used again: what is decoded
// from it shares it.
func ReadBody(w http.ResponseWriter, r *http.Request, most int, timeout time.Duration) ([]byte, error) {
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(timeout)) // a writer without support has deadlines of its own
	body, err := ReadAtMost(r.Body, r.ContentLength, most)
	if err == nil {
		control.SetReadDeadline(time.Time{}) // or the connection would be given up during a long call
	}
	return body, err
}

// ReadAtMost reads to the end. A negative size is unknown. Memory for a large body is taken as it comes: what a client says that
// it is going to send costs nothing.
func ReadAtMost(r io.Reader, size int64, most int) ([]byte, error) {
	const small = 64 << 10
	switch {
	case size > int64(most):
		return nil, ErrBodyTooLarge
	case size >= 0 && size <= small:
		body := make([]byte, size)
		_, err := io.ReadFull(r, body)
		return body, err
	}
	var b bytes.Buffer
	n, err := b.ReadFrom(io.LimitReader(r, int64(most)+1))
	if n > int64(most) {
		return nil, ErrBodyTooLarge
	}
	return b.Bytes(), err
}
