package jsonschema

import (
	"slices"
	"sort"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// The members by which definitions of ACP say of which method they are the params or the result, and which side answers it: agent or client.
const (
	methodKey = "x-method"
	sideKey   = "x-side"
)

// classifyMarked takes what only joins messages out of the types: the unions of what a side sends, and the root.
func (i *reader) classifyMarked(all []*draft.Definition) {
	for _, d := range all {
		joins := strings.HasPrefix(d.Name, "Agent") || strings.HasPrefix(d.Name, "Client")
		for _, suffix := range []string{"Request", "Response", "Notification"} {
			if joins && strings.HasSuffix(d.Name, suffix) && d.TextOf(methodKey) == "" && source.HasAny(d.Cursor, []string{"anyOf", "oneOf"}) {
				d.Role = draft.Side
			}
		}
		if d.Pointer == i.d.Conv.Resolver.Base.Pointer {
			d.Role = draft.Envelope
		}
	}
}

// markedMethod is a method or a notification with the definitions that say so.
type markedMethod struct {
	section, name, side string
	params, result      *draft.Definition
	at                  source.Cursor
}

// markedMethods declares the methods that definitions name. Where tables of methods came with the source, those count which they list.
func (i *reader) markedMethods(all []*draft.Definition) {
	known := i.methodTable()
	var methods []*markedMethod
	byName := map[[3]string]*markedMethod{}
	for _, d := range all {
		name, by := d.TextOf(methodKey), d.TextOf(sideKey)
		switch {
		case d.Role == draft.Side:
			i.d.Conv.Report.Sides = append(i.d.Conv.Report.Sides, d.Name)
		case d.Role == draft.Envelope:
			i.d.Conv.Report.Envelopes = append(i.d.Conv.Report.Envelopes, d.Name)
		}
		if name == "" {
			continue
		}
		if known != nil && !known.take(name, by) {
			i.d.Conv.Report.Ignore(d.Pointer + "/" + methodKey)
			continue
		}
		section := "methods"
		if strings.HasSuffix(d.Name, "Notification") {
			section = "notifications"
		}
		key := [3]string{section, name, by}
		if byName[key] == nil {
			byName[key] = &markedMethod{section: section, name: name, side: by, at: d.Cursor}
			methods = append(methods, byName[key])
		}
		byName[key].add(d)
	}
	sort.SliceStable(methods, func(i, j int) bool { return methods[i].section < methods[j].section })
	for _, m := range methods {
		i.markedMethod(m)
	}
	if len(methods) > 0 { // members of a JSON Schema have no order
		tree.Set(i.d.Doc.Head, "protocol", tree.With("positional", tree.Plain("false")))
	}
	if known != nil {
		known.reportRest(i.d.Conv.Report)
	}
}

// add notes what a definition is for the method, by the end of its name.
func (m *markedMethod) add(d *draft.Definition) {
	switch {
	case strings.HasSuffix(d.Name, "Response"), strings.HasSuffix(d.Name, "Result"):
		m.result = d
	default:
		m.params = d
	}
}

func (i *reader) markedMethod(m *markedMethod) {
	n := tree.Mapping()
	if m.side == "client" {
		tree.Set(n, "from", tree.Text("server"))
	}
	if m.params != nil {
		tree.Set(n, "params", tree.Text(i.d.Conv.Names[m.params.Pointer]))
	}
	switch {
	case m.section == "notifications":
	case m.result != nil:
		tree.Set(n, "result", tree.Text(i.d.Conv.Names[m.result.Pointer]))
	default:
		i.d.Conv.Report.NoResult = append(i.d.Conv.Report.NoResult, m.name)
	}
	if len(n.Content) == 0 {
		n = tree.Plain("")
	}
	draft.DeclareMessage(i.d, m.section, m.name, n, m.at)
}

// MethodTable is the methods that further files of a source list, by side.
type MethodTable struct {
	sides map[string]map[string]string // by side and name, the place in a report; taken ones are gone
	order [][2]string
}

// tableSuffix ends the names of the members of a table: agentMethods are those that an agent answers.
const tableSuffix = "Methods"

// readTable reads a table of methods, such as the meta.json of ACP: {"agentMethods": {"session_new": "session/new"}, "version": 1}.
func (t *MethodTable) read(file string, root source.Cursor) source.Faults {
	var faults source.Faults
	tables := 0
	for _, m := range root.Members() {
		by, ok := strings.CutSuffix(m.Name, tableSuffix)
		if !ok || m.Kind != ir.Object {
			continue
		}
		tables++
		for _, method := range m.Members() {
			if method.Kind != ir.Text {
				faults = append(faults, &source.Fault{Pos: method.Pos, Pointer: method.Pointer, Message: "a method is named by text, not " + method.Kind.String()})
				continue
			}
			t.add(by, method.Text, file+"#"+method.Pointer)
		}
	}
	if tables == 0 {
		faults = append(faults, &source.Fault{Pos: root.Pos, Message: "this is not a table of methods",
			Help: `a file after the first has members such as "agentMethods" and "clientMethods", which map to the names of methods`})
	}
	return faults
}

func (t *MethodTable) add(by, method, at string) {
	if t.sides[by] == nil {
		t.sides[by] = map[string]string{}
	}
	t.sides[by][method] = at
	t.order = append(t.order, [2]string{by, method})
}

// take reports whether a method of a side is listed, and remembers that it was found.
func (t *MethodTable) take(method, by string) bool {
	at, ok := t.sides[by][method]
	if ok && at != "" {
		t.sides[by][method] = ""
	}
	return ok
}

// reportRest reports methods that no definition is marked with.
func (t *MethodTable) reportRest(r *report.Report) {
	for _, m := range t.order {
		if at := t.sides[m[0]][m[1]]; at != "" {
			r.Ignore(at)
		}
	}
}

// methodTable is a fresh copy of the tables that came with the source; nil if there are none.
func (i *reader) methodTable() *MethodTable {
	if i.tables == nil {
		return nil
	}
	t := &MethodTable{sides: map[string]map[string]string{}}
	for _, m := range i.tables.order {
		t.add(m[0], m[1], i.tables.sides[m[0]][m[1]])
	}
	return t
}

// ReadTables reads the tables that come with a source.
func ReadTables(sources []source.Source) (*MethodTable, error) {
	if len(sources) == 0 || source.TextOnly {
		return nil, nil
	}
	t := &MethodTable{sides: map[string]map[string]string{}}
	var faults source.Faults
	for _, s := range sources {
		root, _, fault := source.ParseJSON(s.Name, s.Text)
		if fault != nil {
			faults = append(faults, fault)
			continue
		}
		faults = slices.Concat(faults, t.read(s.Name, source.Cursor{Value: root, Index: source.NewIndex()}))
	}
	return t, faults.Err()
}

// UnusedTable refuses tables for a source whose definitions say nothing of methods.
func UnusedTable(d *draft.Draft, root source.Cursor, tables *MethodTable) {
	if tables != nil && d.Conv.Report.Layout != report.MarkedProtocol {
		d.Conv.Fault(root, "", "the definitions of this source are marked with no %s, by which a table of methods finds them", methodKey)
	}
}
