package frame

import (
	"bytes"
	"errors"
	"io"
)

const (
	chunk   = 4 << 10 // bytes that are read from the stream at once while the size of a frame is unknown
	waiting = 512     // bytes of the buffer with which a connection that rests waits for the next frame
	skipped = 4       // times the limit that are skipped of a frame, or 64 MiB if that is more, before the stream is given up
)

// errEndless is the error of a stream with a frame of which no more is skipped.
var errEndless = errors.New("frame: the connection is given up, because a message goes on far beyond the size limit")

// endless reports whether no more of a frame is skipped. Then the stream has ended.
func (s *source) endless(over *TooLargeError) bool {
	if over.Size <= max(64<<20, skipped*int64(over.Max)) {
		return false
	}
	s.start, s.err = s.end, errEndless
	return true
}

// source is a stream with a small buffer of bytes that were read ahead.
type source struct {
	r     io.Reader
	pace  Pacer  // nil if the stream is not a Pacer
	buf   []byte // nil before the first read, and after an interruption
	start int    // the bytes read ahead are buf[start:end]
	end   int
	large int   // bytes of the last large frame; memory for as many is taken at once
	err   error // error of the stream, reported when the window is empty
}

// newSource returns r as a source.
func newSource(r io.Reader) source {
	pace, _ := r.(Pacer)
	return source{r: r, pace: pace}
}

// await consults the Pacer before the stream is read.
func (s *source) await(inside bool, held int) error {
	if s.pace == nil {
		return nil
	}
	return s.pace.Await(inside, held)
}

// fill reads into an empty window. A reader that keeps returning nothing is [io.ErrNoProgress].
func (s *source) fill(inside bool, held int) error {
	if s.err != nil {
		return s.err
	}
	if err := s.await(inside, held); err != nil {
		s.err = err
		return err
	}
	switch {
	case s.buf == nil:
		s.buf = make([]byte, waiting)
	case len(s.buf) < chunk, len(s.buf) > chunk && !inside: // see keep
		s.buf = make([]byte, chunk)
	}
	for range 100 {
		n, err := s.r.Read(s.buf)
		if n == 0 && err == ErrInterrupted {
			s.buf, s.start, s.end = nil, 0, 0
			return err
		}
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

// waitForBytes waits between two frames until there are bytes of the next one. Readers call it first, because an idle connection waits here: in
// the calls that take a frame apart, the stack of its goroutine would not fit into the 2 KB with which goroutines start.
func (s *source) waitForBytes() error {
	if s.start < s.end {
		return nil
	}
	return s.fill(false, 0)
}

// window returns the bytes that were read ahead, and reads some if there are none. The arguments inside and held are those of [Pacer].
func (s *source) window(inside bool, held int) ([]byte, error) {
	if s.start == s.end {
		if err := s.fill(inside, held); err != nil {
			return nil, err
		}
	}
	return s.buf[s.start:s.end], nil
}

// line reads up to the next LF. It returns a copy without the line's end. For a line of more than max bytes it returns what is reported about it
// instead. At the end of the stream, it returns an unterminated line with the error. The argument inside reports whether a part of the frame precedes
// the line.
func (s *source) line(max int, inside bool) (line []byte, over *TooLargeError, err error) {
	for i := -1; i < 0; {
		own, direct := s.buf, s.start == s.end && cap(line)-len(line) >= chunk
		if direct {
			s.buf = line[len(line):cap(line)]
		}
		var w []byte
		if w, err = s.window(inside || over != nil || len(line) > 0, cap(line)); err != nil {
			s.buf = own
			break
		}
		part := w
		if i = bytes.IndexByte(w, '\n'); i >= 0 {
			part = w[:i]
			s.start++
		}
		s.start += len(part)
		switch {
		case over != nil:
			if over.add(part); i < 0 && s.endless(over) {
				return nil, over, nil
			}
		case len(line)+len(part) > max+1: // one more because of a CR
			over, line = tooLarge(max, line, part), nil
		case direct: // part is there already
			line = line[:len(line)+len(part)]
		default:
			line = s.extend(line, part, i >= 0, max+1)
		}
		if direct {
			s.keep(own)
		}
	}
	if line = bytes.TrimSuffix(line, []byte{'\r'}); len(line) > max {
		return nil, tooLarge(max, line), err
	}
	if len(line) >= 4*chunk {
		s.large = len(line) + len(line)/8
	}
	if cap(line) > 2*len(line)+chunk {
		line = bytes.Clone(line)
	}
	return line, over, err
}

// keep keeps what was read ahead in own, or in memory of its own, because it is in that of a line.
func (s *source) keep(own []byte) {
	ahead := s.buf[s.start:s.end]
	if len(ahead) > len(own) {
		own = make([]byte, len(ahead))
	}
	s.buf, s.start, s.end = own, 0, copy(own, ahead)
}

// extend appends part to line. For the last part it allocates a buffer of the right size.
func (s *source) extend(line, part []byte, last bool, most int) []byte {
	need := len(line) + len(part)
	if need <= cap(line) {
		return append(line, part...)
	}
	size := need + 1 // room for a line end, in case the frame is forwarded
	if !last {
		if size = 2 * need; size > 4*chunk {
			size = max(size, s.large)
		}
		size = min(most+1, size)
	}
	grown := make([]byte, len(line), max(size, need))
	copy(grown, line)
	return append(grown, part...)
}

// take reads exactly n bytes into a new buffer, which grows as the bytes arrive, so that a peer which only announces a large frame costs no more memory than it
// has sent in one before.
func (s *source) take(n int) ([]byte, error) {
	body := make([]byte, 0, min(n, max(16*chunk, s.large)))
	if n > 16*chunk {
		s.large = n
	}
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

// discard skips a frame of n bytes over the limit. What is reported about it is in over.
func (s *source) discard(n int64, over *TooLargeError) error {
	for n > 0 {
		w, err := s.window(true, 0)
		if err != nil {
			return err
		}
		w = w[:min(int64(len(w)), n)]
		over.add(w)
		s.start += len(w)
		n -= int64(len(w))
		if n > 0 && s.endless(over) {
			return nil
		}
	}
	return nil
}
