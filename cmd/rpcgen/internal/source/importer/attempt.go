package importer

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/lsp"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/merge"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// mostAttempts bounds how often the result is compiled. Attempts that end before that are bounded by what they decide, and by the work that they do.
const mostAttempts = 50

// attempt is one attempt to import a source.
type attempt struct {
	d        *draft.Draft
	text     []byte       // the document as it was last compiled
	compiled *ir.Document // what it compiled to; nil when it has faults
}

// attempts has a source converted until the compiler takes the result.
func attempts(from source.Source, whole *source.Whole, over merge.Overlays, convertInto func(*attempt)) (*attempt, error) {
	later := source.LaterKeywords(source.Cursor{Value: whole.Root})
	decided, members, compiled := convert.NewDecisions(), source.NewIndex(), 0
	for work := source.NewWork(len(from.Text) + whole.Others); compiled < mostAttempts && work.Renew(); {
		i := draft.New(from.Name, source.Cursor{Value: whole.Root, Index: members}, decided, work)
		a := &attempt{d: i}
		i.Over, i.Conv.Resolver.Troubles = over, whole.Troubles
		a.sayEarly(whole.Meta, later)
		before := decided.Size()
		convertInto(a)
		if err := i.Conv.Faults.Err(); err != nil {
			return nil, err
		}
		if decided.Size() > before {
			continue // tools were refused, or schemas became types of their own
		}
		compiled++
		flat, faults := a.compile()
		if faults == nil && i.Conv.Report.Layout != report.MetaModel { // it does not say what fits several branches
			places := a.places(i.Doc.Root(), a.text)
			visitTypes(flat, unionReader{i.Conv.Decisions, places, i.Conv.OfNamed, i.Conv.Tagged}.read)
			besideReader{i.Conv.Decisions, places}.read(flat)
		}
		if decided.Size() > before {
			continue
		}
		if faults == nil {
			faults = a.findBases(flat)
		}
		done := map[string]bool{}
		for _, d := range faults {
			a.decide(d, done)
		}
		if work.Short && slices.ContainsFunc(faults, func(d locatedFault) bool { return d.Code == diag.NotAnObject }) {
			a.giveUpOnBases()
		}
		if len(faults) == 0 && len(i.MustFlatten) == 0 {
			a.sayHow(flat)
			a.basesUsed()
			return a, nil
		}
		for _, name := range i.MustFlatten {
			decided.Flat[name] = true
		}
		if decided.Size() == before && !a.refuseFaulty(faults) {
			return nil, source.FaultsOf(uncorrectable(faults, from.Name))
		}
	}
	fault := source.Fault{Pos: diag.Pos{File: from.Name, Line: 1, Col: 1}, Message: "the result does not compile, however it is changed"}
	if compiled < mostAttempts {
		fault.Message, fault.Help = source.Ended, source.EndedHelp
	}
	return nil, source.Faults{&fault}
}

// sayEarly reports what is known of a source before it is converted: references to schemas of schemas, and keywords of later drafts.
func (a *attempt) sayEarly(meta []string, later []source.Later) {
	for _, pointer := range meta {
		a.d.Conv.Report.Weaken(pointer, "of a schema of schemas, only kinds of values are checked")
	}
	for _, k := range later {
		a.d.Conv.Report.Weaken(k.Pointer, k.Reason)
	}
}

// findBases finds bases again, and notes what must do without. It returns what the compiler finds wrong with the result.
func (a *attempt) findBases(flat *ir.Document) []locatedFault {
	if a.d.Conv.Report.Layout == report.MetaModel {
		return nil // it says what its structures extend
	}
	if a.extend(); len(a.d.Extended) == 0 {
		return nil
	}
	extended, faults := a.compile()
	if faults == nil {
		a.compareBases(flat, extended)
	}
	return faults
}

// uncorrectable gives diagnostics of a text that users do not see the name of the source.
func uncorrectable(list []locatedFault, name string) diag.List {
	var all diag.List
	for _, l := range list {
		d := l.Diagnostic
		d.Message = brief(d.Message)
		d.Span.Pos = diag.Pos{File: name, Line: 1, Col: 1}
		if l.at.Pos.File != "" {
			d.Span.Pos = l.at.Pos
		}
		all = append(all, d)
	}
	return all
}

// locatedFault is a diagnostic with the part of the source that it is about.
type locatedFault struct {
	diag.Diagnostic
	within
}

// compile loads what is there so far.
func (a *attempt) compile() (*ir.Document, []locatedFault) {
	root := a.d.Doc.Root()
	text := tree.Encode(root)
	doc, faults := tree.Load("imported.yaml", text)
	a.text, a.compiled = text, doc
	if doc != nil {
		return doc, nil
	}
	places := a.places(root, text)
	return nil, ir.Each(faults.Errors(), func(d diag.Diagnostic) locatedFault { return locatedFault{d, places.before(d.Span.Pos)} })
}

