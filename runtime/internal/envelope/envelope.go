// Package envelope finds the members of JSON-RPC 2.0 messages and the elements of batches without copying, and says what is wrong with the others. Package
// runtime serves messages with it, and package message reads them with it.
//
//test:sequential
package envelope

import "github.com/rpcgen-go/rpcgen/runtime/gen/wire"

// Fault is returned in place of an index if the message is invalid. The scanner does not remember
// what is wrong: faults are rare, and Diagnose finds the reason when one occurs.
const Fault = -1

// The members of a message, as bits.
const (
	HasVersion = 1 << iota
	HasID
	HasMethod
	HasParams
	HasResult
	HasError
	hasNullParams // params are null, which means absent: some clients write it
	hasNullError  // error is null, which means absent in a response: JSON-RPC 1.0 has both members
)

// Envelope holds the members around the payload of a request or response (JSON-RPC 2.0 sections 4
// and 5). Payloads are not copied: a span is a pair of indexes into the message.
//
// An Envelope is scanned in two parts so that the payload is read only once. Open stops at a payload that can be decoded in place; after the decoder has
// found its end, Resume reads the rest. If the payload is not decoded, Finish skips it.
type Envelope struct {
	Seen     uint8  // the members found so far
	Loose    bool   // ids may be null and any number
	Depth    int    // maximum nesting of the values of members
	Complete bool   // the message was read to its end and is well-formed
	ID       Span   // text of the id
	Method   string // shares the bytes of the message
	Params   Span   // end is 0 until the params are skipped
	Result   Span
	Err      Span
	others   map[string]struct{} // names of unknown members; nil if there are none
}

// Span stands for b[Start:End] of the message b.
type Span struct{ Start, End int }

// Of returns the part of b.
func (s Span) Of(b []byte) []byte { return b[s.Start:s.End] }

// Open reads the message up to a payload that can be decoded in place: the params if the method precedes them, or the result if the id precedes it. A message
// without such a payload is read to its end. It reports false if the message is invalid.
func (e *Envelope) Open(b []byte) bool {
	if e.usual(b) {
		return true
	}
	i := wire.Space(b, 0)
	if uint(i) >= uint(len(b)) || b[i] != '{' {
		return false
	}
	return e.members(b, wire.Space(b, i+1), true)
}

// usualID is the index of the id in messages that usual reads.
const usualID = len(`{"jsonrpc":"2.0","id":`)

// usual reads up to the payload if the members before it are written without spaces in one of the most common orders: version, id, method, params, as Go
// clients write requests, method, params first, as TypeScript clients do, or version, id, result, as servers write responses. It is a fast path only: false
// means that the message has to be read by members.
//
// The literals are constants of at most 16 bytes at the place of the comparison, because the compiler then compares machine words and calls no function.
func (e *Envelope) usual(b []byte) bool {
	const version, id, method, first, result = `{"jsonrpc":"2.0"`, `,"id":`, `,"method":`, `{"method":`, `,"result":`
	switch {
	case len(b) <= usualID:
		return false
	case string(b[:len(version)]) == version && string(b[len(version):usualID]) == id:
		end := SkipID(b, usualID, false)
		if end < 0 || len(b)-end <= len(method) {
			return false
		}
		e.ID = Span{usualID, end}
		switch {
		case string(b[end:end+len(method)]) == method:
			return e.call(b, end+len(method), HasVersion|HasID)
		case string(b[end:end+len(result)]) == result:
			e.Seen |= HasVersion | HasID | HasResult
			e.Result.Start = wire.Space(b, end+len(result))
			return true
		}
	case string(b[:len(first)]) == first:
		return e.call(b, len(first), 0)
	}
	return false
}

// call reads the method at index i and stops at the params. It notes these two members and those in before.
func (e *Envelope) call(b []byte, i int, before uint8) bool {
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
	e.Seen |= before | HasMethod | HasParams
	e.Method, e.Params.Start = name, at
	return true
}

// Resume reads the members that follow the payload, which ends at index i.
func (e *Envelope) Resume(b []byte, i int) bool {
	if i+1 == len(b) && b[i] == '}' || e.ends(b, i) {
		e.Complete = true
		return true
	}
	i, more := next(b, i)
	if !more {
		e.Complete = i >= 0
		return e.Complete
	}
	return e.members(b, i, false)
}

// ends reports whether the rest of b, from index i on, is the version and the id as TypeScript clients write them. Like usual, it is a fast path.
func (e *Envelope) ends(b []byte, i int) bool {
	const version, id = `,"jsonrpc":"2.0"`, `,"id":`
	at := i + len(version) + len(id)
	if len(b) <= at || e.Seen&(HasVersion|HasID) != 0 || string(b[i:i+len(version)]) != version || string(b[i+len(version):at]) != id {
		return false
	}
	end := SkipID(b, at, e.Loose)
	if end != len(b)-1 || b[end] != '}' {
		return false
	}
	e.Seen |= HasVersion | HasID
	e.ID = Span{at, end}
	return true
}

// Finish reads the rest of a message that was opened, and skips a payload that was not decoded.
func (e *Envelope) Finish(b []byte) bool {
	if e.Complete {
		return true
	}
	p := &e.Params
	if e.Seen&HasParams == 0 {
		p = &e.Result
	}
	p.End = wire.Skip(b, p.Start, e.Depth)
	return p.End >= 0 && e.Resume(b, p.End)
}

// IsRequest reports whether an opened message is a request or notification. If the message was not
// read to its end, the answer is preliminary: the version may be missing, or a result may follow.
func (e *Envelope) IsRequest() bool {
	const parts = HasVersion | HasMethod
	return e.Seen&(HasResult|HasError|hasNullError) == 0 && (!e.Complete || e.Seen&parts == parts)
}

