package runtime

import "github.com/rpcgen-go/rpcgen/runtime/wire"

// fault is returned in place of an index if the message is invalid. The scanner does not remember
// what is wrong: faults are rare, and diagnose finds the reason when one occurs.
const fault = -1

// The members of a message, as bits.
const (
	hasVersion = 1 << iota
	hasID
	hasMethod
	hasParams
	hasResult
	hasError
	hasNullParams // params are null, which means absent: some clients write it
)

// envelope holds the members around the payload of a request or response (JSON-RPC 2.0 sections 4
// and 5). Payloads are not copied: a span is a pair of indexes into the message.
//
// An envelope is scanned in two parts so that the payload is read only once. Method open stops at a
// payload that can be decoded in place; after the decoder has found its end, resume reads the rest.
// If the payload is not decoded, finish skips it.
type envelope struct {
	seen     uint8  // the members found so far
	loose    bool   // ids may be null and any number
	depth    int    // maximum nesting of the values of members
	complete bool   // the message was read to its end and is well-formed
	id       span   // text of the id
	method   string // shares the bytes of the message
	params   span   // end is 0 until the params are skipped
	result   span
	err      span
	others   map[string]struct{} // names of unknown members; nil if there are none
}

// span stands for b[start:end] of the message b.
type span struct{ start, end int }

func (s span) of(b []byte) []byte { return b[s.start:s.end] }

// has reports whether b[i:] begins with s.
func has(b []byte, i int, s string) bool {
	return len(b)-i >= len(s) && string(b[i:i+len(s)]) == s
}

// open reads the message up to a payload that can be decoded in place: the params if the method
// precedes them, or the result if the id precedes it. A message without such a payload is read to
// its end. It reports false if the message is invalid.
func (e *envelope) open(b []byte) bool {
	if e.usual(b) {
		return true
	}
	i := wire.Space(b, 0)
	if uint(i) >= uint(len(b)) || b[i] != '{' {
		return false
	}
	return e.members(b, wire.Space(b, i+1), true)
}

// usual reads up to the params if the members before them are written without spaces in one of the
// two most common orders: version, id, method, params, as Go clients write them, or method, params
// first, as TypeScript clients do. It is a fast path only: false means that the message has to be
// read by members.
//
// The literals are constants of at most 16 bytes at the place of the comparison, because the
// compiler then compares machine words and calls no function.
func (e *envelope) usual(b []byte) bool {
	const version, id, method, first = `{"jsonrpc":"2.0"`, `,"id":`, `,"method":`, `{"method":`
	i := len(version) + len(id)
	switch {
	case len(b) <= i:
		return false
	case string(b[:len(version)]) == version && string(b[len(version):i]) == id:
		end := skipID(b, i, false)
		if end < 0 || len(b)-end <= len(method) || string(b[end:end+len(method)]) != method {
			return false
		}
		e.id = span{i, end}
		return e.call(b, end+len(method), hasVersion|hasID)
	case string(b[:len(first)]) == first:
		return e.call(b, len(first), 0)
	}
	return false
}

// call reads the method at index i and stops at the params. It notes these two members and those in
// before.
func (e *envelope) call(b []byte, i int, before uint8) bool {
	const params = `,"params":`
	if b[i] != '"' {
		return false
	}
	name, end := wire.Str(b, i)
	if end < 0 || name == "" || len(b)-end <= len(params) || string(b[end:end+len(params)]) != params {
		return false
	}
	at := end + len(params)
	if b[at] != '{' && b[at] != '[' {
		return false
	}
	e.seen |= before | hasMethod | hasParams
	e.method, e.params.start = name, at
	return true
}

// resume reads the members that follow the payload, which ends at index i.
func (e *envelope) resume(b []byte, i int) bool {
	if i+1 == len(b) && b[i] == '}' || e.ends(b, i) {
		e.complete = true
		return true
	}
	i, more := next(b, i)
	if !more {
		e.complete = i >= 0
		return e.complete
	}
	return e.members(b, i, false)
}

// ends reports whether the rest of b, from index i on, is the version and the id as TypeScript
// clients write them. Like usual, it is a fast path.
func (e *envelope) ends(b []byte, i int) bool {
	const version, id = `,"jsonrpc":"2.0"`, `,"id":`
	at := i + len(version) + len(id)
	if len(b) <= at || e.seen&(hasVersion|hasID) != 0 || string(b[i:i+len(version)]) != version || string(b[i+len(version):at]) != id {
		return false
	}
	end := skipID(b, at, e.loose)
	if end != len(b)-1 || b[end] != '}' {
		return false
	}
	e.seen |= hasVersion | hasID
	e.id = span{at, end}
	return true
}

// finish reads the rest of a message that was opened, and skips a payload that was not decoded.
func (e *envelope) finish(b []byte) bool {
	if e.complete {
		return true
	}
	p := &e.params
	if e.seen&hasParams == 0 {
		p = &e.result
	}
	p.end = wire.Skip(b, p.start, e.depth)
	return p.end >= 0 && e.resume(b, p.end)
}

