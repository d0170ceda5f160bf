package mcpclient

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// outcome is a result of a server, of which the members that every client needs are scanned. They
// share the bytes of the message.
type outcome struct {
	text       []byte // the complete result
	kind       string // resultType; empty if absent
	isError    bool
	structured []byte // structuredContent; nil if absent
	content    []byte
	meta       []byte
	contents   []byte // of a resource
	requests   []byte // inputRequests
	state      string // requestState
	hasState   bool
	cursor     string // nextCursor
	hasTTL     bool
	hasScope   bool
}

// scan reads the result.
func (o *outcome) scan(r *wire.Reader) {
	var m wire.Members
	var others wire.Others
	for r.Object(&m); r.More(&m); {
		r.KeyString(&m, 0, `"resultType":`, &o.kind)
		r.KeyBool(&m, 1, `"isError":`, &o.isError)
		if r.Key(&m, 2, `"structuredContent":`) {
			o.structured = r.Text()
		}
		if r.Key(&m, 3, `"content":`) {
			o.content = r.Text()
		}
		if r.Key(&m, 4, `"_meta":`) {
			o.meta = wire.TextOnce(r)
		}
		if r.Key(&m, 5, `"contents":`) {
			o.contents = r.Text()
		}
		if r.Key(&m, 6, `"inputRequests":`) {
			o.requests = protocol.ObjectOnce(r)
		}
		if r.Key(&m, 7, `"requestState":`) {
			o.state, o.hasState = r.String(), true
		}
		r.KeyString(&m, 8, `"nextCursor":`, &o.cursor)
		if r.Key(&m, 9, `"ttlMs":`) {
			r.Skip()
			o.hasTTL = true
		}
		if r.Key(&m, 10, `"cacheScope":`) {
			r.Skip()
			o.hasScope = true
		}
		others.Take(r, &m)
	}
}

// whole returns the result with the members that servers of earlier revisions leave out: it is
// complete and must not be cached.
func (o *outcome) whole(cached bool) []byte {
	if o.kind != "" && (!cached || o.hasTTL && o.hasScope) {
		return o.text
	}
	b, start := make([]byte, 0, len(o.text)+64), 0
	if o.kind == "" {
		b = append(b, `,"resultType":"complete"`...)
	}
	if cached && !o.hasTTL {
		b = append(b, `,"ttlMs":0`...)
	}
	if cached && !o.hasScope {
		b = append(b, `,"cacheScope":"private"`...)
	}
	if rest := o.text[wire.Space(o.text, 1):]; rest[0] != '}' {
		b = append(b, ',')
		b = append(b, rest...)
	} else {
		b = append(b, '}')
	}
	b[start] = '{'
	return b
}

// resultOf decodes a part of the result of q. The text must be valid JSON.
func resultOf(q *outgoing, text []byte, decode func(*wire.Reader), check func(*rule.Violations)) error {
	err := wire.Unmarshal(text, decode, check)
	if broken, ok := err.(*rule.Error); ok {
		return &runtime.ResponseError{Method: q.title(), What: "the result does not fit the schema", Violations: broken.Violations}
	}
	return err
}
