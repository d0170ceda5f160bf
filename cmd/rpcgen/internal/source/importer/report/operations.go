package report

import (
	"fmt"
	"strings"

	escape "github.com/rpcgen-go/rpcgen/schema/text"
)

// Operations says what became of the operations of a description of an HTTP API.
type Operations struct {
	Operations int         `json:"operations"` // that the description has
	Taken      int         `json:"taken"`      // that became tools
	Deprecated int         `json:"deprecated"` // that are deprecated, and therefore left out
	LeftOut    []LeftOut   `json:"leftOut"`    // that were asked for and cannot become tools
	Dropped    []LeftOut   `json:"dropped"`    // optional parameters and members of bodies that are left out
	Shortened  []ShortName `json:"shortened"`  // tools whose names are not those of their operations
	Pages      []string    `json:"pages"`      // how lists are continued
	Bounds     int         `json:"bounds"`     // lists and texts of inputs that got a bound
	Cut        int         `json:"cut"`        // members of answers that lie too deep
	Largest    []string    `json:"largest"`    // the components of which most members are left out, with how many
	Several    []string    `json:"several"`    // operations that answer several forms, of which one is taken
	Unknown    []string    `json:"unknown"`    // references that are not followed, where answers are any value
	NotTaken   []string    `json:"notTaken"`   // places that operations have gained since they were imported
	Others     []string    `json:"others"`     // operations that the choice leaves out
	Gone       []string    `json:"gone"`       // tools that were removed, since their operations are gone
	Notes      []string    `json:"notes"`      // on servers and credentials
}

// LeftOut is an operation, or a part of one, that the schema does not have.
type LeftOut struct {
	Operation string `json:"operation"`
	Pointer   string `json:"pointer"` // into the source, RFC 6901; of a part its place and name, such as query.page
	Reason    string `json:"reason"`
}

// ShortName is a tool whose name is shorter than that of its operation.
type ShortName struct {
	Operation string `json:"operation"`
	Name      string `json:"name"`
}

// Write writes what became of operations, for people.
func (o *Operations) Write(b *strings.Builder) {
	fmt.Fprintf(b, "  took %s of %s", count(o.Taken, "operation"), escape.Line(fmt.Sprint(o.Operations)))
	if n := len(o.LeftOut); n > 0 {
		fmt.Fprintf(b, "; %d cannot become tools", n)
	}
	if o.Deprecated > 0 {
		fmt.Fprintf(b, "; %d deprecated, which are taken by name alone", o.Deprecated)
	}
	b.WriteByte('\n')
	entries(b, "left out", o.LeftOut, func(out LeftOut) string { return escape.Line(out.Operation) })
	entries(b, "without", o.Dropped, func(out LeftOut) string { return escape.Line(out.Pointer) + " of " + escape.Line(out.Operation) })
	var names []string
	for _, s := range o.Shortened {
		names = append(names, s.Operation+" to "+s.Name)
	}
	list(b, "shortened", names)
	list(b, "pages", o.Pages)
	list(b, "several forms of answers, of which one is taken", o.Several)
	list(b, "weakened, any value is answered", o.Unknown)
	list(b, "new, not taken", o.NotTaken)
	notChosen(b, "--take", o.Others)
	list(b, "removed, since the operation is gone", o.Gone)
	list(b, "note", o.Notes)
	if o.Bounds > 0 {
		fmt.Fprintf(b, "  bounds: %s, for lists and texts of inputs without one\n", count(o.Bounds, "bound"))
	}
	if o.Cut > 0 {
		fmt.Fprintf(b, "  cut: %s of answers, of which most are of %s\n", count(o.Cut, "member"), escape.Line(strings.Join(o.Largest, ", ")))
	}
}

// entries writes what the schema does not have, and why, each on a line.
func entries(b *strings.Builder, what string, all []LeftOut, name func(LeftOut) string) {
	for _, out := range all[:min(len(all), mostListed)] {
		fmt.Fprintf(b, "  %s: %s: %s\n", what, name(out), escape.Line(out.Reason))
	}
	if more := len(all) - mostListed; more > 0 {
		fmt.Fprintf(b, "  %s: %d more, which --report json lists\n", what, more)
	}
}
