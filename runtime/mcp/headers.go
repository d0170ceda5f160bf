package mcp

import (
	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// checkHeaders compares the mirrored headers, except the revision, with the request.
func (s *Server) checkHeaders(q *Request, h protocol.HTTPHeaders) error {
	if wrong := h.Differs(protocol.HeaderMethod, q.method); wrong != "" {
		return headerMismatch(wrong)
	}
	if q.route == nil || !q.route.eras.has(Stateless) || q.route.has&(hasName|hasURI|hasTask) == 0 || q.name == "" {
		return nil
	}
	if wrong := h.DiffersEncoded(protocol.HeaderName, q.name, false); wrong != "" {
		return headerMismatch(wrong)
	}
	if !q.route.is(toolsCall) {
		return nil
	}
	if !q.sees(q.context, listing.Tools, q.name) {
		return nil // it will be answered as unknown
	}
	mirrored, declared := s.headers[q.name]
	if !declared && s.opts.Dynamic != nil {
		mirrored = s.opts.Dynamic.Headers(q.name)
	}
	for i := range mirrored {
		if wrong := checkHeader(&mirrored[i], h, wire.PeekAt(q.arguments)); wrong != "" {
			return headerMismatch(wrong)
		}
	}
	return nil
}

// checkBatchHeaders refuses a batch whose headers mirror one message of it.
func (s *Server) checkBatchHeaders(h protocol.HTTPHeaders) error {
	for _, name := range []string{protocol.HeaderMethod, protocol.HeaderName} {
		if len(h.Values(name)) > 0 {
			return headerMismatch(name + " is that of one message, and this is a batch")
		}
	}
	return nil
}

// checkHeader compares the header with the argument. An argument that is absent or null has no
// header.
func checkHeader(t *mcpgen.ToolHeader, h protocol.HTTPHeaders, arguments wire.Peek) (wrong string) {
	name := protocol.HeaderParam + t.Header
	p := arguments
	for _, member := range t.Path {
		p = p.In(member)
	}
	want, ok := t.Text(p)
	if ok {
		return h.DiffersEncoded(name, want, t.Kind == mcpgen.HeaderInteger)
	}
	if p.Kind() <= wire.Null && len(h.Values(name)) > 0 {
		return name + " is there, and the argument is not"
	}
	return "" // the arguments will be rejected
}
