// Package mcpview gives callers of tools less than a whole output: the members that a schema shows
// or that the caller chooses, within a budget of bytes. Generated code uses it for tools with a
// view.
//
//test:by ./test/view
package mcpview

import (
	"strings"
	"sync"

	types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// MetaView is the key in _meta of a result of which something was left out. Its value is an object:
// for a list that was cut, {"shown", "of"}, the numbers of its items; for members that were left
// out, {"omitted"}, a list of {"member", "bytes"}.
const MetaView = "io.github.rpcgen-go/view"

// View is what of its output the callers of a tool get.
type View struct {
	Tool   string
	Show   string // paths of members such as issues.title, newline-separated; empty for all
	Choose string // the member of the arguments with which callers choose; empty if they cannot
	Budget int    // the greatest size of the structured content in bytes; 0 if it is not limited
	Over   Over

	// Of Cut: the list of the output that is cut, the member of the arguments that continues it, and
	// the member of the output that holds the cursor of the next call.
	Items, Cursor, Next string

	parse sync.Once
	shown *mask
}

// Over is what becomes of a result over the budget.
type Over uint8

// What may become of it.
const (
	Fail Over = iota // an error that names the sizes of the members
	Cut              // the list is cut between two items, and a cursor continues it
	Omit             // members are left out, the largest first, and named
)

// Wanted is what a call asks for. The zero value asks for what the view shows.
type Wanted struct {
	Chosen []string // paths; nil for what the view shows
	Page   Page     // where a list is continued
}

// Chosen returns the paths that a caller chose.
func Chosen[T ~string](paths []T) []string {
	if len(paths) == 0 {
		return nil
	}
	all := make([]string, len(paths))
	for i, p := range paths {
		all[i] = string(p)
	}
	return all
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Buffer returns an empty buffer for the JSON of an output. [View.Return] takes it back.
func Buffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

// largest is the capacity of the largest buffer that is kept.
const largest = 1 << 20

// Return answers a call with what is wanted of an output, given as compact JSON of an object in the
// buffer of [Buffer].
func (v *View) Return(c *mcp.ToolCall, output []byte, w Wanted) { v.ReturnContent(c, output, w, nil) }

// ReturnContent is [View.Return] with further content blocks, after the text of the result.
func (v *View) ReturnContent(c *mcp.ToolCall, output []byte, w Wanted, blocks []mcp.ContentBlock) {
	defer func() {
		if cap(output) <= largest {
			buffers.Put(&output)
		}
	}()
	r := result{view: v, wanted: w, mask: v.mask(w.Chosen), source: output}
	b := c.Structured()
	start := len(b)
	b = r.write(b)
	if v.Budget == 0 || len(b)-start <= v.Budget || c.Violations().Len() > 0 {
		c.ReturnContent(b, blocks)
		return
	}
	r.text = b[start:]
	switch v.Over {
	case Cut:
		r.cut(c, blocks)
	case Omit:
		r.omit(c, blocks)
	default:
		c.Fail(r.tooLarge())
	}
}

// mask returns what is shown to a caller who chose paths, or did not choose.
func (v *View) mask(chosen []string) *mask {
	if chosen == nil {
		v.parse.Do(func() {
			if v.shown = &wholeMask; v.Show != "" {
				v.shown = newMask(strings.SplitSeq(v.Show, "\n"))
			}
		})
		return v.shown
	}
	m := newMask(func(yield func(string) bool) {
		for _, path := range chosen {
			if !yield(path) {
				return
			}
		}
	})
	if v.Over == Cut { // the list that is continued has to say how
		m.add(v.Next)
	}
	return m
}

// answer is a whole result of which something was left out.
type answer struct {
	structured []byte
	note       string // for the model; empty if there is none
	blocks     []mcp.ContentBlock
	meta       []byte // the value of MetaView
}

// AppendJSON implements [wire.Appender].
func (a *answer) AppendJSON(b []byte) []byte {
	b = append(append(b, `{"structuredContent":`...), a.structured...)
	b = append(b, `,"content":[{"type":"text","text":`...)
	b = append(wire.AppendQuoted(b, a.structured), '}')
	if a.note != "" {
		b = wire.AppendString(append(b, `,{"type":"text","text":`...), a.note)
		b = append(b, '}')
	}
	for _, block := range a.blocks {
		b = types.AppendContentBlock(append(b, ','), block)
	}
	b = append(append(b, `],"_meta":{"`+MetaView+`":`...), a.meta...)
	return append(b, "}}"...)
}