// decide turns a diagnostic into a decision for the next attempt. A schema that is among those of which this attempt has decided already is left
// to the next one: several faults, such as several wrong examples, may go with one decision.
func (a *attempt) decide(d locatedFault, done map[string]bool) {
	if a.d.Extended[d.decl] && (a.d.Conv.Report.Layout != report.MetaModel ||
		slices.Contains([]diag.Code{diag.FieldConflict, diag.NotAnObject, diag.ExtendsCycle}, d.Code)) { // bases that were found again are doubted first
		a.d.Conv.Decisions.Flat[d.decl] = true
		return
	}
	if decisions, at := a.d.Conv.Decisions, d.at.Pointer; d.tool != "" {
		named := d.Code == diag.InvalidName && at == d.list.Pointer // of a field of the input or of the output, or of the tool
		if named && decisions.Verbatim[d.tool] {
			at += "/outputSchema"
		}
		switch {
		case !named && d.Code != diag.InvalidToolRoot, named && decisions.OpaqueAt[at] != "":
		case strings.HasSuffix(at, "/outputSchema"):
			decisions.OpaqueAt[at] = d.Message
			return
		default:
			decisions.Verbatim[d.tool] = true
			return
		}
	}
	if d.list.Pos.File != "" && d.tool == "" {
		a.refuse(d)
		return
	}
	at := d.at
	if at.Pos.File == "" && d.decl != "" {
		at = a.d.Conv.Origins[a.d.Doc.Body["types"].Get(d.decl)]
	}
	if d.Code == diag.RecursiveType && !a.d.Conv.Decisions.Silent[convert.ObjectDefaults] {
		a.d.Conv.Decisions.Silent[convert.ObjectDefaults] = true
		return
	}
	if at.Pos.File == "" || done[at.Pointer] {
		return
	}
	done[at.Pointer] = true
	switch silent := a.d.Conv.Decisions.Silent; d.Code {
	case diag.UndecidableUnion, diag.InvalidUnion:
		if union, ok := unionIn(at); ok && a.decideUnion(union, d) {
			return
		} else if ok {
			at = union
		}
	case diag.InvalidDefault, diag.InvalidExample:
		if !silent[at.Pointer] {
			silent[at.Pointer] = true
			return
		}
	}
	a.giveUp(at, brief(d.Message))
}

// decideUnion decides of a union that cannot be told apart. It reports whether there is anything left to decide.
func (a *attempt) decideUnion(union source.Cursor, d locatedFault) bool {
	decisions := a.d.Conv.Decisions
	switch {
	case a.d.Conv.Report.Layout != report.MetaModel:
		if decisions.Context[union.Pointer] {
			decisions.Unchecked[union.Pointer] = brief(d.Message)
		}
		decisions.OpaqueAt[union.Pointer] = brief(d.Message)
	case !decisions.Context[union.Pointer]:
		decisions.Context[union.Pointer] = true
	default:
		return false
	}
	return true
}

// giveUp makes a schema opaque, then no fields either, and unchecked at last. One that is kept with all its checks is opaque without fields already.
func (a *attempt) giveUp(at source.Cursor, why string) {
	decisions := a.d.Conv.Decisions
	switch raw := a.d.Conv.Report.IsChecked(at.Pointer); {
	case decisions.OpaqueAt[at.Pointer] == "":
		decisions.OpaqueAt[at.Pointer] = why
		if raw {
			decisions.Bare[at.Pointer], decisions.Unchecked[at.Pointer] = true, why
		}
	case !decisions.Bare[at.Pointer] && !raw:
		decisions.Bare[at.Pointer] = true
	default:
		decisions.Unchecked[at.Pointer] = why
	}
}

// brief is a message of which long names of branches, such as those of schemas, are shortened.
func brief(message string) string { return longQuoted.ReplaceAllString(message, `$1..."`) }

// longQuoted is a quoted text of more than 60 characters.
var longQuoted = regexp.MustCompile(`("(?:[^"\\]|\\.){60})(?:[^"\\]|\\.)+"`)

// giveUpOnBases keeps raw what joins others, for which no work was left, and what extends that, in any number of steps: an attempt each would do no more.
func (a *attempt) giveUpOnBases() {
	users, types, r, decided := map[string][]string{}, a.d.Doc.Body["types"], a.d.Conv.Report, a.d.Conv.Decisions
	raw := convert.SetOf(ir.Each(slices.Concat(r.Checked, r.Opaque), func(o report.Opaque) string { return o.Pointer }))
	var gone []string
	tree.Each(types.Node, func(key, n *yaml.Node) {
		if at := a.d.Conv.Origins[n]; at.Has("allOf") && raw[at.Pointer] {
			gone = append(gone, key.Value)
		}
		for _, base := range tree.Words(tree.Get(n, "extends")) {
			users[base] = append(users[base], key.Value)
		}
	})
	for ; len(gone) > 0; gone = gone[1:] {
		at := a.d.Conv.Origins[types.Get(gone[0])].Pointer
		decided.OpaqueAt[at] = cmp.Or(decided.OpaqueAt[at], source.Ended)
		decided.Bare[at], decided.Unchecked[at] = true, source.Ended // its fields, and a copy of it, are all that it joins
		gone = append(gone, users[gone[0]]...)
		delete(users, gone[0])
	}
}

