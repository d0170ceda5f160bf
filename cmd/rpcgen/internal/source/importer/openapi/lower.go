package openapi

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// lowering writes what taken operations reach as an inner document.
type lowering struct {
	d      *description
	o      Options
	from   map[string]source.Part // what the parts of the inner document were made of, by their pointers
	defs   map[key]*def
	open   map[string]bool // schemas of answers that are being written, with their room
	order  []*def
	queue  []*def  // components that are yet to be written
	refs   *[]*def // what the schema that is being written refers to
	work   *source.Work
	faults source.Faults
	left   source.Faults       // of operations that are left out
	said   report.Operations   // what became of the description
	notes  []string            // what is noted of operations
	noted  map[string][]string // which ones, by that
	listed map[string][]string // components that are items of lists, and the names of these lists, in the singular
	cuts   map[string]int      // members of answers that were left out, by the components that they are of
	before *Before
	source source.Source
	names  map[*operation]string
	keep   map[string][]string
	hosts  *hosts
	failed map[string]string // names of the errors of tools, by their forms and themselves

	family    map[string]*family // by the places of components
	relatives map[string]bool    // places of components whose families are known, and files of all whose components they are
	owners    []source.Part      // the components among them that have discriminators
	choices   map[string]*choice // by the places of schemas; nil for those that are none
	shapes    map[shapeKey]shape // of schemas
}

func newLowering(d *description, from source.Source, o Options, before *Before) *lowering {
	l := &lowering{d: d, o: o, choices: map[string]*choice{}, from: map[string]source.Part{}, defs: map[key]*def{}, open: map[string]bool{},
		listed: map[string][]string{}, noted: map[string][]string{}, cuts: map[string]int{},
		failed: map[string]string{}, before: before, source: from, work: source.NewWork(len(from.Text)),
		shapes: map[shapeKey]shape{}, family: map[string]*family{}, relatives: map[string]bool{}}
	l.familyOf(d.root)
	return l
}

// fail notes a fault in what an operation reaches.
func (l *lowering) fail(f *source.Fault) { l.faults = append(l.faults, f) }

// endFault is the fault of a schema for which no work is left.
func endFault(at source.Part) *source.Fault {
	return &source.Fault{Pos: at.Pos, Pointer: at.Pointer, Message: source.Ended, Help: "take fewer operations"}
}

// leftOut is why an operation is left out.
type leftOut struct{ reason string }

func (l leftOut) Error() string { return l.reason }

func leftOutf(format string, args ...any) error { return leftOut{fmt.Sprintf(format, args...)} }

// asReason is a fault as the reason to leave an operation out.
func asReason(f *source.Fault) error {
	if f.Help != "" {
		return leftOutf("%s (%s): %s", f.Message, f.Pos, f.Help)
	}
	return leftOutf("%s (%s)", f.Message, f.Pos)
}

// plan makes tools of the operations that are taken.
func (l *lowering) plan(all, taken []*operation) (*Plan, error) {
	l.names = toolNames(all, l.o.NameLength)
	var err error
	l.said.Operations = len(all)
	if l.hosts, err = l.readHosts(taken); err != nil {
		return nil, err
	}
	if l.keep, err = l.readKeep(taken); err != nil {
		return nil, err
	}
	p, of := &Plan{}, map[*Tool]*host{}
	inner, defs := ir.Value{Kind: ir.Object, Pos: l.d.root.Pos}, ir.Value{Kind: ir.Object, Pos: l.d.root.Pos}
	used := map[*def]bool{}
	var broken source.Faults
	var made []*operation
	for _, op := range taken {
		t, schemas, refs, err := l.tool(op)
		if err != nil {
			broken = append(broken, l.leaveOut(op, err)...)
			continue
		}
		p.Tools = append(p.Tools, t)
		made = append(made, op)
		of[t] = l.hosts.of[op]
		inner.Fields = append(inner.Fields, member(t.Name, schemas))
		l.from["/tools/"+ir.EscapePointer(t.Name)] = op.Part
		reach(used, refs)
	}
	if len(p.Tools) == 0 && len(broken) == 0 {
		broken = l.left
	}
	if len(broken) > 0 {
		return nil, broken
	}
	p.types = l.typeNames(used)
	defs.Fields = append(defs.Fields, ir.Each(p.types, func(t namedType) ir.Member { return member(t.def.id, t.def.value) })...)
	root := object(l.d.root, member("$defs", defs), member("tools", inner))
	if l.before != nil {
		l.before.keepGone(all, l)
		if err := l.faults.Err(); err != nil {
			return nil, err
		}
	}
	l.said.Taken, l.said.Largest = len(p.Tools), l.largestCuts()
	p.Whole = source.Assemble(root, l.from, slices.Concat(l.d.files.Twice(), l.d.unusedFields(made)))
	p.Whole.Others = l.d.files.Size()
	for _, t := range p.types {
		if t.def.target.IsMeta() {
			p.Whole.Meta = append(p.Whole.Meta, "/$defs/"+t.def.id)
		}
	}
	p.sharedPages(l, of)
	p.Head = l.head()
	for _, note := range l.notes {
		others := len(l.noted[note]) - 1
		l.said.Notes = append(l.said.Notes, l.noted[note][0]+map[bool]string{true: fmt.Sprintf(" and %d more", others)}[others > 0]+": "+note)
	}
	p.Said, p.left = l.said, l.left
	return p, nil
}

