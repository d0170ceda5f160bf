package frame

import (
	"bytes"
	"io"
)

// chunk is how many bytes are asked of the stream at once while a frame's size is not known.
const chunk = 4 << 10

// source is a stream with a small window of bytes that were read ahead.
type source struct {
	r     io.Reader
	pace  Pacer  // nil: the stream does not ask
	buf   []byte // made at the first read
	start int    // the window is buf[start:end]
	end   int
	err   error // what the stream ended with; reported when the window is empty
}

// newSource returns r as a source.
func newSource(r io.Reader) source {
	pace, _ := r.(Pacer)
	return source{r: r, pace: pace}
}

// await is what has to happen before the stream is read.
func (s *source) await(inside bool, held int) error {
	if s.pace == nil {
		return nil
	}
	return s.pace.Await(inside, held)
}

// fill reads more into an empty window. A reader that keeps returning nothing is [io.ErrNoProgress].
func (s *source) fill(inside bool, held int) error {
	if s.err != nil {
		return s.err
	}
	if err := s.await(inside, held); err != nil {
		s.err = err
		return err
	}
	if s.buf == nil {
		s.buf = make([]byte, chunk)
	}
	for range 100 {
		n, err := s.r.Read(s.buf)
		if n < 0 || n > len(s.buf) {
			n = 0
		}
		s.start, s.end, s.err = 0, n, err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	s.err = io.ErrNoProgress
	return s.err
}

// window returns the bytes that are there already, reading some when there are none. Inside and held are those of [Pacer].
func (s *source) window(inside bool, held int) ([]byte, error) {
	if s.start == s.end {
		if err := s.fill(inside, held); err != nil {
			return nil, err
		}
	}
	return s.buf[s.start:s.end], nil
}

// line reads up to the next LF. What it returns is a copy without the line's end. Of a line of more than max bytes it
// returns nothing but its size. At the stream's end an unfinished line comes with the error. Inside reports whether something of a frame was
// there before the line.
func (s *source) line(max int, inside bool) (line []byte, size int64, err error) {
	for {
		w, err := s.window(inside || size > 0, cap(line))
		if err != nil {
			return trimCR(line), size, err
		}
		i := bytes.IndexByte(w, '\n')
		part := w
		if i >= 0 {
			part = w[:i]
			s.start++
		}
		s.start += len(part)
		size += int64(len(part))
		if size > int64(max)+1 { // a CR may be among them
			line = nil
		} else {
			line = extend(line, part, i >= 0, max+1)
		}
		if i >= 0 {
			return trimCR(line), size, nil
		}
	}
}

// extend appends part to line: in a buffer that just fits when it is the last part.
func extend(line, part []byte, last bool, most int) []byte {
	need := len(line) + len(part)
	if need <= cap(line) {
		return append(line, part...)
	}
	size := need + 1 // room for a line end, should the frame be sent on
	if !last {
		size = min(most+1, 2*need)
	}
	grown := make([]byte, len(line), max(size, need))
	copy(grown, line)
	return append(grown, part...)
}

func trimCR(line []byte) []byte { return bytes.TrimSuffix(line, []byte{'\r'}) }

// take reads exactly n bytes into a buffer of their own, which grows as the bytes arrive: a length that is only claimed
// costs nothing.
func (s *source) take(n int) ([]byte, error) {
	body := make([]byte, 0, min(n, 16*chunk))
	for len(body) < n {
		if len(body) == cap(body) {
			grown := make([]byte, len(body), min(n, 2*cap(body)))
			copy(grown, body)
			body = grown
		}
		if s.start < s.end {
			m := copy(body[len(body):cap(body)], s.buf[s.start:s.end])
			body, s.start = body[:len(body)+m], s.start+m
			continue
		}
		if s.err != nil {
			return body, s.err
		}
		if err := s.await(true, cap(body)); err != nil {
			s.err = err
			return body, err
		}
		m, err := s.r.Read(body[len(body):cap(body)])
		if m > 0 && m <= cap(body)-len(body) {
			body = body[:len(body)+m]
		}
		s.err = err
	}
	return body, nil
}

// discard drops n bytes.
func (s *source) discard(n int64) error {
	for n > 0 {
		w, err := s.window(true, 0)
		if err != nil {
			return err
		}
		m := min(int64(len(w)), n)
		s.start += int(m)
		n -= m
	}
	return nil
}