// unionIn finds the union that a schema is, or that the elements are of a list or a map which it is.
func unionIn(at source.Cursor) (union source.Cursor, ok bool) {
	for {
		inside, ok := at.Get("items")
		switch {
		case at.Has("anyOf"), at.Has("oneOf"):
			return at, true
		case at.TextOf("kind") == "or":
			branches := lsp.NotNull(inside.Elements())
			if len(branches) != 1 {
				return at, true
			}
			inside = branches[0]
		}
		for _, member := range []string{"additionalProperties", "element", "value"} {
			if !ok {
				inside, ok = at.Get(member)
			}
		}
		if !ok {
			return at, false
		}
		at = inside
	}
}

// refuseFaulty refuses the entries of lists that faults are in, which nothing else helped. It reports whether there are any.
func (a *attempt) refuseFaulty(faults []locatedFault) bool {
	before := len(a.d.Conv.Decisions.Refused)
	for _, d := range faults {
		if d.list.Pos.File != "" {
			a.refuse(d)
		}
	}
	return len(a.d.Conv.Decisions.Refused) > before
}

// refuse leaves the entry of a list that a fault is in to the report.
func (a *attempt) refuse(d locatedFault) {
	if at := d.list; a.d.Conv.Decisions.Refused[at.Pointer] == nil {
		a.d.Conv.Decisions.Refused[at.Pointer] = &source.Fault{Pos: at.Pos, Pointer: at.Pointer, Message: fmt.Sprintf("%s [%s]", d.Message, d.Code), Help: d.Help}
	}
}

// within is the part of a source that a node of the tree was made of.
type within struct {
	at         source.Cursor // the innermost schema; without a position when there is none
	decl, tool string        // the type and the tool that it stands in
	list       source.Cursor // the entry of a list that it stands in
}

// places say of each node of a tree what it was made of, once anything asks. Nodes of one schema share what is said of them.
type places func() merge.Marks[*within]

// before is what the last node was made of that begins at a position or before it.
func (p places) before(at diag.Pos) within {
	if is := p().Before(at); is != nil {
		return *is
	}
	return within{}
}

// places says of each node of the tree what it was made of.
func (a *attempt) places(root *yaml.Node, text []byte) places {
	decls, tools := names(tree.Get(root, "types")), names(tree.Get(root, "tools"))
	listed := map[*yaml.Node]source.Cursor{}
	for _, section := range []string{"server", "tools", "resources", "prompts"} {
		tree.Each(tree.Get(root, section), func(key, value *yaml.Node) {
			at := a.d.ListedAt[section+"/"+key.Value]
			listed[key], listed[value] = at, at
		})
	}
	mark := func(n *yaml.Node, around *within) *within {
		s, is := a.d.Conv.Origins[n]
		decl, isDecl := decls[n]
		tool, isTool := tools[n]
		list, isListed := listed[n]
		if around != nil && !is && !isDecl && !isTool && !isListed {
			return around
		}
		inner := within{}
		if around != nil {
			inner = *around
		}
		if is {
			inner.at = s
		}
		if isDecl {
			inner.decl = decl
		}
		if isTool {
			inner.tool = tool
		}
		if isListed {
			inner.list = list
		}
		return &inner
	}
	return sync.OnceValue(func() merge.Marks[*within] { return merge.MarkedBy(root, text, mark) })
}

// names are the keys of a mapping, by the nodes of both the keys and their values.
func names(m *yaml.Node) map[*yaml.Node]string {
	all := map[*yaml.Node]string{}
	tree.Each(m, func(key, value *yaml.Node) { all[key], all[value] = key.Value, key.Value })
	return all
}

// sayHow writes by which property the branches of named unions are told apart, where it is one. What was compiled is not what is there then.
func (a *attempt) sayHow(doc *ir.Document) {
	for _, d := range doc.Types {
		n := a.d.Doc.Body["types"].Get(d.Name)
		if tree.Get(n, "union") == nil || tree.Get(n, "by") != nil {
			continue
		}
		if by, ok := ir.DecisionOf(d.Type).(*ir.ByProperty); ok && by.Else == nil && // which every branch fixes
			(by.Absent == nil || slices.ContainsFunc(by.Cases, func(c ir.Case) bool { return c.Then == by.Absent })) {
			tree.Set(n, "by", tree.Text(by.Property))
			a.text, a.compiled = nil, nil
		}
	}
}

// reportUntyped lists the tools of the finished schema whose results are untyped because the source says nothing of them.
func (a *attempt) reportUntyped(doc *ir.Document) {
	for _, t := range doc.Tools {
		if u, ok := a.d.Untyped[t.Name]; ok && t.Output == nil && t.Content != nil && len(t.Content.Kinds) == 0 {
			a.d.Conv.Report.Untyped = append(a.d.Conv.Report.Untyped, u)
		}
	}
}
