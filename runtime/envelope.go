package runtime

import "github.com/rpcgen-go/rpcgen/runtime/wire"

// fault is what scanning returns in place of an index when the message is no valid one. What is wrong is found out by diagnose:
// faults are rare, and the fast path need not remember.
const fault = -1

// Members of a message, as bits.
const (
	hasVersion = 1 << iota
	hasID
	hasMethod
	hasParams
	hasResult
	hasError
)

// envelope is what is around the payload of a request or response (JSON-RPC 2.0 sections 4 and 5). Payloads stay where they are:
// spans are indexes into the message.
type envelope struct {
	seen     uint8  // which members came
	loose    bool   // ids may be null and any number
	depth    int    // how deep the values of members may be nested
	complete bool   // the message was scanned to its end, and is one
	id       span   // the id's text
	method   string // shares the message
	params   span   // the params; end is 0 while they were not skipped yet
	result   span
	err      span
	others   map[string]struct{} // names of unknown members; nil: none came
}

// span is b[start:end].
type span struct{ start, end int }

func (s span) of(b []byte) []byte { return b[s.start:s.end] }

// has reports whether b holds s at i.
func has(b []byte, i int, s string) bool {
	return len(b)-i >= len(s) && string(b[i:i+len(s)]) == s
}

// open reads up to the params, when the method came before them, or up to the result, when the id came before it: they can be
// decoded where they stand, and resume reads what follows. A message that offers no such place is read to its end. False: it
// is at fault.
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

// The literals that messages are compared with are constants of at most 16 bytes where they are compared: then the compiler
// compares words, and calls nothing.

// usual reads up to the params when the members before them are written as Go or TypeScript clients write them. False says
// nothing but that they are not.
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

// call reads the method at i, and the params up to where they start, and notes that they and before came.
func (e *envelope) call(b []byte, i int, before uint8) bool {
	const params = `,"params":`
	if b[i] != '"' {
		return false
	}
	name, end := wire.Str(b, i)
	if end < 0 || len(b)-end <= len(params) || string(b[end:end+len(params)]) != params {
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

// resume reads what follows the payload that ends before i.
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

// ends reports whether b ends as TypeScript clients write it, with the version and the id.
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

// finish reads the rest of a message that was opened.
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

// isRequest reports whether an opened message is a request or notification as far as it was read, and, if it was read to its end,
// altogether.
func (e *envelope) isRequest() bool {
	const parts = hasVersion | hasMethod
	return e.seen&(hasResult|hasError) == 0 && (!e.complete || e.seen&parts == parts)
}

// isResponse tells the same of a response. Whether it is a good one is for its receiver to say.
func (e *envelope) isResponse() bool {
	return e.seen&hasMethod == 0 && e.seen&(hasResult|hasError) != 0
}

// next reads the comma after a member, and returns where the next one starts; or the end of the message.
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

// members reads members from i on. With stop it returns at a payload that can be decoded where it stands.
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
			e.method, i = wire.Str(b, at)
		case hasParams:
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

// member reads a member's name, and returns its bit and where its value starts. Zero is an unknown name.
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

// memberText reads any member name, and returns where its value starts.
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

// maxOthers is how many members a message may have that the specification does not know. They are remembered to find those that are
// there twice.
const maxOthers = 64

// other skips a member that the specification does not know. Its name must be new, too.
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
