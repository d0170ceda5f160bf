package mcpview

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// result is one output on its way to a caller.
type result struct {
	view   *View
	wanted Wanted
	mask   *mask
	source []byte // the whole output

	text  []byte // what is shown of it
	parts []part // of text
	list  *list  // the list that may be cut; nil if the output has none
}

// part is a member of what is shown.
type part struct {
	name       string
	start, end int // in text, with its name
}

// list is the list of a result that may be cut.
type list struct {
	part  int      // in parts
	head  int      // how many bytes come before its items
	items [][]byte // in source
	from  int      // the first one that was not given before
	ends  []int    // in text, of each item since from
}

// write appends what is shown of the output.
func (r *result) write(b []byte) []byte {
	start := len(b)
	b = append(b, '{')
	for m := range members(r.source) {
		shown := r.mask.of(m.name)
		if shown == nil {
			continue
		}
		if len(b) > start+1 {
			b = append(b, ',')
		}
		at := len(b)
		b = append(b, m.key...)
		if r.view.Over == Cut && m.name == r.view.Items && m.value[0] == '[' {
			b = r.writeList(b, start, m.value, shown)
		} else {
			b = shown.append(b, m.value)
		}
		r.parts = append(r.parts, part{m.name, at - start, len(b) - start})
	}
	return append(b, '}')
}

// writeList appends what is shown of the list that may be cut, without the items that were given
// before.
func (r *result) writeList(b []byte, start int, value []byte, shown *mask) []byte {
	l := &list{part: len(r.parts), items: slices.Collect(items(value))}
	l.from = r.wanted.Page.first(l.items)
	b = append(b, '[')
	l.head = len(b) - start
	for i, item := range l.items[l.from:] {
		if i > 0 {
			b = append(b, ',')
		}
		b = shown.append(b, item)
		l.ends = append(l.ends, len(b)-start)
	}
	r.list = l
	return append(b, ']')
}

