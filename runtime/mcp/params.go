package mcp

import (
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// params are the members of a request's params that the server itself looks at. They share the message.
type params struct {
	meta

	name      string // the member name, or uri
	named     bool   // it is there
	cursor    string
	hasCursor bool
	arguments []byte // JSON text of an object; nil: there was none
	responses []byte // inputResponses, likewise
	state     string // requestState
	hasState  bool
}

// members says which of them a method has.
type members uint8

const (
	hasName members = 1 << iota
	hasURI
	hasArguments
	hasCursor
	hasInput
)

// scan reads the params once. What is in objects that somebody else is going to decode is only checked to be JSON.
// What is missing is not looked for yet: first a request has to be one of its era.
func (p *params) scan(r *wire.Reader, has members) {
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if has&hasName != 0 && r.Key(&o, 0, `"name":`) {
			p.name, p.named = r.String(), true
		}
		if has&hasURI != 0 && r.Key(&o, 1, `"uri":`) {
			p.name, p.named = r.String(), true
		}
		if has&hasArguments != 0 && r.Key(&o, 2, `"arguments":`) {
			p.arguments = protocol.Object(r)
		}
		if r.Key(&o, 6, `"_meta":`) {
			p.meta.scan(r)
		}
		if has&hasCursor != 0 && r.Key(&o, 3, `"cursor":`) {
			p.cursor, p.hasCursor = r.String(), true
		}
		if has&hasInput != 0 {
			if r.Key(&o, 4, `"inputResponses":`) {
				p.responses = protocol.Object(r)
			}
			if r.Key(&o, 5, `"requestState":`) {
				p.state, p.hasState = r.String(), true
			}
		}
	}
}

// decode reads params, or a part of them, as JSON text. What is wrong with them is answered as -32602.
func decode(text []byte, read func(r *wire.Reader)) error {
	err := wire.Unmarshal(text, read, nil)
	if broken, ok := errors.AsType[*rule.Error](err); ok {
		return runtime.InvalidParams(broken.Violations, broken.Dropped)
	}
	return err
}
