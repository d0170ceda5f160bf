package envelope

import (
	"bytes"
	"cmp"
	"errors"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// The codes of a [Verdict] (JSON-RPC 2.0 section 5.1).
const (
	ParseError     = -32700
	InvalidRequest = -32600
)

// Verdict says what is wrong with a message.
type Verdict struct {
	Code   int64  // ParseError or InvalidRequest; 0 if nothing is wrong
	Detail string // for people
	ID     []byte // text of the id; nil if it is not readable
	Seen   uint8  // which members are there
}

// Diagnose returns what is wrong with a message that the scanner rejected: it is not JSON, or it is not a request. It is kept apart from the scanner because
// invalid messages are rare: the fast path only reports that there is a fault, and this code may be slow.
func Diagnose(b []byte, loose bool, depth int) Verdict {
	err := wire.Check(b, depth)
	if notDeep(err) != nil {
		v := Verdict{Code: ParseError, Detail: err.Error()}
		if id, seen, whole := outline(b, loose); whole {
			v.ID, v.Seen = id, seen
		}
		return v
	}
	i := wire.Space(b, 0)
	if b[i] != '{' {
		return Verdict{Code: InvalidRequest, Detail: "a message must be an object"}
	}
	v := inspect(b, wire.Space(b, i+1), loose)
	if v.Detail == "" && err != nil {
		v.Detail = err.Error()
	}
	if v.Detail != "" {
		v.Code = InvalidRequest
	}
	return v
}

// notDeep returns err, or nil if err only says that a value is nested too deep. Depth is a limit of this implementation and not a fault of the syntax.
func notDeep(err error) error {
	if _, deep := errors.AsType[*wire.DepthError](err); deep {
		return nil
	}
	return err
}

// inspect reads the members of an object whose syntax is valid, and returns the first fault. It reads on after it, because the error needs the id wherever it
// stands. Unknown members are only remembered up to maxOthers, which bounds the memory.
func inspect(b []byte, i int, loose bool) (v Verdict) {
	seen := make(map[string]struct{})
	complain := func(what string) { v.Detail = cmp.Or(v.Detail, what) }
	unknown := 0
	for b[i] != '}' {
		name, at := MemberText(b, i)
		end := SkipValid(b, at)
		if _, twice := seen[name]; twice {
			complain("the member " + peerlog.Text(name) + " occurs twice")
			if name == "id" {
				v.ID = nil
			}
		} else if name == "id" && SkipID(b, at, loose) >= 0 {
			v.ID = b[at:end]
		}
		known := memberBit(name) != 0
		if !known {
			unknown++
		}
		if known || unknown <= maxOthers {
			seen[name] = struct{}{}
		} else {
			complain("more than " + strconv.Itoa(maxOthers) + " members that JSON-RPC does not define")
		}
		if name != "error" || string(b[at:end]) != "null" {
			v.Seen |= memberBit(name)
		}
		if what := misfit(name, b[at:end], loose); what != "" {
			complain(what)
		}
		if i = wire.Space(b, end); b[i] == ',' {
			i = wire.Space(b, i+1)
		}
	}
	for _, name := range [...]string{"jsonrpc", "method"} {
		if _, ok := seen[name]; !ok {
			complain("the member " + name + " is missing")
		}
	}
	for _, name := range [...]string{"result", "error"} {
		if _, ok := seen[name]; ok {
			complain("a request has no member " + name)
		}
	}
	return v
}

// Edges returns what can be read of the id and of the members of a message of which only the first
// and the last bytes are known, because it was over a size limit. Many programs write the id last, or before the other short members.
func Edges(head, tail []byte, loose bool) (id []byte, seen uint8) {
	id, seen, _ = outline(head, loose)
	if at := bytes.LastIndex(tail, []byte(`"id"`)); seen != 0 && seen&HasID == 0 && at > 0 && bytes.HasSuffix(bytes.TrimRight(tail[:at], " \t\r\n"), []byte{','}) {
		if last, more, whole := outline(append([]byte{'{'}, tail[at:]...), loose); whole && last != nil && more&^(HasID|HasVersion|HasMethod) == 0 {
			return last, seen | more
		}
	}
	return id, seen
}

// outline returns the id and the members of a message whose text is not valid, as long as its brackets, quotes and commas are: invalid UTF-8 and unpaired
// surrogates in params leave the id readable, and a peer that waits for that id must learn that its request failed. If it is not whole, they are those of the
// members before the fault, and of the one with it.
func outline(b []byte, loose bool) (id []byte, seen uint8, whole bool) {
	i := wire.Space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return nil, 0, false
	}
	for more := true; more; {
		name := wire.Space(b, i+1)
		end := rough(b, name)
		if end < 0 || b[name] != '"' {
			return id, seen, false
		}
		at := wire.Space(b, end)
		if at >= len(b) || b[at] != ':' {
			return id, seen, false
		}
		text, _ := wire.Str(b, name)
		bit := memberBit(text)
		if seen&bit != 0 {
			return nil, seen, false
		}
		at, seen = wire.Space(b, at+1), seen|bit
		if end = rough(b, at); end < 0 {
			return id, seen, false
		}
		if bit == HasID && SkipID(b, at, loose) == end {
			id = b[at:end]
		}
		i = wire.Space(b, end)
		if i >= len(b) || b[i] != ',' && b[i] != '}' {
			return id, seen, false
		}
		more = b[i] == ','
	}
	return id, seen, wire.Space(b, i+1) == len(b)
}

// rough returns the index after the value at i, judged by its brackets and quotes alone, or a negative number.
func rough(b []byte, i int) int {
	depth, quoted := 0, false
	start := i
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			if quoted = !quoted; !quoted && depth == 0 {
				return i + 1
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth == 0 {
				return scalarEnd(start, i)
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case depth == 0 && (c == ',' || c == ':' || c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			return scalarEnd(start, i)
		}
	}
	return Fault
}

// scalarEnd returns end, unless the scalar from start to end is empty.
func scalarEnd(start, end int) int {
	if start == end {
		return Fault
	}
	return end
}

// misfit returns why value is not valid for the member name of a request. It returns "" if it is valid.
func misfit(name string, value []byte, loose bool) string {
	switch name {
	case "jsonrpc":
		if skipVersion(value, 0) < 0 {
			return `jsonrpc is not "2.0"`
		}
	case "id":
		if SkipID(value, 0, loose) < 0 {
			return "the id must be a string or an integer"
		}
	case "method":
		if value[0] != '"' {
			return "method is not a string"
		}
		if string(value) == `""` {
			return "method is empty"
		}
	case "params":
		if value[0] != '{' && value[0] != '[' && string(value) != "null" {
			return "params is neither an object nor an array"
		}
	}
	return ""
}

// SkipValid returns the index after the value at i, whose syntax must be valid. It counts the open
// brackets instead of recursing, so the depth of the value does not matter.
func SkipValid(b []byte, i int) int {
	depth := 0
	for {
		switch b[i] {
		case '"':
			i = wire.SkipString(b, i+1)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
			continue
		case 't', 'n':
			i += len("true")
		case 'f':
			i += len("false")
		default:
			i = wire.SkipNumber(b, i)
		}
		if depth == 0 {
			return i
		}
	}
}
