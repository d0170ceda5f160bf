package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"slices"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/room"
)

// aroundPage is the room for what a message has besides the entries of a page.
const aroundPage = 4 << 10

// serveEntries answers with a page of a list that may change and differ from client to client. The
// entries of the schema come first, in its order, then the added ones, sorted by their keys. A
// cursor names the last entry of its page, so that an entry that exists all the time is in exactly
// one page, whatever is added and removed in between. A page ends before the message is too large.
func (q *Request) serveEntries(ctx context.Context, l listing.List) error {
	s := q.server
	own, added, err := s.after(q, l)
	if err != nil {
		return err
	}
	b, most := q.call.Result(), room.Of(q.call)-aroundPage-len(s.hints)-len(s.tail)
	var kept *atomic.Pointer[keptPage] // of a first page that does not depend on the client
	if !q.hasCursor && !s.filters() {
		if kept = &s.pages[l][0]; q.showsApps() {
			kept = &s.pages[l][1]
		}
		if p := kept.Load(); p != nil && same(p.own, own) && same(p.added, added) && p.most == most {
			return q.endList(append(b, p.text...), p.shared)
		}
	}
	begin := len(b)
	b = append(append(append(b, `{"`...), listing.Members[l]...), `":[`...)
	n, last, shared, next := 0, "", l != listing.Tools || len(s.lists.profiles) == 0, false
	for i, e := range slices.Concat(own, added) {
		shared = shared && !e.ForApps
		if !s.visible(ctx, l, e.Key) || e.ForApps && !q.showsApps() {
			continue
		}
		if next = n > 0 && (n == s.opts.PageSize || len(b)+len(e.JSON) > most); next {
			break
		}
		if n++; n > 1 {
			b = append(b, ',')
		}
		b = append(b, e.JSON...)
		last = position(l, i >= len(own), e.Key)
	}
	if b = append(b, ']'); next {
		b = wire.AppendString(append(b, `,"nextCursor":`...), last)
	}
	if kept != nil {
		kept.Store(&keptPage{own, added, most, bytes.Clone(b[begin:]), shared})
	}
	return q.endList(b, shared)
}

// same reports whether lists of entries are one, which is never changed.
func same(a, b []listing.Entry) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

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
	own = s.lists.entries[l]()
	if p := q.profile(); p != nil && l == listing.Tools {
		own = p.entries
	}
	if !q.hasCursor {
		return own, addedTo(s.opts.Dynamic, l, ""), nil
	}
	text, err := base64.RawURLEncoding.DecodeString(q.cursor)
	if err != nil || len(text) < 2 || text[0] != byte('0'+l) {
		return nil, nil, unknownCursor(q.cursor)
	}
	key := string(text[2:])
	switch text[1] {
	case addedEntry:
		return nil, addedTo(s.opts.Dynamic, l, key), nil
	case ownEntry:
		if i := slices.IndexFunc(own, func(e listing.Entry) bool { return e.Key == key }); i >= 0 {
			return own[i+1:], addedTo(s.opts.Dynamic, l, ""), nil
		}
	}
	return nil, nil, unknownCursor(q.cursor)
}

// addedTo returns the added entries after a key.
func addedTo(d Dynamic, l listing.List, key string) []listing.Entry {
	if d == nil {
		return nil
	}
	return d.After(l, key)
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
