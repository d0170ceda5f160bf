package mcpclient

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
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
	hasCursor  bool
	hasTTL     bool
	hasScope   bool
	nulls      bool // members are null that count as absent
}

// key is [wire.Reader.Key] for a member that is absent when it is null.
func (o *outcome) key(r *wire.Reader, m *wire.Members, n int, name string) bool {
	if !r.Key(m, n, name) {
		return false
	}
	null := r.Null()
	o.nulls = o.nulls || null
	return !null
}

// scan reads the result. Null for a member is as if it were absent: none of them may be null.
func (o *outcome) scan(r *wire.Reader) {
	var m wire.Members
	var others wire.Others
	for r.Object(&m); r.More(&m); {
		if o.key(r, &m, 0, `"resultType":`) {
			o.kind = r.String()
		}
		if o.key(r, &m, 1, `"isError":`) {
			o.isError = r.Bool()
		}
		if o.key(r, &m, 2, `"structuredContent":`) {
			o.structured = r.Text()
		}
		if o.key(r, &m, 3, `"content":`) {
			o.content = r.Text()
		}
		if o.key(r, &m, 4, `"_meta":`) {
			o.meta = wire.TextOnce(r)
		}
		if o.key(r, &m, 5, `"contents":`) {
			o.contents = r.Text()
		}
		if o.key(r, &m, 6, `"inputRequests":`) {
			o.requests = protocol.ObjectOnce(r)
		}
		if o.key(r, &m, 7, `"requestState":`) {
			o.state, o.hasState = r.String(), true
		}
		if o.key(r, &m, 8, `"nextCursor":`) {
			o.cursor, o.hasCursor = r.String(), true
		}
		if o.key(r, &m, 9, `"ttlMs":`) {
			r.Skip()
			o.hasTTL = true
		}
		if o.key(r, &m, 10, `"cacheScope":`) {
			r.Skip()
			o.hasScope = true
		}
		others.Take(r, &m)
	}
}

// whole returns the result with the members that servers of earlier revisions leave out: it is
// complete and must not be cached. A tool that gives structured content and no other has run, so
// its result has none.
func (o *outcome) whole(cached, tool bool) []byte {
	bare := tool && o.structured != nil && o.content == nil
	if o.kind != "" && !bare && (!cached || o.hasTTL && o.hasScope) {
		return o.text
	}
	b, text := make([]byte, 0, len(o.text)+64), o.text
	if o.nulls {
		text = withoutNulls(text)
	}
	if o.kind == "" {
		b = append(b, `,"resultType":"complete"`...)
	}
	if bare {
		b = append(b, `,"content":[]`...)
	}
	if cached && !o.hasTTL {
		b = append(b, `,"ttlMs":0`...)
	}
	if cached && !o.hasScope {
		b = append(b, `,"cacheScope":"private"`...)
	}
	if rest := text[wire.Space(text, 1):]; rest[0] != '}' {
		b = append(b, ',')
		b = append(b, rest...)
	} else {
		b = append(b, '}')
	}
	b[0] = '{'
	return b
}

// withoutNulls returns an object without the members that are null.
func withoutNulls(text []byte) []byte {
	b := make([]byte, 0, len(text))
	for name, value := range wire.PeekAt(text).Members() {
		if value.Kind() != wire.Null {
			b = append(wire.AppendString(append(b, ','), name), ':')
			b = append(b, value.JSON()...)
		}
	}
	return wire.CloseObject(b, 0)
}

// resultOf decodes a part of the result of q. The text must be valid JSON.
func resultOf(q *outgoing, text []byte, decode func(*wire.Reader), check func(*violation.List)) error {
	err := wire.Unmarshal(text, decode, check)
	if broken, ok := err.(*violation.Error); ok {
		return &runtime.ResponseError{Method: q.title(), What: "the result does not fit the schema", Violations: broken.Violations}
	}
	return err
}
