package mcp

import (
	"iter"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// ReturnWhole answers with v, which writes a complete result as an object in compact JSON
// (CallToolResult). Members that the protocol does not know are kept.
func (t *ToolCall) ReturnWhole(v wire.Appender) {
	t.giveWhole(v, false)
	t.q.isError = t.done && isError(t.c.ResultJSON())
}

// isError reports whether a result is the error of a tool.
func isError(result []byte) bool {
	return string(wire.PeekAt(result).In("isError").JSON()) == "true"
}

// ReturnWhole is [ToolCall.ReturnWhole] for the contents of a resource (ReadResourceResult).
func (r *ResourceCall) ReturnWhole(v wire.Appender) { r.giveWhole(v, true) }

// ReturnWhole is [ToolCall.ReturnWhole] for a prompt (GetPromptResult).
func (p *PromptCall) ReturnWhole(v wire.Appender) { p.giveWhole(v, false) }

// ReturnResult answers with a complete result. If it has no cacheScope, the cache settings of the
// server apply.
func (r *ResourceCall) ReturnResult(v *ReadResourceResult) { r.giveWhole(v, true) }

// Return answers with the prompt.
func (p *PromptCall) Return(v *GetPromptResult) { p.giveWhole(v, false) }

// giveWhole answers with a complete result, some of whose members depend on the era.
func (h *handlerCall) giveWhole(v wire.Appender, cached bool) {
	text, err := wire.Marshal(v)
	if err == nil && (len(text) == 0 || text[0] != '{') {
		err = errNoObject
	}
	if err != nil {
		h.Fail(err)
		return
	}
	h.give(h.q.appendResult(h.c.Result(), text, cached))
}

// Respond answers with a whole result, an object in compact JSON, such as one of an equal request or of another
// server. The members that depend on the revision of the request are written anew.
func (q *Request) Respond(result []byte) error {
	if len(result) == 0 || result[0] != '{' {
		return errNoObject
	}
	q.isError = q.route.is(toolsCall) && isError(result)
	q.call.Return(q.appendResult(q.call.Result(), result, q.route.is(resourcesRead)))
	return nil
}

// appendResult appends a result, given as compact JSON, in the form of the request's era: with
// resultType, serverInfo and, for a result that may be cached, ttlMs and cacheScope, or without
// them.
func (q *Request) appendResult(b, text []byte, cached bool) []byte {
	start, kind, hints := len(b), `"complete"`, q.server.hints
	var meta, ttl, scope []byte
	for name, value := range eachMember(text) {
		switch name {
		case "resultType":
			if len(value) > len(`""`) {
				kind = string(value)
			}
		case "ttlMs":
			ttl = value
		case "cacheScope":
			scope = value
		case "_meta":
			meta = value
		default:
			b = append(wire.AppendString(append(b, ','), name), ':')
			b = append(b, value...)
		}
	}
	if q.handshake == nil {
		b = append(append(b, `,"resultType":`...), kind...)
		if len(ttl) > 0 && len(scope) > len(`""`) {
			if q.server.filters() {
				scope = []byte(`"private"`)
			}
			hints = `,"ttlMs":` + string(ttl) + `,"cacheScope":` + string(scope)
		}
		if cached {
			b = append(b, hints...)
		}
	}
	return wire.CloseObject(q.appendMeta(b, meta), start)
}

// complete appends the result of a method that is not part of MCP, with the members that every
// stateless result has if it is an object.
func (q *Request) complete(b, result []byte) []byte {
	if result[0] != '{' {
		return append(b, result...)
	}
	return q.appendResult(b, result, false)
}

// appendMeta appends the member _meta, in which a stateless result names its server.
func (q *Request) appendMeta(b, meta []byte) []byte {
	head, start := len(b), 0
	b = append(b, `,"_meta":`...)
	start = len(b)
	for name, value := range eachMember(meta) {
		if name != protocol.MetaServerInfo || q.handshake != nil {
			b = append(wire.AppendString(append(b, ','), name), ':')
			b = append(b, value...)
		}
	}
	if q.handshake == nil && !q.server.opts.Anonymous {
		b = append(append(b, `,"`+protocol.MetaServerInfo+`":`...), q.server.implementation...)
	}
	if len(b) == start {
		return b[:head]
	}
	return wire.CloseObject(b, start)
}

// eachMember returns the members of an object in compact JSON, which must be valid. An empty text
// has none.
func eachMember(text []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for i := 1; i < len(text)-1; i++ { // skips the brace, and then each comma
			name, at := wire.Str(text, i)
			at++ // the colon
			if i = wire.Skip(text, at, wire.MaxDepth); !yield(name, text[at:i:i]) {
				return
			}
		}
	}
}
