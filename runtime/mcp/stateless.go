package mcp

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// admitStateless makes the checks that every stateless request has to pass, in a fixed order: first
// the required members of the body, then whether the headers agree with it, then whether the
// revision is served.
func (s *Server) admitStateless(q *Request) error {
	if q.route == &initialize && q.version == "" {
		return s.refuseHandshake(q)
	}
	if len(s.modern) == 0 {
		return s.notInitialized(q)
	}
	if !q.meta.sound() {
		return q.meta.diagnose(q.call.PeekParams().In("_meta"))
	}
	headers := protocol.HTTPFrom(q.context)
	if headers != nil {
		if err := equalHeader(headers, protocol.HeaderVersion, q.version); err != nil {
			return err
		}
	}
	if !slices.Contains(s.modern, q.version) {
		return unsupportedVersion(s.revisions, q.version)
	}
	switch {
	case headers == nil:
		return nil
	case protocol.IsHTTPBatch(q.context):
		return s.checkBatchHeaders(headers)
	}
	return s.checkHeaders(q, headers)
}

// refuseHandshake answers a client that begins a session where there is none with the revisions that
// are served there (basic/versioning): those without sessions.
func (s *Server) refuseHandshake(q *Request) error {
	requested, _ := q.call.PeekParams().In("protocolVersion").Text()
	if len(s.modern) == 0 {
		return &fault{runtime.CodeInvalidRequest, 400, "This transport has no sessions, which all revisions that the server supports need", nil}
	}
	return unsupportedVersion(s.modern, requested)
}

// notInitialized is the error for a request before the handshake of a session (2025-11-25,
// basic/lifecycle), unless the schema declares another.
func (s *Server) notInitialized(q *Request) error {
	return s.declared(runtime.Condition{Kind: when.NotInitialized, Method: q.Method()},
		&fault{runtime.CodeInvalidRequest, 400, "Not initialized: a session begins with initialize", nil})
}
