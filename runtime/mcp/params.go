package mcp

import (
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// params are the members of a request's params that the server itself uses. They share the bytes of
// the message.
type params struct {
	meta meta // the member _meta

	name      string // the member name, uri or taskId
	named     bool   // it is present
	cursor    string
	hasCursor bool
	arguments []byte // JSON object; nil if absent
	responses []byte // inputResponses, as a JSON object; nil if absent
	state     string // requestState
	hasState  bool
}

// members is the set of these members that a method has.
type members uint8

const (
	hasName members = 1 << iota
	hasURI
	hasArguments
	hasCursor
	hasInput
	hasTask
)

// scan reads the params once. The arguments, which another handler will decode, are only checked to be
// JSON. All other members may be read by cursor, so none may be there twice.
// Absent members are not reported yet: whether the request belongs to its era is checked first.
func (p *params) scan(r *wire.Reader, has members, metas *metaCache) {
	var o wire.Members
	var others wire.Others
	for r.Object(&o); r.More(&o); {
		if has&hasName != 0 && r.Key(&o, 0, `"name":`) {
			p.name, p.named = r.String(), true
		}
		if has&hasURI != 0 && r.Key(&o, 1, `"uri":`) {
			p.name, p.named = r.String(), true
		}
		if has&hasTask != 0 && r.Key(&o, 7, `"taskId":`) {
			p.name, p.named = r.String(), true
		}
		if has&hasArguments != 0 && r.KeyNotNull(&o, 2, `"arguments":`) {
			p.arguments = protocol.Object(r)
		}
		if r.KeyNotNull(&o, 6, `"_meta":`) {
			metas.scan(&p.meta, r)
		}
		if has&hasCursor != 0 && r.KeyNotNull(&o, 3, `"cursor":`) {
			p.cursor, p.hasCursor = r.String(), true
		}
		if has&hasInput != 0 {
			if r.KeyNotNull(&o, 4, `"inputResponses":`) {
				p.responses = protocol.ObjectOnce(r)
			}
			if r.KeyNotNull(&o, 5, `"requestState":`) {
				p.state, p.hasState = r.String(), true
			}
		}
		others.Take(r, &o)
	}
}

// decode reads params, or a part of them, from JSON text. Violations are answered with -32602.
func decode(text []byte, read func(r *wire.Reader)) error {
	err := wire.Unmarshal(text, read, nil)
	if broken, ok := errors.AsType[*violation.Error](err); ok {
		return runtime.InvalidParams(broken.Violations, broken.Dropped)
	}
	return err
}
