package mcp

import (
	"context"
	"encoding/base64"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
)

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
	n, last, shared := 0, "", l != listing.Tools || len(s.lists.profiles) == 0
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
	if p := q.profile(); p != nil && l == listing.Tools {
		own = p.entries
	}
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
