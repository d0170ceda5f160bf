package importer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// nameTypes decides the names of types before anything refers to them. Where a name is taken, the definition gets a longer one: with the name
// of what it stands in, or with a number.
func (i *draft) nameTypes(all []*definition) {
	taken := map[string]bool{}
	free := func(name string) bool { return !taken[name] }
	for _, d := range all {
		if !d.isType {
			continue
		}
		name := i.freeName(tree.NameOf(d.Name), d.Cursor, free, longerNames(d)...)
		taken[name] = true
		i.conv.Names[d.Pointer] = name
		if d.inPlace {
			i.conv.Hoisted[d.Pointer] = name
			i.conv.ApartAs[d.Pointer] = d.ID()
		}
	}
	for _, d := range all {
		if p, name := inlineParams(d); name != "" {
			name = i.freeName(name, p, free)
			taken[name] = true
			i.conv.Hoisted[p.Pointer] = name
		}
	}
}

// longerNames are names for a definition whose own is taken.
func longerNames(d *definition) []string {
	longer := []string{tree.JoinWords(strings.ReplaceAll(d.Name, "[]", " List"))}
	if d.within != "" {
		longer = append(longer, tree.JoinWords(d.within+" "+d.Name))
	}
	return longer
}

// freeName is a name that is free: the one that is wanted, the first that is free of some others, or one with a number. Another one than is
// wanted is reported.
func (i *draft) freeName(wanted string, s source.Cursor, free func(string) bool, others ...string) string {
	name := wanted
	for n := 2; !free(name); {
		if len(others) > 0 {
			name, others = others[0], others[1:]
			continue
		}
		name = wanted + strconv.Itoa(n)
		n++
	}
	if name != wanted {
		i.conv.Report.Called = append(i.conv.Report.Called, report.Called{Pointer: s.Pointer, Name: wanted, As: name})
	}
	return name
}

// free reports whether a section has no declaration of a name.
func (i *draft) free(section string) func(string) bool {
	return func(name string) bool { return i.doc.Body[section].Get(name) == nil }
}

// namedIn returns the definitions of a container. A member that is not a schema, but holds some that are referred to, is a namespace: what is in it are
// definitions.
func (i *draft) namedIn(container source.Cursor, within string, depth int) (all []*definition) {
	for _, m := range container.Members() {
		if m.Kind != ir.Object && m.Kind != ir.Boolean && i.referredTo()[m.Pointer] == 0 {
			i.conv.Report.Ignore(m.Pointer) // it is not a schema
			continue
		}
		if depth < source.Deepest && i.isNamespace(m.Cursor) {
			all = append(all, i.namedIn(m.Cursor, strings.TrimSpace(within+" "+m.Name), depth+1)...)
			continue
		}
		all = append(all, &definition{Named: m, within: within})
	}
	return all
}

// isNamespace reports whether an object holds schemas that references lead to, and is none itself.
func (i *draft) isNamespace(s source.Cursor) bool {
	if len(s.Fields) == 0 || slices.ContainsFunc(s.Fields, func(m ir.Member) bool { return m.Value.Kind != ir.Object }) || source.HasAny(s, source.Checks) {
		return false
	}
	for pointer := range i.referredTo() {
		if strings.HasPrefix(pointer, s.Pointer+"/") {
			return true
		}
	}
	return false
}

// referredTo counts the references of the source by the pointers that they lead to.
func (i *draft) referredTo() map[string]int {
	if i.referrers != nil {
		return i.referrers
	}
	i.referrers = map[string]int{}
	var walk func(s source.Cursor, depth int)
	walk = func(s source.Cursor, depth int) {
		if depth > source.Deepest {
			return
		}
		if s.TextOf("$ref") != "" {
			if target, message, _ := i.conv.Resolver.RefersTo(s); message == "" {
				if i.referrers[target.Pointer]++; i.referrers[target.Pointer] == 1 {
					i.targets = append(i.targets, target)
				}
				if target.Pointer == s.Pointer || strings.HasPrefix(s.Pointer, target.Pointer+"/") {
					i.referrers[target.Pointer]++ // a circle
				}
			}
		}
		for _, item := range s.Elements() {
			walk(item, depth+1)
		}
		for _, m := range s.Members() {
			if !source.IsData(m.Name) {
				walk(m.Cursor, depth+1)
			}
		}
	}
	walk(i.conv.Resolver.Base, 0)
	return i.referrers
}

// apart returns the schemas that several references lead to, or that references lead back to, and that are not definitions at the root: each gets a
// name of its own, so that it is one type.
func (i *draft) apart(all []*definition) (more []*definition) {
	i.referredTo()
	known := map[string]bool{"": true}
	for _, d := range all {
		known[d.Pointer] = true
	}
	for _, target := range i.targets {
		if known[target.Pointer] || target.Kind != ir.Object || !source.HasAny(target, source.Checks) {
			continue
		}
		name, within, inContainer := nameAt(target.Pointer)
		compound := source.HasAny(target, []string{"properties", "allOf", "anyOf", "oneOf", "enum", "patternProperties", "items"})
		if name == "" || !inContainer && (!compound || i.referrers[target.Pointer] < 2) {
			continue
		}
		if !inContainer {
			name = tree.JoinWords(name)
		}
		more = append(more, &definition{Named: source.Named{Name: name, Cursor: target}, within: within, inPlace: !inContainer})
	}
	var again []string
	for pointer := range i.conv.Decisions.Circular {
		again = append(again, pointer)
	}
	slices.Sort(again)
	for _, d := range more {
		known[d.Pointer] = true
	}
	for _, pointer := range again {
		s, ok := i.conv.Resolver.Base.Follow(pointer)
		name, within, _ := nameAt(pointer)
		if ok && !known[pointer] && name != "" && len(s.Fields) > 0 {
			more = append(more, &definition{Named: source.Named{Name: tree.JoinWords(name), Cursor: s}, within: within, inPlace: true})
		}
	}
	return more
}

// nameAt is a name for the schema at a pointer, after the last step that is not a keyword, and that of the step before. It reports whether the
// schema is a definition.
func nameAt(pointer string) (name, within string, definition bool) {
	steps := strings.Split(pointer, "/")[1:]
	for at, step := range steps {
		step = source.PointerUnescape.Replace(step)
		above := ""
		if at > 0 {
			above = steps[at-1]
		}
		switch _, err := strconv.Atoi(step); {
		case slices.Contains([]string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}, above):
			name, within = step, name
		case slices.Contains(convert.Said, step) || slices.Contains(source.Checks, step) || err == nil:
			if at == len(steps)-1 && name != "" && err != nil {
				name += " " + step
			}
		default:
			name, within = step, name
		}
		definition = at == len(steps)-1 && (above == "$defs" || above == "definitions")
	}
	return name, within, definition
}
