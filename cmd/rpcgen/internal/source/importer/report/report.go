// Package report says what became of a source that was imported.
//
//test:sequential
package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	escape "github.com/rpcgen-go/rpcgen/schema/text"
)

// Report says what became of a source. Nothing of it is lost without being named here.
type Report struct {
	Source      string `json:"source"`
	Layout      Layout `json:"layout"`
	Definitions int    `json:"definitions"` // all that the source has, or its methods, or its tools

	Types         int      `json:"types"`         // declarations of types
	Methods       int      `json:"methods"`       // declarations under methods
	Notifications int      `json:"notifications"` // and under notifications
	Errors        int      `json:"errors"`
	Tools         int      `json:"tools"`
	Resources     int      `json:"resources"` // and templates of resources
	Prompts       int      `json:"prompts"`
	Envelopes     []string `json:"envelopes"` // definitions of JSON-RPC itself: the runtime's, and no types
	Sides         []string `json:"sides"`     // definitions that say which side sends what: they became `from`

	NoResult []string `json:"noResult"` // requests of which the source does not say what they answer: an empty object

	Checked    []Opaque      `json:"checked"`    // schemas that became any with all their checks
	Additional []Opaque      `json:"additional"` // schemas that became fields with an additional schema, which checks the rest
	Opaque     []Opaque      `json:"opaque"`     // schemas that became any
	Weakened   []Opaque      `json:"weakened"`   // schemas whose type takes more than they do, or leaves to Go code what they say
	Ignored    []string      `json:"ignored"`    // pointers to keywords that say nothing to the language
	Extends    int           `json:"extends"`    // types whose bases were found again
	Open       []string      `json:"open"`       // pointers to inputs of tools that ignore what they do not name
	Refused    []Refusal     `json:"refused"`    // tools, resources, prompts, methods and notifications that are left out
	Untyped    []UntypedTool `json:"untyped"`    // tools that say nothing of their results, which are content: any
	Renamed    []GoName      `json:"renamed"`    // what got another Go name, since its own is taken
	Called     []TypeName    `json:"called"`     // declarations that got another name, since their own is taken

	Generated *GoCode `json:"generated,omitempty"` // nil if nothing was generated

	OverlayUsed int      `json:"overlayUsed"` // entries of the overlay that changed something
	Added       []string `json:"added"`       // declarations that the file did not have
	Changed     []string `json:"changed"`     // declarations of the file that changed
	Removed     []string `json:"removed"`     // declarations of the file that the source no longer has

	Named   []string     `json:"named"`   // types that a person has given another name in the file
	Kept    []Difference `json:"kept"`    // what the file keeps, though the source says something else by now
	Dropped []Removal    `json:"dropped"` // what a person wrote into the file and does not fit the source any more

	Others []string `json:"others"` // entries of a list of a server that the choice leaves out

	API *Operations `json:"api,omitempty"` // of a description of an HTTP API; nil for other sources

	Counts Counts `json:"counts"`

	isListed map[listEntry]bool
}

// listEntry is a pointer in one of the lists of a report; ignored ones are in none.
type listEntry struct {
	in      *[]Opaque
	pointer string
}

// Difference is a place where the file says something else than the source.
type Difference struct {
	At     string `json:"at"`     // a JSON Pointer into the file
	Yours  string `json:"yours"`  // empty if a person has removed it
	Source string `json:"source"` // empty if it says nothing
}

// Removal is what a person wrote and the import removed or replaced.
type Removal struct {
	At     string `json:"at"` // a JSON Pointer into the file
	Yours  string `json:"yours"`
	Reason string `json:"reason"`
}

// Counts are how many schemas are not what the source says.
type Counts struct {
	Checked  int `json:"checked"`
	Opaque   int `json:"opaque"`
	Weakened int `json:"weakened"`
	Ignored  int `json:"ignored"`
	NoResult int `json:"noResult"`
	Refused  int `json:"refused"`
	Untyped  int `json:"untyped"`
}