// cut answers with the items that fit, and a cursor for the others.
func (r *result) cut(c *mcp.ToolCall, blocks []mcp.ContentBlock) {
	l := r.list
	if l == nil || len(l.ends) == 0 {
		c.Fail(r.tooLarge())
		return
	}
	next := r.cursor(c, len(l.ends))
	listed := r.parts[l.part]
	others := len(r.text) - (listed.end - len("]") - l.head)
	if i := slices.IndexFunc(r.parts, func(p part) bool { return p.name == r.view.Next }); i >= 0 {
		others -= r.parts[i].end - r.parts[i].start
	}
	room := r.view.Budget - others - len(`,"":""`) - len(r.view.Next) - len(next) - 4 // digits of the cursor in base64
	n := 0
	for n < len(l.ends) && l.ends[n]-l.head <= room {
		n++
	}
	if n == 0 {
		c.Fail(r.itemTooLarge())
		return
	}
	b := []byte{'{'}
	for i, p := range r.parts {
		if p.name == r.view.Next {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		if i == l.part {
			b = append(append(b, r.text[p.start:l.ends[n-1]]...), ']')
		} else {
			b = append(b, r.text[p.start:p.end]...)
		}
	}
	b = append(wire.AppendString(append(b, ','), r.view.Next), ':')
	b = append(wire.AppendString(b, r.cursor(c, n)), '}')
	meta := fmt.Appendf(nil, `{"shown":%d,"of":%d}`, n, len(l.items))
	give(c, &answer{structured: b, blocks: blocks, meta: meta})
}

// give answers with a whole result, unless a content block violates rules.
func give(c *mcp.ToolCall, a *answer) {
	rule.EachValue(c.Violations(), "/content", a.blocks, types.CheckContentBlock)
	c.ReturnWhole(a)
}

// omit answers without the largest members.
func (r *result) omit(c *mcp.ToolCall, blocks []mcp.ContentBlock) {
	bySize := r.bySize()
	size := len(r.text)
	var left []part
	for len(bySize) > 0 && size > r.view.Budget {
		p := bySize[0]
		bySize = bySize[1:]
		left = append(left, p)
		size -= p.end - p.start + len(",")
	}
	b, meta := []byte{'{'}, []byte(`{"omitted":[`)
	var note strings.Builder
	fmt.Fprintf(&note, "%s was carried out. Its result is limited to %s bytes: ", r.view.Tool, thousands(r.view.Budget))
	for _, p := range r.parts {
		if !slices.Contains(left, p) {
			if len(b) > 1 {
				b = append(b, ',')
			}
			b = append(b, r.text[p.start:p.end]...)
		}
	}
	for i, p := range left {
		if i > 0 {
			meta = append(meta, ',')
			note.WriteString(", ")
		}
		meta = wire.AppendString(append(meta, `{"member":`...), p.name)
		meta = fmt.Appendf(meta, `,"bytes":%d}`, p.size())
		note.WriteString(p.String())
	}
	note.WriteString(" left out." + r.advice())
	give(c, &answer{structured: append(b, '}'), note: note.String(), blocks: blocks, meta: append(meta, "]}"...)})
}

// bySize returns the parts, the largest first.
func (r *result) bySize() []part {
	return slices.SortedStableFunc(slices.Values(r.parts), func(a, b part) int { return cmp.Compare(b.end-b.start, a.end-a.start) })
}

// size is the number of bytes of the value.
func (p part) size() int { return p.end - p.start - len(p.name) - len(`"":`) }

// String is the member with its size, such as body (58,000 bytes).
func (p part) String() string { return p.name + " (" + thousands(p.size()) + " bytes)" }

// advice is what a caller can do for a smaller result; empty if nothing.
func (r *result) advice() string {
	if r.view.Choose == "" {
		return ""
	}
	return " Choose fewer members with " + r.view.Choose + "."
}

// LargeError means that a result is larger than the budget of its view and cannot be made smaller.
// It implements [mcp.ToolError].
type LargeError struct {
	Message string
	Bytes   int // of the result, or of the item
	Budget  int
	members []part // the largest first
}

// named is how many members an error names.
const named = 5

func (r *result) tooLarge() *LargeError {
	e := &LargeError{Bytes: len(r.text), Budget: r.view.Budget, members: r.bySize()}
	e.Message = "The result has " + thousands(e.Bytes) + " bytes, and at most " + thousands(e.Budget) + " are given. The largest members: " +
		e.largest() + "." + cmp.Or(r.advice(), " Ask for less.")
	return e
}

// itemTooLarge is the error for a list whose first item alone is over the budget.
func (r *result) itemTooLarge() *LargeError {
	l := r.list
	text := r.text[l.head:l.ends[0]]
	item := result{view: r.view, text: text}
	if len(text) > 0 && text[0] == '{' {
		for m := range members(text) {
			item.parts = append(item.parts, part{m.name, 0, len(m.key) + len(m.value)})
		}
	}
	e := &LargeError{Bytes: len(text), Budget: r.view.Budget, members: item.bySize()}
	e.Message = "Item " + strconv.Itoa(l.from) + " of " + r.view.Items + " has " + thousands(e.Bytes) + " bytes"
	if len(e.members) > 0 {
		e.Message += ", of which " + e.largest()
	}
	e.Message += ", and at most " + thousands(e.Budget) + " are given for the whole result." + cmp.Or(r.advice(), " Ask for less.")
	return e
}

// largest names the largest members.
func (e *LargeError) largest() string {
	texts := make([]string, min(named, len(e.members)))
	for i := range texts {
		texts[i] = e.members[i].String()
	}
	return strings.Join(texts, ", ")
}

// Error implements error.
func (e *LargeError) Error() string { return e.Message }

// ToolError implements [mcp.ToolError].
func (*LargeError) ToolError() string { return "ResultTooLarge" }

// AppendData implements [mcp.ToolError]. The data is {"bytes", "budget", "members": [{"member",
// "bytes"}]}.
func (e *LargeError) AppendData(b []byte) []byte {
	b = fmt.Appendf(b, `{"bytes":%d,"budget":%d,"members":[`, e.Bytes, e.Budget)
	for i, p := range e.members[:min(named, len(e.members))] {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(append(b, `{"member":`...), p.name)
		b = fmt.Appendf(b, `,"bytes":%d}`, p.size())
	}
	return append(b, "]}"...)
}

// thousands is a number with a comma between thousands.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
