package mcp

import (
	"bytes"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// entries returns the elements of a list of the schema, a JSON array.
func entries(l listing.List, array string) (all []listing.Entry) {
	if array == "" {
		return nil
	}
	var r wire.Reader
	r.Reset([]byte(array), 0, wire.MaxDepth)
	for a := r.Array(); r.Elem(&a); {
		text := bytes.Clone(r.Text())
		key, _ := wire.PeekAt(text).In(listing.Keys[l]).Text()
		all = append(all, listing.Entry{Key: key, JSON: text, ForApps: l == listing.Tools && protocol.ForApps(wire.PeekAt(text))})
	}
	return all
}

// lists holds the constant results, which are made once.
type lists struct {
	tools, resources, templates, prompts list
	profiles                             []profile                             // of the tools; nil if there are none
	withoutApps                          list                                  // tools, for clients without MCP Apps; nil if they see all
	entries                              [listing.Count]func() []listing.Entry // of the schema, made when they are needed
	discovered                           []byte                                // server/discover
	initialized                          string                                // the part of the result of initialize after the protocolVersion
}

// profile is a listing of the tools for some clients.
type profile struct {
	mcpgen.Profile
	tools, withoutApps list // see lists
	entries            []listing.Entry
}

// list holds the results of a list method, one for each page. Without paging there is one page.
type list []page

type page struct {
	cursor    string // selects the page; empty for the first one
	stateless []byte
	handshake []byte
}

// keptPage is the first page of a list, which is the same for many clients until an entry changes.
type keptPage struct {
	own, added []listing.Entry // that it was made of
	most       int
	text       []byte // without the members that all results have
	shared     bool
}

// split splits a JSON array into arrays of at most size elements. A size of 0 means no limit.
func split(array string, size int) (chunks []string) {
	if size <= 0 {
		return []string{array}
	}
	var r wire.Reader
	r.Reset([]byte(array), 0, wire.MaxDepth)
	var chunk []byte
	n := 0
	for a := r.Array(); r.Elem(&a); n++ {
		if n > 0 && n%size == 0 {
			chunks = append(chunks, string(append(chunk, ']')))
			chunk = nil
		}
		chunk = append(append(chunk, ','), r.Text()...)
		chunk[0] = '['
	}
	if n == 0 {
		return []string{"[]"}
	}
	return append(chunks, string(append(chunk, ']')))
}

// unknownCursor is the error for a cursor that no page of the list has sent.
func unknownCursor(cursor string) error {
	return runtime.InvalidParams([]violation.Violation{{Pointer: "/cursor", Rule: "enum", Expected: "a nextCursor of this list",
		Got: strconv.Quote(peerlog.Clip(cursor))}}, 0)
}
