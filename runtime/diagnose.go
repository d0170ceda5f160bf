package runtime

import (
	"errors"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// verdict says what is wrong with a message.
type verdict struct {
	object ErrorObject // parseError or invalidRequest; code 0: nothing is wrong
	detail string      // for the log, and for peers that are owed an explanation
	id     []byte      // the id's text, when it was readable; else nil
	seen   uint8       // which members there are
}

// diagnose finds out what is wrong with a message that scanning refused: it is no JSON, or it is no request. Nothing hurries
// here.
func diagnose(b []byte, loose bool, depth int) verdict {
	err := wire.Check(b, depth)
	if _, deep := errors.AsType[*wire.DepthError](err); err != nil && !deep {
		return verdict{object: parseError, detail: err.Error()}
	}
	i := wire.Space(b, 0)
	if b[i] != '{' {
		return verdict{object: invalidRequest, detail: "a message is an object"}
	}
	v := inspect(b, wire.Space(b, i+1), loose)
	if v.detail == "" && err != nil {
		v.detail = err.Error()
	}
	if v.detail != "" {
		v.object = invalidRequest
	}
	return v
}

// inspect reads the members of an object whose syntax is known to be good, and names the first fault.
func inspect(b []byte, i int, loose bool) (v verdict) {
	seen := make(map[string]struct{})
	complain := func(what string) {
		if v.detail == "" {
			v.detail = what
		}
	}
	unknown := 0
	for b[i] != '}' {
		name, at := memberText(b, i)
		end := skipValid(b, at)
		if _, twice := seen[name]; twice {
			complain("the member " + peerlog.Text(name) + " is there twice")
			if name == "id" {
				v.id = nil
			}
		} else if name == "id" && skipID(b, at, loose) >= 0 {
			v.id = b[at:end]
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
		v.seen |= memberBit(name)
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

// misfit says why a member's value is not one that a request can have; empty: it is.
func misfit(name string, value []byte, loose bool) string {
	switch name {
	case "jsonrpc":
		if string(value) != `"2.0"` {
			return `jsonrpc is not "2.0"`
		}
	case "id":
		if skipID(value, 0, loose) < 0 {
			return "an id of this protocol is a string or an integer"
		}
	case "method":
		if value[0] != '"' {
			return "method is not a string"
		}
	case "params":
		if value[0] != '{' && value[0] != '[' {
			return "params is neither an object nor an array"
		}
	}
	return ""
}

// skipValid returns the index after the value at i, which is known to be valid and may be nested to any depth.
func skipValid(b []byte, i int) int {
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
