package mcpview

import (
	"crypto/sha256"
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
	sealed, ok := seal.Open(c.StateKeys(), text[len(prefix):])
	if !ok || wire.Unmarshal(sealed, func(r *wire.Reader) { ok = p.read(r, v.Tool) }, nil) != nil || !ok {
		c.RejectArguments(&violation.Error{Violations: []violation.Violation{{
			Pointer: "/" + violation.EscapePointer(v.Cursor), Rule: "cursor", Expected: "the cursor of an earlier result of " + v.Tool, Got: "another text",
		}}})
		return Page{}
	}
	*cursor = p.cursor
	return p
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
	b = wire.AppendString(append(b, `,"last":`...), digest(r.list.items[given-1]))
	return prefix + seal.Seal(c.StateKeys()[0], append(b, '}'))
}

// first is the first of the items that was not given before: the one after the last that was, where
// that one stands now, and otherwise the one in its place.
func (p Page) first(items [][]byte) int {
	if p.given == 0 {
		return 0
	}
	for away := range max(p.given, len(items)) {
		for _, i := range [...]int{p.given - 1 - away, p.given - 1 + away} {
			if i >= 0 && i < len(items) && digest(items[i]) == p.last {
				return i + 1
			}
		}
	}
	return min(p.given, len(items))
}

// digest identifies an item. It is short, because it travels in cursors.
func digest(item []byte) string {
	sum := sha256.Sum256(item)
	return seal.Encoding.EncodeToString(sum[:9])
}
