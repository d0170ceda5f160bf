package frame

import (
	"bytes"
	"io"
)

// LineReader reads frames that are lines. A line ends with LF or CR LF; blank lines are skipped, and the last line may do
// without an end.
type LineReader struct {
	src source
	max int
}

// NewLineReader returns a reader of lines of at most max bytes, their end not counted. Zero means [DefaultMax].
func NewLineReader(r io.Reader, max int) *LineReader {
	return &LineReader{src: newSource(r), max: limit(max)}
}

// ReadFrame returns the next line that is not blank; see [Conn]. A longer line than allowed is skipped first and reported
// then, with its whole size.
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

// NewLineWriter returns a writer of lines of at most max bytes, their end not counted. Zero means [DefaultMax].
func NewLineWriter(w io.Writer, max int) *LineWriter { return &LineWriter{w: w, max: limit(max)} }

// WriteFrame writes frame and LF with one Write; see [Conn]. Without spare capacity in frame it is copied.
func (w *LineWriter) WriteFrame(frame []byte) error {
	if len(frame) > w.max {
		return &TooLargeError{Size: int64(len(frame)), Max: w.max}
	}
	if bytes.IndexByte(frame, '\n') >= 0 || bytes.HasSuffix(frame, []byte{'\r'}) {
		return ErrNewline // the reader takes it for the end of the line, or for a part of it
	}
	return writeAll(w.w, append(frame, '\n'))
}

// writeAll writes p with one Write and makes a short write an error.
func writeAll(w io.Writer, p []byte) error {
	n, err := w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return err
}
