// Package position writes params by position, which only protocols that ask for it need. It is for generated code only, and makes no promise of
// compatibility to other code.
//
//test:sequential
package position

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// ByName is the keys of [runtime.Call.Params] for params that are sent by name alone: arrays are refused.
const ByName = "\n"

// ByPosition rewrites params that are an object as an array, in the order of keys, which are newline-separated (JSON-RPC 2.0, section 4.2).
// Appended is what appending the object to b gave. A member that is not there becomes null when a later one is there, and is left out
// otherwise. It panics with a [*wire.EncodeError] when the params are nested too deeply for any reader.
func ByPosition(b, appended []byte, keys string) []byte {
	start, end := len(b), len(appended)
	if end == start || appended[start] != '{' {
		return appended // a list is by position as it is
	}
	m := memberSpans{keys: keys, rest: keys}
	m.read(appended, start)
	appended = append(appended, '[')
	for i := range m.count {
		if i > 0 {
			appended = append(appended, ',')
		}
		if at := m.at(i); at.end > 0 {
			appended = append(appended, appended[at.start:at.end]...)
		} else {
			appended = append(appended, "null"...)
		}
	}
	appended = append(appended, ']')
	return appended[:start+copy(appended[start:], appended[end:])]
}

// span is a part of a text; its end is 0 when it is not there.
type span struct{ start, end int }

// memberSpans are where the values of an object stand, in the order of keys.
type memberSpans struct {
	keys, rest string // rest: the keys after the one that was found last
	next       int    // the number of the first of rest
	few        [16]span
	more       []span // after the few
	count      int    // up to the last one that is there
}

// read reads the object at start, whose syntax is that of an appender.
func (m *memberSpans) read(b []byte, start int) {
	for i := start + 1; b[i] == '"'; i++ {
		name, end := wire.Str(b, i)
		value := end + 1
		if end > 0 {
			end = wire.Skip(b, value, wire.MaxDepth)
		}
		if end < 0 {
			panic(&wire.EncodeError{What: "a value that is nested too deeply", Before: b[:start]})
		}
		if at := m.find(name); at >= 0 {
			m.set(at, span{value, end})
		}
		if i = end; b[i] != ',' {
			return
		}
	}
}

// find returns the number of a key, or -1. The members mostly stand in the order of the keys: it is looked for from the last one on.
func (m *memberSpans) find(name string) int {
	for range 2 {
		for m.rest != "" {
			key, rest, _ := strings.Cut(m.rest, "\n")
			m.rest, m.next = rest, m.next+1
			if key == name {
				return m.next - 1
			}
		}
		m.rest, m.next = m.keys, 0
	}
	return -1
}

func (m *memberSpans) at(i int) span {
	if i < len(m.few) {
		return m.few[i]
	}
	return m.more[i-len(m.few)]
}

func (m *memberSpans) set(i int, s span) {
	m.count = max(m.count, i+1)
	if i < len(m.few) {
		m.few[i] = s
		return
	}
	for len(m.more) <= i-len(m.few) {
		m.more = append(m.more, span{})
	}
	m.more[i-len(m.few)] = s
}
