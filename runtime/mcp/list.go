package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// lists holds the constant results, which are made once.
type lists struct {
	tools, resources, templates, prompts list
	withoutApps                          list                           // tools, for clients without MCP Apps; nil if they see all
	entries                              [listing.Count][]listing.Entry // of the schema; nil without Options.Dynamic
	discovered                           []byte                         // server/discover
	initialized                          string                         // the part of the result of initialize after the protocolVersion
}

// list holds the results of a list method, one for each page. Without paging there is one page.
type list []page

type page struct {
	cursor    string // selects the page; empty for the first one
	stateless []byte
	handshake []byte
}

func newLists(s *Server) lists {
	made := lists{
		tools:       s.newList("tools", s.info.Tools, s.hints),
		resources:   s.newList("resources", s.info.Resources, s.hints),
		templates:   s.newList("resourceTemplates", s.info.Templates, s.hints),
		prompts:     s.newList("prompts", s.info.Prompts, s.hints),
		discovered:  s.discovered(),
		initialized: s.initialized(),
	}
	if s.apps.tools != nil {
		hints := s.cacheHints("private")
		made.tools = s.newList("tools", s.info.Tools, hints)
		made.withoutApps = s.newList("tools", withoutApps(s.info.Tools), hints)
	}
	if s.opts.Dynamic != nil {
		for l, array := range [listing.Count]string{s.info.Tools, s.info.Prompts, s.info.Resources, s.info.Templates} {
			made.entries[l] = entries(listing.List(l), array)
		}
	}
	return made
}

// newList makes the results of a list from the JSON array of all its elements, and its cache members.
func (s *Server) newList(member, array, hints string) list {
	if array == "" {
		array = "[]"
	}
	chunks := split(array, s.opts.PageSize)
	l := make(list, len(chunks))
	for i := range l {
		if i > 0 {
			l[i].cursor = cursor(array, i)
		}
	}
	for i, chunk := range chunks {
		b := append([]byte(`{"`+member+`":`), chunk...)
		if i+1 < len(l) {
			b = wire.AppendString(append(b, `,"nextCursor":`...), l[i+1].cursor)
		}
		l[i].handshake = append(b[:len(b):len(b)], '}')
		l[i].stateless = append(append(b[:len(b):len(b)], hints...), s.tail...)
	}
	return l
}

// cursor returns the cursor of a page. It is opaque to clients, and depends on the content of the
// list, so a cursor of another list or of another version of the list is not accepted.
func cursor(array string, page int) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(page) + array))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
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

// serve answers with the page that the request asks for (server/utilities/pagination).
func (l list) serve(q *Request) error {
	for i := range l {
		if p := &l[i]; q.hasCursor == (i > 0) && q.cursor == p.cursor {
			if q.handshake == nil {
				return q.respond(p.stateless)
			}
			return q.respond(p.handshake)
		}
	}
	return unknownCursor(q.cursor)
}

// unknownCursor is the error for a cursor that no page of the list has sent.
func unknownCursor(cursor string) error {
	return runtime.InvalidParams([]rule.Violation{{Pointer: "/cursor", Rule: "enum", Expected: "a nextCursor of this list", Got: strconv.Quote(protocol.Clip(cursor))}}, 0)
}

// serveList answers with a page of a list.
func serveList(ctx context.Context, q *Request, l listing.List, constant list) error {
	if q.server.opts.Dynamic != nil {
		return q.serveEntries(ctx, l)
	}
	return constant.serve(q)
}

func serveTools(ctx context.Context, q *Request) error {
	lists := &q.server.lists
	if lists.withoutApps != nil && !q.showsApps() {
		return serveList(ctx, q, listing.Tools, lists.withoutApps)
	}
	return serveList(ctx, q, listing.Tools, lists.tools)
}

func serveResources(ctx context.Context, q *Request) error {
	return serveList(ctx, q, listing.Resources, q.server.lists.resources)
}

func serveTemplates(ctx context.Context, q *Request) error {
	return serveList(ctx, q, listing.Templates, q.server.lists.templates)
}

func servePrompts(ctx context.Context, q *Request) error {
	return serveList(ctx, q, listing.Prompts, q.server.lists.prompts)
}
