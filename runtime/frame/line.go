package frame

import (
	"bytes"
	"errors"
	"io"
)

// lineReader reads frames that are lines, terminated by LF or CR LF. Blank lines are skipped, and so is a byte order mark at the beginning of the
// stream, which programs on Windows write and RFC 8259 section 8.1 allows to ignore. The last line may lack a terminator if the stream ends without
// an error.
type lineReader struct {
	src   source
	max   int
	begun bool // a line was read
}

// ReadFrame returns the next line that is not blank, see [Conn]. A line over the limit is skipped first and then reported with its whole size.
func (r *lineReader) ReadFrame() ([]byte, error) {
	for {
		if err := r.src.waitForBytes(); err != nil {
			return nil, err
		}
		line, over, err := r.src.line(r.max, false)
		if !r.begun {
			r.begun = true
			if line = withoutMark(line); over != nil {
				over.Head = withoutMark(over.Head)
			}
		}
		if over != nil {
			return nil, over
		}
		if err != nil && (blank(line) || err != io.EOF && !errors.Is(err, ErrHangup)) {
			return nil, err // without the part of a line that a broken stream ends with
		}
		if !blank(line) {
			return line, nil
		}
	}
}

// withoutMark returns b without the byte order mark of UTF-8 at its beginning.
func withoutMark(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\ufeff")) }

func blank(line []byte) bool { return len(bytes.Trim(line, " \t\r")) == 0 }

// lineWriter writes frames as lines.
type lineWriter struct {
	w   io.Writer
	max int
}

// WriteFrame writes the frame and LF with one Write, see [Conn]. If the frame has no spare capacity, it is copied first.
func (w *lineWriter) WriteFrame(frame []byte) error {
	if err := w.check(frame); err != nil {
		return err
	}
	return writeAll(w.w, append(frame, '\n'))
}

// AppendFrame appends the frame and LF, see [Gatherer].
func (w *lineWriter) AppendFrame(dst, frame []byte) ([]byte, error) {
	if err := w.check(frame); err != nil {
		return dst, err
	}
	return append(append(dst, frame...), '\n'), nil
}

// WriteFrames writes frames of AppendFrame, see [Gatherer].
func (w *lineWriter) WriteFrames(frames []byte) error { return writeAll(w.w, frames) }

// check returns why a frame cannot be written.
func (w *lineWriter) check(frame []byte) error {
	if len(frame) > w.max {
		return &TooLargeError{Size: int64(len(frame)), Max: w.max}
	}
	if bytes.IndexByte(frame, '\n') >= 0 || bytes.HasSuffix(frame, []byte{'\r'}) {
		return ErrNewline // the reader would take it for the end of the line
	}
	return nil
}

// writeAll writes p with one Write. A short write is an error.
func writeAll(w io.Writer, p []byte) error {
	n, err := w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return err
}
