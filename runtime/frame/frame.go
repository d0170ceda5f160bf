// Package frame finds the messages in a stream of bytes, and puts them there. It knows no JSON.
//
// Two framings are here: one message a line ([Lines]), and messages behind a header that holds their length, the way of the
// Language Server Protocol ([Headers]). A message over the limit is skipped and reported as a [*TooLargeError]; the next
// one still reads. So is a faulty header, as a [*HeaderError].
package frame

import (
	"errors"
	"io"
	"strconv"
)

// DefaultMax is the size limit of one frame in bytes when no other is given: 10 MiB.
const DefaultMax = 10 << 20

// Conn carries frames both ways.
type Conn interface {
	// ReadFrame returns the next frame, in a buffer that is the caller's from then on. It is called by one goroutine at a
	// time.
	//
	// io.EOF says that the peer sends no more but is still reading, [ErrHangup] that it may be gone. A [*TooLargeError] or a [*HeaderError] says that
	// one frame was skipped, and that the next call goes on behind it. Any other error, such as [ErrClosed], is the end of
	// the connection in both directions.
	ReadFrame() ([]byte, error)

	// WriteFrame writes one frame whole. It does not keep the frame, but may use its spare capacity. It is called by one
	// goroutine at a time, and beside ReadFrame. After a [*TooLargeError] or [ErrNewline], nothing was written, and the
	// connection goes on.
	WriteFrame(frame []byte) error

	// Close ends both directions: calls that wait return [ErrClosed] or another error. It may be called at any time and
	// more than once.
	Close() error
}

// Interrupter is a [Conn] whose ReadFrame can be made to return without a frame, with [ErrInterrupted]; nothing is lost by that. When
// nobody is in ReadFrame, the next call may return so.
type Interrupter interface{ Interrupt() }

// Reader reads frames; see [Conn].
type Reader interface{ ReadFrame() ([]byte, error) }

// Writer writes frames; see [Conn].
type Writer interface{ WriteFrame(frame []byte) error }

// Framing names a way to put frames on a stream.
type Framing int

// The framings.
const (
	Lines   Framing = iota // one frame a line, ended by LF; the zero value
	Headers                // a Content-Length header, an empty line, and the frame
)

// NewReader returns a reader of frames of at most max bytes. Zero means [DefaultMax].
func (f Framing) NewReader(r io.Reader, max int) Reader {
	if f == Headers {
		return NewHeaderReader(r, max)
	}
	return NewLineReader(r, max)
}

// NewWriter returns a writer of frames of at most max bytes. Zero means [DefaultMax].
func (f Framing) NewWriter(w io.Writer, max int) Writer {
	if f == Headers {
		return NewHeaderWriter(w, max)
	}
	return NewLineWriter(w, max)
}

// ErrClosed says that the connection was closed, on this side or by the peer, in both directions.
var ErrClosed = errors.New("frame: the connection is closed")

// ErrHangup says that the peer sends no more, and is probably gone: what it asked for is no longer worth working on. What is done
// already may still be sent.
var ErrHangup = errors.New("frame: the peer hung up")

// ErrInterrupted says that an [Interrupter] was interrupted.
var ErrInterrupted = errors.New("frame: reading was interrupted")

// ErrNewline says that a frame cannot be written as a line because it holds a line break.
var ErrNewline = errors.New("frame: a line break inside a frame")

// TooLargeError says that a frame was skipped, or not written, because of its size.
type TooLargeError struct {
	Size int64 // in bytes; of a line that was skipped, all of it
	Max  int   // in bytes
}

func (e *TooLargeError) Error() string {
	return "frame: " + strconv.FormatInt(e.Size, 10) + " bytes, over the limit of " + strconv.Itoa(e.Max)
}

// HeaderError says that the header of a frame makes no sense. The reader goes on with the next header it can find.
type HeaderError struct{ What string }

func (e *HeaderError) Error() string { return "frame: " + e.What }

// limit returns max, or the default for zero and less.
func limit(max int) int {
	if max <= 0 {
		return DefaultMax
	}
	return max
}
