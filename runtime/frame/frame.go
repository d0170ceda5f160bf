// Package frame splits a stream of bytes into messages and writes messages to a stream. It does not look into messages.
//
// There are two framings: [Lines], one message per line, as in MCP over stdio, and [Headers], messages that follow a header with their length, as in
// the Language Server Protocol. A message over the size limit is skipped and reported as a [*TooLargeError], and the next one can be read, unless it
// is larger than four times the limit and than 64 MiB: then the stream ends with an error. The same is true for an invalid header, which is a
// [*HeaderError].
//
//test:sequential
package frame

import (
	"errors"
	"io"
	"strconv"
)

// DefaultMax is the default size limit of one frame: 10 MiB.
const DefaultMax = 10 << 20

// Conn carries frames in both directions.
type Conn interface {
	// ReadFrame returns the next frame. The caller owns the returned bytes. It is called by one goroutine at a time.
	//
	// Errors are matched with [errors.Is] and [errors.As], so they may be wrapped. After io.EOF the peer sends no more but still reads; after
	// [ErrHangup] it is probably gone. A [*TooLargeError] or [*HeaderError] means that one frame was skipped and the next call continues after it.
	// [ErrInterrupted] is that of an [Interrupter]. Any other error, such as [ErrClosed], is the end of the connection in both directions.
	ReadFrame() ([]byte, error)

	// WriteFrame writes one complete frame. It does not keep the frame, but may write to its spare capacity. It is called by one goroutine at a time,
	// concurrently with ReadFrame. After a [*TooLargeError] or [ErrNewline] nothing was written, and the connection remains usable.
	WriteFrame(frame []byte) error

	// Close closes both directions: calls that block return [ErrClosed] or another error. It may be called at any time and more than once.
	Close() error
}

// Interrupter is a [Conn] whose ReadFrame can be made to return [ErrInterrupted]. No data is lost by that. If no ReadFrame is running, the next one
// may return it. A stream under a [Reader] may return [ErrInterrupted] with no bytes between two frames; the Reader then frees its buffer.
type Interrupter interface{ Interrupt() }

// Reader reads frames, see [Conn].
type Reader interface{ ReadFrame() ([]byte, error) }

// Writer writes frames, see [Conn].
type Writer interface{ WriteFrame(frame []byte) error }

// Gatherer is a [Conn] or [Writer] that can write several frames at once. A session uses it when many calls are in flight: one write to the stream
// takes about as long as two small frames take to be handled.
type Gatherer interface {
	// AppendFrame appends a frame to dst in the form in which WriteFrame writes it. It does not keep the frame. After a [*TooLargeError] or
	// [ErrNewline] it returns dst as it was. It may be called concurrently with all other methods.
	AppendFrame(dst, frame []byte) ([]byte, error)

	// WriteFrames writes what AppendFrame has appended with one write. It is called as WriteFrame is.
	WriteFrames(frames []byte) error
}

// Framing is a way to delimit frames in a stream.
type Framing int

// The framings.
const (
	Lines   Framing = iota // one frame per line, terminated by LF; the zero value
	Headers                // a Content-Length header, an empty line, and the frame
)

// NewReader returns a reader of frames of at most max bytes. If max is 0, the limit is [DefaultMax].
func (f Framing) NewReader(r io.Reader, max int) Reader {
	if f == Headers {
		return &headerReader{src: newSource(r), max: limit(max)}
	}
	return &lineReader{src: newSource(r), max: limit(max)}
}

// NewWriter returns a writer of frames of at most max bytes. If max is 0, the limit is [DefaultMax].
func (f Framing) NewWriter(w io.Writer, max int) Writer {
	if f == Headers {
		return &headerWriter{w: w, max: limit(max)}
	}
	return &lineWriter{w: w, max: limit(max)}
}

// ErrClosed means that the connection was closed in both directions, on this side or by the peer.
var ErrClosed = errors.New("frame: the connection is closed")

// ErrHangup means that the peer sends no more and is probably gone. Its requests are no longer
// worth working on, but answers that are ready may still be sent.
var ErrHangup = errors.New("frame: the peer hung up")

// ErrInterrupted means that reading was interrupted, see [Interrupter].
var ErrInterrupted = errors.New("frame: reading was interrupted")

// ErrNewline means that a frame cannot be written as a line because it contains a line break.
var ErrNewline = errors.New("frame: a line break inside a frame")

// TooLargeError means that a frame was skipped, or not written, because of its size.
type TooLargeError struct {
	Size int64 // in bytes
	Max  int   // in bytes

	// Head and Tail are the first and the last bytes of a frame that was skipped, at most 256 each: the
	// id of a message usually stands in one of them. They are nil if the frame was not written.
	Head, Tail []byte
}

// edge is the most bytes of TooLargeError.Head, and of Tail.
const edge = 256

// tooLarge reports a frame over the limit max, which begins with the parts.
func tooLarge(max int, parts ...[]byte) *TooLargeError {
	e := &TooLargeError{Max: max}
	for _, part := range parts {
		e.add(part)
	}
	return e
}

// add notes the next bytes of a frame that is skipped.
func (e *TooLargeError) add(part []byte) {
	e.Size += int64(len(part))
	if n := edge - len(e.Head); n > 0 {
		e.Head = append(e.Head, part[:min(n, len(part))]...)
	}
	tail := append(e.Tail, part[max(0, len(part)-edge):]...)
	e.Tail = append(tail[:0], tail[max(0, len(tail)-edge):]...)
}

func (e *TooLargeError) Error() string {
	return "frame: " + strconv.FormatInt(e.Size, 10) + " bytes, over the limit of " + strconv.Itoa(e.Max)
}

// HeaderError means that the header of a frame is invalid. The reader continues with the next valid header.
type HeaderError struct{ What string }

func (e *HeaderError) Error() string { return "frame: " + e.What }

// limit returns max, or the default if max is not positive.
func limit(max int) int {
	if max <= 0 {
		return DefaultMax
	}
	return max
}