// isRequest reports whether an opened message is a request or notification. If the message was not
// read to its end, the answer is preliminary: the version may be missing, or a result may follow.
func (e *envelope) isRequest() bool {
	const parts = hasVersion | hasMethod
	return e.seen&(hasResult|hasError) == 0 && (!e.complete || e.seen&parts == parts)
}

// isResponse reports whether an opened message is meant as a response. The receiver checks whether
// it is a valid one, because only it knows which call an invalid response has to fail.
func (e *envelope) isResponse() bool {
	return e.seen&hasMethod == 0 && e.seen&(hasResult|hasError) != 0
}

// next reads the separator after a member. It returns the index of the next member, or the end of
// the message and false.
func next(b []byte, i int) (at int, more bool) {
	i = wire.Space(b, i)
	if uint(i) >= uint(len(b)) {
		return fault, false
	}
	switch b[i] {
	case ',':
		return wire.Space(b, i+1), true
	case '}':
		if i = wire.Space(b, i+1); i == len(b) {
			return i, false
		}
	}
	return fault, false
}

// members reads members from index i on. If stop is set, it returns at a payload that can be
// decoded in place. A member that occurs twice is a fault: readers that take the first and readers
// that take the last one would disagree about the message (RFC 8259 section 4).
func (e *envelope) members(b []byte, i int, stop bool) bool {
	for {
		name, at := member(b, i)
		if e.seen&name != 0 || at < 0 {
			return false
		}
		switch name {
		case hasVersion:
			if !has(b, at, `"2.0"`) {
				return false
			}
			i = at + len(`"2.0"`)
		case hasID:
			i = skipID(b, at, e.loose)
			e.id = span{at, i}
		case hasMethod:
			if uint(at) >= uint(len(b)) || b[at] != '"' {
				return false
			}
			if e.method, i = wire.Str(b, at); e.method == "" {
				return false
			}
		case hasParams:
			if e.seen&hasNullParams != 0 {
				return false
			}
			if has(b, at, "null") {
				name, i = hasNullParams, at+len("null")
				break
			}
			if uint(at) >= uint(len(b)) || b[at] != '{' && b[at] != '[' {
				return false
			}
			if stop && e.seen&hasMethod != 0 {
				e.seen |= hasParams
				e.params.start = at
				return true
			}
			i = wire.Skip(b, at, e.depth)
			e.params = span{at, i}
		case hasResult:
			if stop && e.seen&hasID != 0 {
				e.seen |= hasResult
				e.result.start = at
				return true
			}
			i = wire.Skip(b, at, e.depth)
			e.result = span{at, i}
		case hasError:
			i = wire.Skip(b, at, e.depth)
			e.err = span{at, i}
		default:
			i = e.other(b, i, at)
		}
		if i < 0 {
			return false
		}
		e.seen |= name
		var more bool
		if i, more = next(b, i); !more {
			e.complete = i >= 0
			return e.complete
		}
	}
}

// member reads the name of a member. It returns the bit of the name, which is 0 for an unknown one,
// and the index of the value. The comparison with literals covers names that are written without
// escapes and without a space before the colon.
func member(b []byte, i int) (name uint8, at int) {
	const version, id, method, params = `"jsonrpc":`, `"id":`, `"method":`, `"params":`
	if i+len(version) < len(b) {
		switch {
		case string(b[i:i+len(id)]) == id:
			return hasID, wire.Space(b, i+len(id))
		case string(b[i:i+len(method)]) == method:
			return hasMethod, wire.Space(b, i+len(method))
		case string(b[i:i+len(params)]) == params:
			return hasParams, wire.Space(b, i+len(params))
		case string(b[i:i+len(version)]) == version:
			return hasVersion, wire.Space(b, i+len(version))
		}
	}
	text, at := memberText(b, i)
	return memberBit(text), at
}

// memberText reads the name of any member, and returns it with the index of the value.
func memberText(b []byte, i int) (string, int) {
	if uint(i) >= uint(len(b)) || b[i] != '"' {
		return "", fault
	}
	text, i := wire.Str(b, i)
	if i < 0 {
		return "", fault
	}
	i = wire.Space(b, i)
	if uint(i) >= uint(len(b)) || b[i] != ':' {
		return "", fault
	}
	return text, wire.Space(b, i+1)
}

// memberBit returns the bit of a member of JSON-RPC 2.0, or 0.
func memberBit(text string) uint8 {
	switch text {
	case "jsonrpc":
		return hasVersion
	case "id":
		return hasID
	case "method":
		return hasMethod
	case "params":
		return hasParams
	case "result":
		return hasResult
	case "error":
		return hasError
	}
	return 0
}

// maxOthers limits the members of a message that JSON-RPC 2.0 does not define. Their names are
// remembered to find duplicates, so the limit bounds the memory.
const maxOthers = 64

// other skips a member that JSON-RPC 2.0 does not define. Its name must not repeat either.
func (e *envelope) other(b []byte, i, at int) int {
	text, _ := memberText(b, i)
	if _, twice := e.others[text]; twice || len(e.others) == maxOthers {
		return fault
	}
	if e.others == nil {
		e.others = make(map[string]struct{})
	}
	e.others[text] = struct{}{}
	return wire.Skip(b, at, e.depth)
}
