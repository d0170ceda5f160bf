package mcp

import (
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// implementation returns the description of the server as JSON (Implementation).
func implementation(info *Info) string {
	b := wire.AppendString([]byte(`{"name":`), info.Name)
	b = wire.AppendString(append(b, `,"version":`...), info.Version)
	for _, member := range []struct{ name, text string }{{"title", info.Title}, {"description", info.Description}, {"websiteUrl", info.Website}} {
		if member.text != "" {
			b = wire.AppendString(append(b, `,"`+member.name+`":`...), member.text)
		}
	}
	if info.Icons != "" {
		b = append(append(b, `,"icons":`...), info.Icons...)
	}
	return string(append(b, '}'))
}

// resultTail returns the end of stateless results: their type, and the server that made them
// (basic, Per-response protocol fields).
func (s *Server) resultTail() string {
	if s.opts.Anonymous {
		return `,"resultType":"complete"}`
	}
	return `,"resultType":"complete","_meta":{"` + protocol.MetaServerInfo + `":` + s.implementation + `}}`
}

// cacheHints returns how long clients may cache a result, as members with a comma before each one
// (server/utilities/caching). What is hidden from some clients must not be shared among them.
func (s *Server) cacheHints(scope string) string {
	if scope == "" || s.filters() {
		scope = "private"
	}
	b := wire.AppendInt([]byte(`,"ttlMs":`), max(s.info.TTLMs, 0))
	return string(wire.AppendString(append(b, `,"cacheScope":`...), scope))
}