// IsResponse reports whether an opened message is meant as a response. The receiver checks whether
// it is a valid one, because only it knows which call an invalid response has to fail.
func (e *Envelope) IsResponse() bool {
	return e.Seen&HasMethod == 0 && e.Seen&(HasResult|HasError|hasNullError) != 0
}

// next reads the separator after a member. It returns the index of the next member, or the end of the message and false.
func next(b []byte, i int) (at int, more bool) {
	i = wire.Space(b, i)
	if uint(i) >= uint(len(b)) {
		return Fault, false
	}
	switch b[i] {
	case ',':
		return wire.Space(b, i+1), true
	case '}':
		if i = wire.Space(b, i+1); i == len(b) {
			return i, false
		}
	}
	return Fault, false
}

// members reads members from index i on. If stop is set, it returns at a payload that can be decoded in place. A member that occurs twice is a fault: readers
// that take the first and readers that take the last one would disagree about the message (RFC 8259 section 4).
func (e *Envelope) members(b []byte, i int, stop bool) bool {
	for {
		name, at := member(b, i)
		if e.Seen&name != 0 || at < 0 {
			return false
		}
		switch name {
		case HasVersion:
			i = skipVersion(b, at)
		case HasID:
			i = SkipID(b, at, e.Loose)
			e.ID = Span{at, i}
		case HasMethod:
			if uint(at) >= uint(len(b)) || b[at] != '"' {
				return false
			}
			if e.Method, i = wire.Str(b, at); e.Method == "" {
				return false
			}
		case HasParams:
			if e.Seen&hasNullParams != 0 {
				return false
			}
			if wire.Has(b, at, "null") {
				name, i = hasNullParams, at+len("null")
				break
			}
			if uint(at) >= uint(len(b)) || b[at] != '{' && b[at] != '[' {
				return false
			}
			if stop && e.Seen&HasMethod != 0 {
				e.Seen |= HasParams
				e.Params.Start = at
				return true
			}
			i = wire.Skip(b, at, e.Depth)
			e.Params = Span{at, i}
		case HasResult:
			if stop && e.Seen&HasID != 0 {
				e.Seen |= HasResult
				e.Result.Start = at
				return true
			}
			i = wire.Skip(b, at, e.Depth)
			e.Result = Span{at, i}
		case HasError:
			if e.Seen&hasNullError != 0 {
				return false
			}
			if wire.Has(b, at, "null") {
				name, i = hasNullError, at+len("null")
				break
			}
			i = wire.Skip(b, at, e.Depth)
			e.Err = Span{at, i}
		default:
			i = e.skipMember(b, i, at)
		}
		if i < 0 {
			return false
		}
		e.Seen |= name
		var more bool
		if i, more = next(b, i); !more {
			e.Complete = i >= 0
			return e.Complete
		}
	}
}

// skipVersion returns the index after the version at index i, or [Fault] if it is not "2.0".
func skipVersion(b []byte, i int) int {
	const version = `"2.0"`
	if wire.Has(b, i, version) {
		return i + len(version)
	}
	if uint(i) < uint(len(b)) && b[i] == '"' {
		if text, end := wire.Str(b, i); text == "2.0" {
			return end
		}
	}
	return Fault
}

// member reads the name of a member. It returns the bit of the name, which is 0 for an unknown one, and the index of the value. The comparison with literals
// covers names that are written without escapes and without a space before the colon.
func member(b []byte, i int) (name uint8, at int) {
	const version, id, method, params = `"jsonrpc":`, `"id":`, `"method":`, `"params":`
	if i+len(version) < len(b) {
		switch {
		case string(b[i:i+len(id)]) == id:
			return HasID, wire.Space(b, i+len(id))
		case string(b[i:i+len(method)]) == method:
			return HasMethod, wire.Space(b, i+len(method))
		case string(b[i:i+len(params)]) == params:
			return HasParams, wire.Space(b, i+len(params))
		case string(b[i:i+len(version)]) == version:
			return HasVersion, wire.Space(b, i+len(version))
		}
	}
	text, at := MemberText(b, i)
	return memberBit(text), at
}

// MemberText reads the name of any member, and returns it with the index of the value.
func MemberText(b []byte, i int) (string, int) {
	if uint(i) >= uint(len(b)) || b[i] != '"' {
		return "", Fault
	}
	text, i := wire.Str(b, i)
	if i < 0 {
		return "", Fault
	}
	i = wire.Space(b, i)
	if uint(i) >= uint(len(b)) || b[i] != ':' {
		return "", Fault
	}
	return text, wire.Space(b, i+1)
}

// memberBit returns the bit of a member of JSON-RPC 2.0, or 0.
func memberBit(text string) uint8 {
	switch text {
	case "jsonrpc":
		return HasVersion
	case "id":
		return HasID
	case "method":
		return HasMethod
	case "params":
		return HasParams
	case "result":
		return HasResult
	case "error":
		return HasError
	}
	return 0
}

// maxOthers limits the members of a message that JSON-RPC 2.0 does not define. Their names are remembered to find duplicates, so the limit bounds the memory.
const maxOthers = 64

// skipMember skips a member that JSON-RPC 2.0 does not define. Its name must not repeat either.
func (e *Envelope) skipMember(b []byte, i, at int) int {
	text, _ := MemberText(b, i)
	if _, twice := e.others[text]; twice || len(e.others) == maxOthers {
		return Fault
	}
	if e.others == nil {
		e.others = make(map[string]struct{})
	}
	e.others[text] = struct{}{}
	return wire.Skip(b, at, e.Depth)
}
