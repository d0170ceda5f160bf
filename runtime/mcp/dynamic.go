package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// Dynamic adds tools, resources and prompts to a server while it runs, and hides entries of its
// lists from clients. Package mcpdynamic makes it.
type Dynamic interface {
	listing.Source

	// Attach is called once, by [NewServer], before any other method.
	Attach(s *Server)

	// CallTool, ReadResource, GetPrompt and Complete answer c, or report false if c does not refer
	// to an added entry.
	CallTool(ctx context.Context, c *ToolCall) bool
	ReadResource(ctx context.Context, c *ResourceCall) bool
	GetPrompt(ctx context.Context, c *PromptCall) bool
	Complete(ctx context.Context, c *CompleteCall) bool
}

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

// serveEntries answers with a page of a list that may change and differ from client to client. The
// entries of the schema come first, in its order, then the added ones, sorted by their keys. A
// cursor names the last entry of its page, so that an entry that exists all the time is in exactly
// one page, whatever is added and removed in between.
func (q *Request) serveEntries(ctx context.Context, l listing.List) error {
	s := q.server
	own, added, err := s.after(q, l)
	if err != nil {
		return err
	}
	b := append(append(append(q.call.Result(), `{"`...), listing.Members[l]...), `":[`...)
	n, last, shared := 0, "", true
	for i, e := range slices.Concat(own, added) {
		shared = shared && !e.ForApps
		if !s.opts.Dynamic.Visible(ctx, l, e.Key) || e.ForApps && !q.showsApps() {
			continue
		}
		if s.opts.PageSize > 0 && n == s.opts.PageSize {
			b = wire.AppendString(append(b, `],"nextCursor":`...), last)
			return q.endList(b, shared)
		}
		if n++; n > 1 {
			b = append(b, ',')
		}
		b = append(b, e.JSON...)
		last = position(l, i >= len(own), e.Key)
	}
	return q.endList(append(b, ']'), shared)
}

// endList answers with b and the members that every result of a list has. It is shared if all clients
// get the same.
func (q *Request) endList(b []byte, shared bool) error {
	switch {
	case q.handshake != nil:
	case shared:
		b = append(b, q.server.hints...)
	default:
		b = append(b, q.server.cacheHints("private")...)
	}
	q.call.Return(append(b, q.tail()...))
	return nil
}

// after returns the entries that follow the position of the request's cursor: those of the schema,
// and the added ones.
func (s *Server) after(q *Request, l listing.List) (own, added []listing.Entry, err error) {
	own = s.lists.entries[l]
	if !q.hasCursor {
		return own, s.opts.Dynamic.After(l, ""), nil
	}
	text, err := base64.RawURLEncoding.DecodeString(q.cursor)
	if err != nil || len(text) < 2 || text[0] != byte('0'+l) {
		return nil, nil, unknownCursor(q.cursor)
	}
	key := string(text[2:])
	switch text[1] {
	case addedEntry:
		return nil, s.opts.Dynamic.After(l, key), nil
	case ownEntry:
		if i := slices.IndexFunc(own, func(e listing.Entry) bool { return e.Key == key }); i >= 0 {
			return own[i+1:], s.opts.Dynamic.After(l, ""), nil
		}
	}
	return nil, nil, unknownCursor(q.cursor)
}

// The kinds of entries in a cursor.
const (
	ownEntry   = 's' // of the schema
	addedEntry = 'a'
)

// position returns the cursor of the entries after one.
func position(l listing.List, added bool, key string) string {
	kind := byte(ownEntry)
	if added {
		kind = addedEntry
	}
	return base64.RawURLEncoding.EncodeToString(append([]byte{byte('0' + l), kind}, key...))
}

// visibility rejects requests that name an entry which the client does not see. The answer is that
// for an unknown name. It comes before any other middleware, which may answer by itself.
func (s *Server) visibility(next Handler) Handler {
	return func(ctx context.Context, q *Request) error {
		if q.route == nil {
			return next(ctx, q)
		}
		switch q.route.has & (hasName | hasURI) {
		case hasURI:
			if !q.sees(ctx, listing.Resources, q.name) {
				return q.unknownEntry(listing.Resources)
			}
		case hasName:
			l := listing.Tools
			if q.route == &promptsGet {
				l = listing.Prompts
			}
			if !q.sees(ctx, l, q.name) {
				return q.unknownEntry(l)
			}
		}
		return next(ctx, q)
	}
}

// filters reports whether entries may be hidden from clients.
func (s *Server) filters() bool { return s.opts.Dynamic != nil && s.opts.Dynamic.Filters() }

// sees reports whether the client of the request sees an entry.
func (q *Request) sees(ctx context.Context, l listing.List, key string) bool {
	return q.server.visible(ctx, l, key) && (l != listing.Tools || !q.server.forApps(key) || q.showsApps())
}

// visible reports whether the client sees an entry, as far as [Dynamic] decides that.
func (s *Server) visible(ctx context.Context, l listing.List, key string) bool {
	return s.opts.Dynamic == nil || s.opts.Dynamic.Visible(ctx, l, key)
}

// updatesFor returns a function that reports whether the client of the request that ctx belongs to may
// learn of an update of a resource. It is nil if every client may.
func (s *Server) updatesFor(ctx context.Context) func(uri string) bool {
	if !s.filters() {
		return nil
	}
	return func(uri string) bool { return s.visible(ctx, listing.Resources, uri) }
}

// unknownEntry returns the error for an entry that does not exist.
func (q *Request) unknownEntry(l listing.List) error {
	h := handling{q: q, c: q.call}
	switch l {
	case listing.Tools:
		t := &ToolCall{handling: h}
		t.NotFound("")
		return t.err
	case listing.Prompts:
		p := &PromptCall{h}
		p.NotFound("")
		return p.err
	}
	r := &ResourceCall{handling: h}
	r.NotFound("")
	return r.err
}

// suggestible limits the entries among which the closest name is searched, because a request with an
// unknown name should not cost more than one with a known name by orders of magnitude.
const suggestible = 1000

// names returns the keys that the client may learn of, newline-separated: those of the schema, which
// generated code knows, or those that the client sees of all there are.
func (q *Request) names(generated string, lists ...listing.List) string {
	if q.server.opts.Dynamic == nil {
		return q.server.namesFor(q, generated, lists)
	}
	var all []string
	for _, l := range lists {
		for _, e := range slices.Concat(q.server.lists.entries[l], q.server.opts.Dynamic.After(l, "")) {
			if len(all) < suggestible && q.sees(q.handlerContext(), l, e.Key) {
				all = append(all, e.Key)
			}
		}
	}
	return strings.Join(all, "\n")
}

// namesFor returns the names of the schema without the tools that the client does not see.
func (s *Server) namesFor(q *Request, generated string, lists []listing.List) string {
	if s.apps.tools == nil || !slices.Contains(lists, listing.Tools) || q.showsApps() {
		return generated
	}
	all := strings.Split(generated, "\n")
	return strings.Join(slices.DeleteFunc(all, s.forApps), "\n")
}

// handlerContext returns the context of the handler, or of the request if no handler is called.
func (q *Request) handlerContext() context.Context {
	if q.scope != nil {
		return q.scope
	}
	return q.context
}
