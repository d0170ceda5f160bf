package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// ErrBodyTooLarge says that a body is over the limit.
var ErrBodyTooLarge = errors.New("the body is over the size limit")

// BodyTime is how long the body of a request may take, unless an option says otherwise.
const BodyTime = 30 * time.Second

// AwaitBody gives the body of a request that long to come, also if no handler reads it: net/http reads what is left of it before it writes the answer, and
// would wait for ever, with a goroutine and a descriptor. [ReadBody] takes the limit away when the body has come.
func AwaitBody(w http.ResponseWriter, r *http.Request, timeout time.Duration) {
	if r.ContentLength != 0 {
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(timeout)) // a writer without support has deadlines of its own
	}
}

// HangUp ends the connection of a request after its answer. Over HTTP/2 other requests share it, and the end of the stream suffices.
func HangUp(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor < 2 {
		w.Header().Set("Connection", "close")
	}
}

// ReadBody reads the body of a request of at most that many bytes, for which [AwaitBody] has set the time, in memory that is not used again: what is decoded
// from it shares it. The memory counts for the share; if there is no room for it, the error is a [*FullError].
func ReadBody(w http.ResponseWriter, r *http.Request, most int, share *Share) ([]byte, error) {
	body, err := readAtMost(r.Body, r.ContentLength, most, share.hold)
	if err == nil {
		http.NewResponseController(w).SetReadDeadline(time.Time{}) // or the connection would be given up during a long call
	}
	return withoutMark(body), err
}

// withoutMark returns a text without the byte order mark of UTF-8 at its beginning, which RFC 8259
// section 8.1 allows to ignore.
func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// Expand reads what the body of a request was compressed from, see [ReadBody]. The body is not needed any more.
func Expand(expanded io.Reader, most int, share *Share) ([]byte, error) {
	compressed := share.held
	text, err := readAtMost(expanded, -1, most, func(n int) error { return share.hold(compressed + n) })
	if err == nil {
		err = share.hold(cap(text))
	}
	return withoutMark(text), err
}

// ReadResponse reads the body of a response of at most that many bytes. If it is larger, the error is a [*frame.TooLargeError].
func ReadResponse(r *http.Response, most int) ([]byte, error) {
	body, err := ReadAtMost(r.Body, r.ContentLength, most)
	if err == ErrBodyTooLarge {
		err = &frame.TooLargeError{Size: max(r.ContentLength, int64(most)+1), Max: most}
	}
	return withoutMark(body), err
}

// ReadAtMost reads to the end. A negative size is unknown. Memory for a large body is taken as it comes: what a client says that
// it is going to send costs nothing.
func ReadAtMost(r io.Reader, size int64, most int) ([]byte, error) {
	return readAtMost(r, size, most, func(int) error { return nil })
}

// readAtMost is ReadAtMost. It calls hold before it takes memory, with the size of all that it has then.
func readAtMost(r io.Reader, size int64, most int, hold func(n int) error) ([]byte, error) {
	const first, small = 512, 64 << 10
	switch {
	case size > int64(most):
		return nil, ErrBodyTooLarge
	case size >= 0 && size <= small:
		if err := hold(int(size)); err != nil {
			return nil, err
		}
		body := make([]byte, size)
		_, err := io.ReadFull(r, body)
		return body, err
	}
	body := make([]byte, 0, first)
	for {
		if len(body) == cap(body) {
			if len(body) > most {
				return nil, ErrBodyTooLarge
			}
			next := min(2*cap(body), most+1) // one more, which shows that a body is too large
			if size > 0 && next > int(size)/2 && cap(body) >= small {
				next = int(size) + 1
			}
			if err := hold(len(body) + next); err != nil { // both are there while the bytes are copied
				return nil, err
			}
			grown := make([]byte, len(body), next)
			copy(grown, body)
			body = grown
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case len(body) > most:
			return nil, ErrBodyTooLarge
		case err == io.EOF:
			return body, hold(cap(body))
		case err != nil:
			return nil, err
		}
	}
}