// SetCounts counts what is listed.
func (r *Report) SetCounts() {
	r.Counts = Counts{len(r.Checked), len(r.Opaque), len(r.Weakened), len(r.Ignored), len(r.NoResult), len(r.Refused), len(r.Untyped)}
}

// Weakens reports whether the result says less than the source: something is opaque, weakened or left out.
func (r *Report) Weakens() bool {
	return len(r.Opaque)+len(r.Weakened)+len(r.Refused)+len(r.NoResult) > 0 || r.API != nil && len(r.API.LeftOut)+len(r.API.Unknown) > 0
}

// Opaque is a schema without a type, which became any, with the schema under schema if it can be checked, else x-schema; or one of which a part is lost.
type Opaque struct {
	Pointer string `json:"pointer"` // into the source, RFC 6901
	Reason  string `json:"reason"`
}

// GoCode says what Go the schema becomes.
type GoCode struct {
	Lines     int    `json:"lines"`
	Unchecked string `json:"unchecked,omitempty"` // why the types of the code, or what it imports, are not checked
}

func (g *GoCode) text() string {
	if g.Unchecked != "" {
		return "generates Go; its types are not checked in full: " + escape.Line(g.Unchecked) + " (go vet ./... checks them, after go mod tidy)"
	}
	return "generates Go that type-checks"
}

// Refusal is an entry of a list of a server that could not be imported, or a message whose name another one has. The others were imported.
type Refusal struct {
	Kind    string `json:"kind"`    // tool, resource, resource template, prompt, member of the server, method or notification
	Name    string `json:"name"`    // its name; empty when it has none
	Pointer string `json:"pointer"` // into the source, RFC 6901: of the fault, or of the entry
	Reason  string `json:"reason"`
}

// UntypedTool is a tool whose results have no type but that of any content, because the source says nothing of them that the language has a type for.
type UntypedTool struct {
	Tool    string `json:"tool"`
	Pointer string `json:"pointer"` // into the source, RFC 6901
	Reason  string `json:"reason"`
}

// GoName is a part of the source that got another Go name, since something else has the one that follows from its place.
type GoName struct {
	Pointer string `json:"pointer"` // into the source, RFC 6901; empty when it is not of the source
	In      string `json:"in"`      // the declaration that it stands in, such as types.Report
	Name    string `json:"name"`    // the Go name that is taken
	Go      string `json:"go"`      // what go: says instead
}

// TypeName is a declaration that got another name, since another one has the name that follows from its place.
type TypeName struct {
	Pointer string `json:"pointer"` // into the source, RFC 6901
	Name    string `json:"name"`    // the name that is taken
	As      string `json:"as"`      // what it is called instead
}

// New has lists that JSON writes as [] while they are empty.
func New(source string) *Report {
	none := []string{}
	return &Report{Source: source, Envelopes: none, Sides: none, Opaque: []Opaque{}, Checked: []Opaque{}, Additional: []Opaque{}, Weakened: []Opaque{},
		Refused: []Refusal{}, Untyped: []UntypedTool{}, Renamed: []GoName{}, Called: []TypeName{}, Ignored: none, Open: none, NoResult: none,
		Added: none, Changed: none, Removed: none, Others: none, isListed: map[listEntry]bool{}}
}

// isNew notes a pointer in a list, and reports whether it was not there.
func (r *Report) isNew(in *[]Opaque, pointer string) bool {
	is := listEntry{in, pointer}
	known := r.isListed[is]
	r.isListed[is] = true
	return !known
}

func (r *Report) add(in *[]Opaque, pointer, reason string) {
	if r.isNew(in, pointer) {
		*in = append(*in, Opaque{pointer, reason})
	}
}

// AddOpaque reports a schema that becomes any.
func (r *Report) AddOpaque(pointer, reason string) { r.add(&r.Opaque, pointer, reason) }

// IsChecked reports whether a schema became any with all its checks.
func (r *Report) IsChecked(pointer string) bool { return r.isListed[listEntry{&r.Checked, pointer}] }

// AddChecked reports a schema that becomes any with all its checks.
func (r *Report) AddChecked(pointer, reason string) { r.add(&r.Checked, pointer, reason) }

