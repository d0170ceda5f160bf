package frame

import (
	"bytes"
	"io"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/internal/buffer"
)

const (
	maxHeader  = 4 << 10 // bytes of one header line
	maxHeaders = 32      // lines of one header
	maxSkip    = 1 << 40 // bytes; a greater length is taken for an invalid header
)

// headerReader reads frames that follow a header with their length in bytes:
//
//	Content-Length: 17\r\n
//	\r\n
//	{"jsonrpc":"2.0"}
//
// Field names are not case-sensitive, LF is accepted for CR LF, and other fields are ignored. After a header without a valid length
// the end of its frame is unknown: it is reported once as a [*HeaderError], and reading continues at the next line that
// ends in a Content-Length field, which no JSON text can hold.
type headerReader struct {
	src  source
	max  int
	lost bool // looking for the next valid header
}

// ReadFrame returns the next frame, see [Conn]. A frame over the limit is skipped first and then
// reported. A stream that ends inside a frame is io.ErrUnexpectedEOF.
func (r *headerReader) ReadFrame() ([]byte, error) {
	if !r.lost {
		if err := r.src.waitForBytes(); err != nil {
			return nil, err
		}
	}
	size, err := r.header()
	if err != nil {
		return nil, err
	}
	if size > int64(r.max) {
		over := tooLarge(r.max)
		if err := r.src.discard(size, over); err != nil {
			return nil, unexpectedEOF(err)
		}
		over.Size = size // of which not all was skipped if it is far beyond the limit
		return nil, over
	}
	body, err := r.src.take(int(size))
	if err != nil {
		return nil, unexpectedEOF(err)
	}
	return body, nil
}

// header reads up to the empty line and returns the length of the frame after it.
func (r *headerReader) header() (size int64, err error) {
	size = -1
	for lines := 0; ; {
		most := maxHeader
		if r.lost {
			most += r.max // the header may follow a whole frame on its line
		}
		line, over, err := r.src.line(most, r.lost || lines > 0)
		if err != nil {
			return 0, r.endError(err, lines > 0 || over != nil || len(line) > 0)
		}
		if r.lost {
			if size = trailingLength(line); size < 0 {
				continue
			}
			r.lost, lines = false, 1
			continue
		}
		switch {
		case over != nil:
			return 0, r.lose("a header line of more than " + strconv.Itoa(maxHeader) + " bytes")
		case len(line) == 0 && lines == 0:
			continue // a line end after the last frame
		case len(line) == 0:
			if size < 0 {
				return 0, r.lose("a header without Content-Length")
			}
			return size, nil
		}
		if lines++; lines > maxHeaders {
			return 0, r.lose("a header of more than " + strconv.Itoa(maxHeaders) + " lines")
		}
		if size, err = field(line, size); err != nil {
			r.lost = true
			return 0, err
		}
	}
}

// lose starts the search for the next valid header.
func (r *headerReader) lose(what string) error {
	r.lost = true
	return &HeaderError{What: what}
}

// endError returns the error for the end of the stream at this point.
func (r *headerReader) endError(err error, inside bool) error {
	if inside && !r.lost {
		return unexpectedEOF(err)
	}
	return err
}

func unexpectedEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// field reads one header line. The argument size is the length known so far, or negative.
func field(line []byte, size int64) (int64, error) {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		return 0, &HeaderError{What: "a header line without a colon"}
	}
	if !bytes.EqualFold(bytes.TrimSpace(name), contentLength) {
		return size, nil
	}
	n := length(bytes.TrimSpace(value))
	if n < 0 {
		return 0, &HeaderError{What: "Content-Length is not a number of bytes"}
	}
	if size >= 0 && size != n {
		return 0, &HeaderError{What: "two different Content-Length fields"}
	}
	return n, nil
}

var contentLength = []byte("Content-Length")

// length parses decimal digits. It returns a negative number if text is not a length.
func length(text []byte) int64 {
	if len(text) == 0 || len(text) > 15 {
		return -1
	}
	var n int64
	for _, c := range text {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int64(c-'0')
	}
	if n > maxSkip {
		return -1
	}
	return n
}

// trailingLength returns the length in a Content-Length field at the end of line, whatever precedes it, or a negative number.
func trailingLength(line []byte) int64 {
	colon := bytes.LastIndexByte(line, ':')
	if colon < len(contentLength) || !bytes.EqualFold(line[colon-len(contentLength):colon], contentLength) {
		return -1
	}
	return length(bytes.TrimSpace(line[colon+1:]))
}

// headerWriter writes frames with a Content-Length header.
type headerWriter struct {
	w   io.Writer
	max int
	buf []byte
}

// WriteFrame writes the header and the frame with one Write, see [Conn].
func (w *headerWriter) WriteFrame(frame []byte) error {
	b, err := w.AppendFrame(buffer.Room(w.buf[:0], len(frame)+64), frame) // 64 bytes of header
	if err != nil {
		return err
	}
	err = writeAll(w.w, b)
	w.buf = buffer.Keep(w.buf, b) // which does not hold a large buffer while idle
	return err
}

// AppendFrame appends the header and the frame, see [Gatherer].
func (w *headerWriter) AppendFrame(dst, frame []byte) ([]byte, error) {
	if len(frame) > w.max {
		return dst, &TooLargeError{Size: int64(len(frame)), Max: w.max}
	}
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(frame)), 10)
	return append(append(dst, "\r\n\r\n"...), frame...), nil
}

// WriteFrames writes frames of AppendFrame, see [Gatherer].
func (w *headerWriter) WriteFrames(frames []byte) error { return writeAll(w.w, frames) }
