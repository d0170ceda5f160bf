package mcp

import (
	"context"
	"maps"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
)

// capabilities returns the capabilities of the server as JSON (ServerCapabilities).
// Tasks are an extension of the stateless era, and a part of the last revision with a handshake. MCP
// Apps are an extension of both.
func (s *Server) capabilities(era Era) string {
	b := appendFeatures([]byte(`{"logging":{}`), "experimental", s.opts.Experimental)
	if canComplete(s) {
		b = append(b, `,"completions":{}`...)
	}
	if hasPrompts(s) {
		b = append(b, `,"prompts":{"listChanged":true}`...)
	}
	if hasResources(s) {
		b = append(b, `,"resources":{`...)
		if canSubscribe(s) {
			b = append(b, `"subscribe":true,`...)
		}
		b = append(b, `"listChanged":true}`...)
	}
	if hasTasks(s) && era == Handshake {
		b = append(b, `,"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`...)
	}
	b = appendFeatures(b, "extensions", s.extensions(era))
	if hasTools(s) {
		b = append(b, `,"tools":{"listChanged":true}`...)
	}
	return string(append(b, '}'))
}

// extensions returns those of the options, and those that the runtime serves.
func (s *Server) extensions(era Era) map[string]runtime.Raw {
	all := make(map[string]runtime.Raw)
	if s.apps.declared {
		all[protocol.AppsExtension] = runtime.Raw{}
	}
	maps.Copy(all, s.opts.Extensions)
	if hasTasks(s) && era == Stateless {
		all[tasking.Extension] = runtime.Raw{}
	}
	return all
}

// appendFeatures appends a member with features and their settings, with a comma before it. There is
// none if there are no features.
func appendFeatures(b []byte, member string, features map[string]runtime.Raw) []byte {
	for i, name := range slices.Sorted(maps.Keys(features)) {
		if i == 0 {
			b = append(wire.AppendString(append(b, ','), member), ":{"...)
		} else {
			b = append(b, ',')
		}
		b = append(wire.AppendString(b, name), ':')
		if settings := features[name]; settings.Kind() == wire.Object {
			b = wire.AppendRaw(b, settings)
		} else {
			b = append(b, "{}"...)
		}
	}
	if len(features) > 0 {
		b = append(b, '}')
	}
	return b
}

// instructions returns the member of that name with a comma before it, or "" if there are none.
func (s *Server) instructions() string {
	if s.info.Instructions == "" {
		return ""
	}
	return string(wire.AppendString([]byte(`,"instructions":`), s.info.Instructions))
}

// discoverResult returns the result of server/discover (server/discover). It contains the name of the
// server even if the server is [Options.Anonymous].
func (s *Server) discoverResult() []byte {
	b := wire.AppendStrings([]byte(`{"resultType":"complete","supportedVersions":`), s.revisions)
	b = append(append(b, `,"capabilities":`...), s.capabilities(Stateless)...)
	b = append(append(b, s.instructions()...), s.hints...)
	return append(append(b, `,"_meta":{"`+protocol.MetaServerInfo+`":`...), s.implementation+"}}"...)
}

func serveDiscover(_ context.Context, q *Request) error { return q.respond(q.server.lists.discovered) }