// AddBeside reports a schema that becomes fields with an additional schema.
func (r *Report) AddBeside(pointer, reason string) { r.add(&r.Additional, pointer, reason) }

// Weaken reports a schema that is taken for less than it says.
func (r *Report) Weaken(pointer, reason string) { r.add(&r.Weakened, pointer, reason) }

// Ignore reports a keyword that says nothing to the language.
func (r *Report) Ignore(pointer string) {
	if r.isNew(nil, pointer) {
		r.Ignored = append(r.Ignored, pointer)
	}
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	r.writeCounts(&b)
	list(&b, "added", r.Added)
	list(&b, "changed", r.Changed)
	list(&b, "removed", r.Removed)
	list(&b, "named in the file", r.Named)
	for _, d := range r.Dropped {
		fmt.Fprintf(&b, "  dropped: %s: %s: %s\n", escape.Line(d.At), escape.Line(d.Yours), escape.Line(d.Reason))
	}
	for _, schemas := range []struct {
		what string
		all  []Opaque
	}{{"raw, with all its checks", r.Checked}, {"fields, with an additional schema", r.Additional}, {"opaque", r.Opaque}, {"weakened", r.Weakened}} {
		for _, o := range schemas.all {
			fmt.Fprintf(&b, "  %s: %s: %s\n", schemas.what, cmp.Or(escape.Line(o.Pointer), "the root"), escape.Line(o.Reason))
		}
	}
	r.writeEntries(&b)
	if r.API != nil {
		r.API.Write(&b)
	}
	notChosen(&b, "--only", r.Others)
	list(&b, "envelopes", r.Envelopes)
	list(&b, "sides", r.Sides)
	list(&b, "without a result", r.NoResult)
	list(&b, "ignored", keywords(r.Ignored))
	list(&b, "open, so that members which they do not name are ignored", r.Open)
	if r.Extends > 0 {
		fmt.Fprintf(&b, "  extends: %s\n", count(r.Extends, "type"))
	}
	if r.Generated != nil {
		fmt.Fprintf(&b, "  %s\n", r.Generated.text())
	}
	if r.OverlayUsed > 0 {
		fmt.Fprintf(&b, "  overlay: %s used\n", count(r.OverlayUsed, "entry"))
	}
	r.writeKept(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeCounts writes what the source is, and how many declarations it became.
func (r *Report) writeCounts(b *strings.Builder) {
	var parts []string
	for _, part := range []struct {
		n    int
		word string
	}{{r.Types, "type"}, {r.Methods, "method"}, {r.Notifications, "notification"}, {r.Errors, "error"}, {r.Tools, "tool"}, {r.Resources,
		"resource"}, {r.Prompts, "prompt"},
		{len(r.Envelopes), "envelope"}, {len(r.Sides), "union of a side"}} {
		if part.n > 0 {
			parts = append(parts, count(part.n, part.word))
		}
	}
	fmt.Fprintf(b, "%s: %s, %s\n", escape.Line(r.Source), r.Layout, count(r.Definitions, r.Layout.unit()))
	fmt.Fprintf(b, "  became %s; %d opaque", cmp.Or(strings.Join(parts, ", "), "nothing"), len(r.Opaque))
	if len(r.Weakened) > 0 {
		fmt.Fprintf(b, ", %d weakened", len(r.Weakened))
	}
	b.WriteByte('\n')
}

// writeEntries writes which entries are left out, say nothing of their results, or have another name.
func (r *Report) writeEntries(b *strings.Builder) {
	for _, t := range r.Refused {
		fmt.Fprintf(b, "  refused: the %s %s, at %s: %s\n", t.Kind, escape.Line(strconv.Quote(t.Name)), escape.Line(t.Pointer), escape.Line(t.Reason))
	}
	switch n := len(r.Untyped); n {
	case 0:
	case 1:
		b.WriteString("  1 tool says nothing of its results: content: any\n")
	default:
		fmt.Fprintf(b, "  %d tools say nothing of their results: content: any\n", n)
	}
	for _, u := range r.Untyped {
		fmt.Fprintf(b, "  untyped: the tool %s, at %s: %s\n", escape.Line(strconv.Quote(u.Tool)), escape.Line(u.Pointer), escape.Line(u.Reason))
	}
	for _, n := range r.Called {
		fmt.Fprintf(b, "  called %s, since %s is taken: %s\n", n.As, n.Name, escape.Line(n.Pointer))
	}
	for _, n := range r.Renamed {
		why := n.Name + " is taken"
		if n.Name == "" {
			why = "no Go name can be made of its own"
		}
		fmt.Fprintf(b, "  renamed: go: %s in %s, since %s: %s\n", n.Go, escape.Line(n.In), why, escape.Line(n.Pointer))
	}
}

// mostKept is how many lines say what was kept. The report as JSON has all of it.
const mostKept = 10

// writeKept writes what a person wrote and the source says otherwise.
func (r *Report) writeKept(b *strings.Builder) {
	for n, k := range r.Kept {
		if n == mostKept {
			fmt.Fprintf(b, "  kept: %d more, which --report json lists\n", len(r.Kept)-n)
			return
		}
		yours := "is removed in the file"
		if k.Yours != "" {
			yours = "the file says " + escape.Line(k.Yours)
		}
		fmt.Fprintf(b, "  kept: %s: %s, the source %s\n", escape.Line(k.At), yours, cmp.Or(escape.Line(k.Source), "nothing"))
	}
}

// mostListed is how many names stand on a line. The report as JSON has all of them.
const mostListed = 40

func list(b *strings.Builder, what string, names []string) {
	if len(names) == 0 {
		return
	}
	more := ""
	if n := len(names) - mostListed; n > 0 {
		names, more = names[:mostListed], fmt.Sprintf(", and %d more, which --report json lists", n)
	}
	fmt.Fprintf(b, "  %s: %s%s\n", what, escape.Line(strings.Join(names, ", ")), more)
}

// notChosen writes what the source offers beyond what was chosen of it, and by which flag it is chosen.
func notChosen(b *strings.Builder, flag string, names []string) {
	list(b, fmt.Sprintf("not chosen (%d), which %s adds", len(names), flag), names)
}

// keywords counts the pointers that end with the same keyword, where there are many: the first of them, and how many more there are.
func keywords(pointers []string) []string {
	if len(pointers) <= mostListed {
		return pointers
	}
	counts := map[string]int{}
	var firsts []string
	for _, p := range pointers {
		keyword := p[strings.LastIndexByte(p, '/')+1:]
		if counts[keyword]++; counts[keyword] == 1 {
			firsts = append(firsts, p)
		}
	}
	for i, p := range firsts {
		if n := counts[p[strings.LastIndexByte(p, '/')+1:]]; n > 1 {
			firsts[i] = fmt.Sprintf("%s (and %d more of this keyword)", p, n-1)
		}
	}
	return firsts
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		head, tail, of := strings.Cut(noun, " of ")
		if strings.HasSuffix(head, "y") {
			head = strings.TrimSuffix(head, "y") + "ie"
		}
		noun = head + "s"
		if of {
			noun += " of " + tail
		}
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Layout is the kind of a source.
type Layout string

// The layouts that can be imported.
const (
	Protocol       Layout = "protocol definitions"            // JSON Schema definitions with requests and notifications, as MCP publishes them
	MarkedProtocol Layout = "definitions marked with methods" // JSON Schema definitions of params and results that say x-method, as ACP publishes them
	Definitions    Layout = "JSON Schema definitions"         // JSON Schema without methods
	OpenRPC        Layout = "OpenRPC"
	ToolsList      Layout = "tools/list"
	OpenAPI        Layout = "OpenAPI"
	Protobuf       Layout = "descriptor set of protobuf"
	MetaModel      Layout = "meta model of LSP"
)

// unit is what a layout counts.
func (l Layout) unit() string {
	switch l {
	case OpenRPC:
		return "method"
	case ToolsList:
		return "tool"
	case OpenAPI, Protobuf:
		return "operation"
	}
	return "definition"
}