// leaveOut reports why an operation becomes no tool. It returns what fails the import: faults, and that the file has a tool of it.
func (l *lowering) leaveOut(op *operation, err error) source.Faults {
	if faults, wrong := err.(source.Faults); wrong {
		return faults
	}
	if t := l.before.of(op); t != nil && !t.keep {
		return source.Faults{t.loss(err.Error())}
	}
	l.left = reportLeftOut(&l.said, l.left, op.label(), &op.Cursor, err.Error())
	return nil
}

// reportLeftOut reports an operation that is left out, and adds to the faults with which an import fails that leaves all of them out.
func reportLeftOut(said *report.Operations, left source.Faults, label string, at *source.Cursor, reason string) source.Faults {
	said.LeftOut = append(said.LeftOut, report.LeftOut{Operation: label, Pointer: at.Pointer, Reason: reason})
	return append(left, &source.Fault{Pos: at.Pos, Pointer: at.Pointer, Message: label + " cannot become a tool: " + reason})
}

// reach notes components with all that they refer to.
func reach(used map[*def]bool, refs []*def) {
	for todo := slices.Clone(refs); len(todo) > 0; {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !used[d] {
			used[d] = true
			todo = append(todo, d.refs...)
		}
	}
}

// namedType is a component with the name of its type.
type namedType struct {
	def  *def
	name string
}

// typeNames names the components that are reached, in the order in which they were found: those that callers give by their own names, and so those
// that are answered, as long as no other type has it. Names that are as in the description count more than those that are made of others.
func (l *lowering) typeNames(used map[*def]bool) []namedType {
	taken, short, names := map[string]bool{}, l.d.shortNames(), map[*def]string{}
	name := func(d *def) {
		wanted := tree.JoinWords(cmp.Or(short[d.name], d.name))
		if d.role.base {
			wanted += "Base"
		}
		switch {
		case d.role.answer && !d.role.strict && d.role.room == 0 && l.o.Depth > 0:
			wanted += "Brief"
		case d.role.answer && !d.role.strict && d.role.room < l.o.Depth:
			wanted += fmt.Sprintf("Depth%d", d.role.room)
		case d.role.form && taken[wanted]:
			wanted += "Form"
		case d.role.answer && taken[wanted]:
			wanted += "Answer"
		}
		name := wanted
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s%d", wanted, n)
		}
		taken[name], names[d] = true, name
	}
	var order []*def
	for _, answers := range []bool{false, true} {
		for _, d := range l.order {
			if used[d] && d.role.answer == answers {
				order = append(order, d)
			}
		}
	}
	made := func(d *def) bool { return tree.JoinWords(d.name) != d.name }
	for _, d := range slices.Concat(slices.DeleteFunc(slices.Clone(order), made), order) {
		if names[d] == "" {
			name(d)
		}
	}
	return ir.Each(order, func(d *def) namedType { return namedType{d, names[d]} })
}

// largestCuts names the components of which most members were left out.
func (l *lowering) largestCuts() []string {
	names := slices.Sorted(maps.Keys(l.cuts))
	sort.SliceStable(names, func(i, j int) bool { return l.cuts[names[i]] > l.cuts[names[j]] })
	const most = 5
	return ir.Each(names[:min(len(names), most)], func(name string) string { return fmt.Sprintf("%s (%d)", name, l.cuts[name]) })
}

// tool makes a tool of an operation. The error says why it is left out.
func (l *lowering) tool(op *operation) (t *Tool, schemas ir.Value, refs []*def, err error) {
	l.refs, l.faults = &refs, nil
	if err := l.hosts.unreached[op]; err != nil {
		return nil, schemas, nil, err
	}
	t = &Tool{Name: l.names[op], Operation: op.Cursor, label: op.label(), Places: map[string]*yaml.Node{}, Read: map[string]*yaml.Node{}, former: l.before.of(op)}
	if t.former != nil {
		t.Name = t.former.name
	} else if l.before != nil && slices.Contains(l.before.called, t.Name) {
		t.Name = withHash(t.Name, op.whole()+" "+op.line(), l.o.NameLength)
		l.said.Shortened = append(l.said.Shortened, report.ShortName{Operation: op.label(), Name: t.Name})
	} else if full := strings.Join(wordsOf(op.whole()), "_"); full != t.Name {
		l.said.Shortened = append(l.said.Shortened, report.ShortName{Operation: op.label(), Name: t.Name})
	}
	b := &toolBuilder{l: l, op: op, t: t, request: tree.Mapping(), fixed: map[string]*yaml.Node{}}
	b.words()
	if reason := op.says(Unbuilt); reason != "" {
		err = leftOutf("%s", reason)
	} else if !op.sent() {
		err = leftOutf("tools do not send %s, but GET, HEAD, POST, PUT, PATCH and DELETE", strings.ToUpper(op.method))
	} else if l.hosts.auth[op] == nil {
		err = leftOutf("none of the credentials that it takes is built")
	}
	if err == nil {
		err = b.input()
	}
	if err == nil {
		err = b.output()
	}
	if err == nil {
		b.failures()
	}
	l.drain()
	if err == nil {
		err = b.fits(refs)
	}
	if err == nil {
		err = b.asBefore()
	}
	if err == nil && len(l.faults) > 0 {
		err = asReason(l.faults[0])
	}
	if err != nil {
		return nil, ir.Value{}, nil, err
	}
	b.finish()
	schemas = object(op.Part, b.schemas...)
	return t, schemas, refs, nil
}
