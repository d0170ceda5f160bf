package mcpview

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"hash"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/seal"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// prefix begins the cursors of lists that were cut, which the handlers never see.
const prefix = "view~"

// Page is where a call continues a list. The zero value is the beginning of what the handler gives.
type Page struct {
	cursor runtime.Opt[string] // what the handler takes
	given  int                 // how many items of what it gives were given before
	last   string              // the digest of the last one of them
	key    []byte              // of the digest: the state key that has signed the cursor
}

// Continue takes the cursor of a call and leaves the one that the handler gave or takes. A cursor
// that this server did not make for the tool is answered as a violation: see
// [mcp.ToolCall.Answered].
func (v *View) Continue(c *mcp.ToolCall, cursor *runtime.Opt[string]) (p Page) {
	p.cursor = *cursor
	text, ok := cursor.Get()
	if !ok || !strings.HasPrefix(text, prefix) {
		return p
	}
	sealed, key, ok := open(c.StateKeys(), text[len(prefix):])
	if !ok || wire.Unmarshal(sealed, func(r *wire.Reader) { ok = p.read(r, v.Tool) }, nil) != nil || !ok {
		c.RejectArguments(&violation.Error{Violations: []violation.Violation{{
			Pointer: "/" + violation.EscapePointer(v.Cursor), Rule: "cursor", Expected: "the cursor of an earlier result of " + v.Tool, Got: "another text",
		}}})
		return Page{}
	}
	*cursor, p.key = p.cursor, key
	return p
}

// open returns what was sealed, and the key that has signed it.
func open(keys [][]byte, text string) (sealed, key []byte, ok bool) {
	for _, key := range keys {
		if sealed, ok := seal.Open([][]byte{key}, text); ok {
			return sealed, key, true
		}
	}
	return nil, nil, false
}

// read reads what a cursor says, and reports whether it was made for the tool.
func (p *Page) read(r *wire.Reader, tool string) bool {
	*p = Page{}
	var o wire.Members
	var of string
	for r.Object(&o); r.More(&o); {
		r.KeyString(&o, 0, `"view":`, &of)
		if r.Key(&o, 1, `"cursor":`) {
			p.cursor = runtime.Some(r.String())
		}
		if r.Key(&o, 2, `"given":`) {
			p.given = int(r.Int32())
		}
		r.KeyString(&o, 3, `"last":`, &p.last)
	}
	return of == tool && p.given > 0
}

// cursor is the cursor that continues the list after n of the items that are shown.
func (r *result) cursor(c *mcp.ToolCall, n int) string {
	given := r.list.from + n
	b := wire.AppendString([]byte(`{"view":`), r.view.Tool)
	if text, ok := r.wanted.Page.cursor.Get(); ok {
		b = wire.AppendString(append(b, `,"cursor":`...), text)
	}
	b = wire.AppendInt(append(b, `,"given":`...), int64(given))
	var salt [saltSize]byte
	rand.Read(salt[:])
	key := c.StateKeys()[0]
	b = wire.AppendString(append(b, `,"last":`...), newDigester(key, salt[:]).digest(r.list.items[given-1]))
	return prefix + seal.Seal(key, append(b, '}'))
}

// first is the first of the items that was not given before: the one after the last that was, where
// that one stands now, and otherwise the one in its place.
func (p Page) first(items [][]byte) int {
	if p.given == 0 {
		return 0
	}
	salt, err := seal.Encoding.DecodeString(p.last)
	if err != nil || len(salt) < saltSize { // of another version of the server
		return min(p.given, len(items))
	}
	d := newDigester(p.key, salt[:saltSize])
	for away := range max(p.given, len(items)) {
		for _, i := range [...]int{p.given - 1 - away, p.given - 1 + away} {
			if i >= 0 && i < len(items) && d.digest(items[i]) == p.last {
				return i + 1
			}
		}
	}
	return min(p.given, len(items))
}

// saltSize is the number of bytes before a digest in a cursor.
const saltSize = 6

// digester identifies items, whose digests travel in cursors. An item may have members that the view does not show: a caller can neither
// make the digest of a guess, because the key is secret, nor see that an item has changed, because each cursor has a salt of its own.
type digester struct {
	mac  hash.Hash
	salt []byte
}

func newDigester(key, salt []byte) *digester {
	return &digester{hmac.New(sha256.New, seal.Sign(key, []byte("the items of views"))), salt}
}

// digest returns the salt and the digest of an item. They are short, because they travel in cursors.
func (d *digester) digest(item []byte) string {
	const size = 9
	d.mac.Reset()
	d.mac.Write(d.salt)
	d.mac.Write(item)
	return seal.Encoding.EncodeToString(d.mac.Sum(bytes.Clone(d.salt))[:saltSize+size])
}
