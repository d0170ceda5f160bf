package frame

import (
	"bytes"
	"io"
)

// LineReader reads frames that are lines, terminated by LF or CR LF. Blank lines are skipped, and
// the last line may lack a terminator.
type LineReader struct {
	src source
	max int
}

// NewLineReader returns a reader of lines of at most max bytes, not counting their end. If max is
// 0, the limit is [DefaultMax].
func NewLineReader(r io.Reader, max int) *LineReader {
	return &LineReader{src: newSource(r), max: limit(max)}
}

// ReadFrame returns the next line that is not blank, see [Conn]. A line over the limit is skipped
// first and then reported with its whole size.
func (r *LineReader) ReadFrame() ([]byte, error) {
	for {
		line, size, err := r.src.line(r.max, false)
		if size > int64(r.max) && (len(line) > r.max || line == nil) {
			return nil, &TooLargeError{Size: size, Max: r.max}
		}
		if !blank(line) {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// LineWriter writes frames as lines.
type LineWriter struct {
	w   io.Writer
	max int
}

// NewLineWriter returns a writer of lines of at most max bytes, not counting their end. If max is
// 0, the limit is [DefaultMax].
func NewLineWriter(w io.Writer, max int) *LineWriter { return &LineWriter{w: w, max: limit(max)} }

// WriteFrame writes the frame and LF with one Write, see [Conn]. If the frame has no spare
// capacity, it is copied first.
func (w *LineWriter) WriteFrame(frame []byte) error {
	if len(frame) > w.max {
		return &TooLargeError{Size: int64(len(frame)), Max: w.max}
	}
	if bytes.IndexByte(frame, '\n') >= 0 || bytes.HasSuffix(frame, []byte{'\r'}) {
		return ErrNewline // the reader would take it for the end of the line
	}
	return writeAll(w.w, append(frame, '\n'))
}

// writeAll writes p with one Write. A short write is an error.
func writeAll(w io.Writer, p []byte) error {
	n, err := w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return err
}
