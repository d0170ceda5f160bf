package web

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// EventReader reads server-sent events (HTML standard, section 9.2.6).
type EventReader struct {
	LastID string        // of the last event that was read to its end, to resume from
	ID     string        // of the event that is read
	Kind   string        // type of the event; empty for a message
	Retry  time.Duration // delay before reconnecting; negative if the server does not request one

	r      *bufio.Reader
	max    int  // maximum bytes of a line, and of the data of an event
	begun  bool // a byte order mark is allowed only before
	skipLF bool // the last line ended with CR, and a following LF belongs to it
	line   []byte
}

// NewEventReader returns a reader of the events of r, whose data has at most max bytes each.
func NewEventReader(r io.Reader, max int) *EventReader {
	return &EventReader{r: bufio.NewReader(r), max: max, Retry: -1}
}

// Next returns the data of the next event that has data. The caller owns the bytes. An event that is cut by the end of the stream is ignored.
// After one that is larger than a message may be, which is a [*frame.TooLargeError], nothing can be read.
func (e *EventReader) Next() ([]byte, error) {
	var data []byte
	some := false
	e.Kind = ""
	for {
		line, err := e.readLine()
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			e.LastID = e.ID
			if len(data) > 0 {
				return data, nil
			}
			data, some, e.Kind = nil, false, ""
			continue
		}
		name, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		if string(name) != "data" {
			e.set(string(name), value)
			continue
		}
		if some {
			data = append(data, '\n')
		}
		if len(data)+len(value) > e.max {
			return nil, &frame.TooLargeError{Size: int64(len(data) + len(value)), Max: e.max}
		}
		data, some = append(data, value...), true
	}
}

// set handles a field other than data. Unknown fields, comments and malformed values are ignored.
func (e *EventReader) set(name string, value []byte) {
	switch name {
	case "event":
		e.Kind = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			e.ID = string(value)
		}
	case "retry":
		const longest = int64(time.Hour / time.Millisecond)
		for _, c := range value {
			if c < '0' || c > '9' {
				return
			}
		}
		if ms, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			e.Retry = time.Duration(min(ms, longest)) * time.Millisecond
		}
	}
}

// readLine returns the next line without its end, which is LF, CR or both. It is valid until the next call.
func (e *EventReader) readLine() ([]byte, error) {
	e.line = e.line[:0]
	for {
		if _, err := e.r.Peek(1); err != nil {
			return nil, err // a line that the end of the stream cuts is ignored
		}
		part, _ := e.r.Peek(e.r.Buffered())
		if e.skipLF {
			e.skipLF = false
			if part[0] == '\n' {
				e.r.Discard(1)
				continue
			}
		}
		end := lineEnd(part)
		if end < 0 {
			end = len(part)
		}
		if len(e.line)+end > e.max+len("data: ") {
			return nil, &frame.TooLargeError{Size: int64(len(e.line) + end), Max: e.max}
		}
		e.line = append(e.line, part[:end]...)
		if end == len(part) {
			e.r.Discard(end)
			continue
		}
		e.skipLF = part[end] == '\r'
		e.r.Discard(end + 1)
		return e.stripMark(), nil
	}
}

// stripMark returns the line without a byte order mark, which the first line may begin with.
func (e *EventReader) stripMark() []byte {
	if e.begun {
		return e.line
	}
	e.begun = true
	return bytes.TrimPrefix(e.line, []byte("\ufeff"))
}

// lineEnd returns the index of the end of the first line of b, or a negative number.
func lineEnd(b []byte) int {
	end := bytes.IndexByte(b, '\n')
	if end < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if cr := bytes.IndexByte(b[:end], '\r'); cr >= 0 {
		return cr
	}
	return end
}
