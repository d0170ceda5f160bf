package draft

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// NameTypes decides the names of types before anything refers to them, those that stay as they are before those that are made of others. Where a
// name is taken, the definition gets a longer one: with the name of what it stands in, or with a number.
func (i *Draft) NameTypes(all []*Definition) {
	taken := tree.NewEntries() // of which the keys alone matter
	made := func(d *Definition) bool { return tree.NameOf(d.Name) != d.Name }
	for _, d := range slices.Concat(slices.DeleteFunc(slices.Clone(all), made), all) {
		if !d.IsType || i.Conv.Names[d.Pointer] != "" {
			continue
		}
		name := i.FreeName(tree.NameOf(d.Name), d.Cursor, taken, longerNames(d)...)
		taken.Set(name, taken.Node)
		i.Conv.Names[d.Pointer] = name
		if d.InPlace {
			i.Conv.Hoisted[d.Pointer] = name
			i.Conv.ApartAs[d.Pointer] = d.ID()
		}
	}
	for _, d := range all {
		if p, name := InlineParams(d); name != "" {
			name = i.FreeName(name, p, taken)
			taken.Set(name, taken.Node)
			i.Conv.Hoisted[p.Pointer] = name
		}
	}
}

// longerNames are names for a definition whose own is taken.
func longerNames(d *Definition) []string {
	longer := []string{tree.JoinWords(strings.ReplaceAll(d.Name, "[]", " List"))}
	if d.within != "" {
		longer = append(longer, tree.JoinWords(d.within+" "+d.Name))
	}
	return longer
}

// FreeName is a name that is free: the one that is wanted, the first that is free of some others, or one with a number. Another one than is wanted is reported.
func (i *Draft) FreeName(wanted string, s source.Cursor, taken *tree.Entries, others ...string) string {
	name := wanted
	for n := max(2, taken.Numbers[wanted]); taken.Get(name) != nil; {
		if len(others) > 0 {
			name, others = others[0], others[1:]
			continue
		}
		name, taken.Numbers[wanted], n = wanted+strconv.Itoa(n), n, n+1
	}
	if name != wanted {
		i.Conv.Report.Called = append(i.Conv.Report.Called, report.TypeName{Pointer: s.Pointer, Name: wanted, As: name})
	}
	return name
}

// NamedIn returns the definitions of a container. A member that is not a schema, but holds some that are referred to, is a namespace of definitions.
func (i *Draft) NamedIn(container source.Cursor, within string, depth int) (all []*Definition) {
	for _, m := range container.Members() {
		if m.Kind != ir.Object && m.Kind != ir.Boolean && i.referredTo()[m.Pointer] == 0 {
			i.Conv.Report.Ignore(m.Pointer) // it is not a schema
			continue
		}
		if depth < source.Deepest && i.isNamespace(m.Cursor) {
			all = append(all, i.NamedIn(m.Cursor, strings.TrimSpace(within+" "+m.Name), depth+1)...)
			continue
		}
		all = append(all, &Definition{Member: m, within: within})
	}
	return all
}

// isNamespace reports whether an object holds schemas that references lead to, and is none itself.
func (i *Draft) isNamespace(s source.Cursor) bool {
	if len(s.Fields) == 0 || slices.ContainsFunc(s.Fields, func(m ir.Member) bool { return m.Value.Kind != ir.Object }) || source.HasAny(s, source.Checks) {
		return false
	}
	i.referredTo()
	return i.holders[s.Pointer]
}

// referredTo counts the references of the source by the pointers that they lead to.
func (i *Draft) referredTo() map[string]int {
	if i.referrers != nil {
		return i.referrers
	}
	i.referrers, i.holders = map[string]int{}, map[string]bool{}
	var walk func(s source.Cursor, depth int)
	walk = func(s source.Cursor, depth int) {
		if depth > source.Deepest {
			return
		}
		if s.TextOf("$ref") != "" {
			if target, message, _ := i.Conv.Resolver.RefersTo(s); message == "" {
				if i.referrers[target.Pointer]++; i.referrers[target.Pointer] == 1 {
					i.targets = append(i.targets, target)
					for at := target.Pointer; at != "" && !i.holders[at]; {
						at = at[:strings.LastIndexByte(at, '/')]
						i.holders[at] = true
					}
				}
				if target.Pointer == s.Pointer || strings.HasPrefix(s.Pointer, target.Pointer+"/") {
					i.referrers[target.Pointer]++ // a circle
				}
			}
		}
		source.EachInner(s, func(inner source.Cursor, deeper int) { walk(inner, depth+deeper) })
	}
	walk(i.Conv.Resolver.Base, 0)
	return i.referrers
}

// Apart returns schemas that several references or a circle lead to, and that are not definitions at the root: each gets a name, so that it is one type.
func (i *Draft) Apart(all []*Definition) (more []*Definition) {
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
		more = append(more, &Definition{Member: source.Member{Name: name, Cursor: target}, within: within, InPlace: !inContainer})
	}
	for _, d := range more {
		known[d.Pointer] = true
	}
	for _, pointer := range slices.Sorted(maps.Keys(i.Conv.Decisions.Circular)) {
		s, ok := i.Conv.Resolver.Base.Follow(pointer)
		name, within, _ := nameAt(pointer)
		if ok && !known[pointer] && name != "" && len(s.Fields) > 0 {
			more = append(more, &Definition{Member: source.Member{Name: tree.JoinWords(name), Cursor: s}, within: within, InPlace: true})
		}
	}
	return more
}

// nameAt names the schema at a pointer after the last step that is not a keyword, and the step before. It reports whether the schema is a definition.
func nameAt(pointer string) (name, within string, definition bool) {
	steps := strings.Split(pointer, "/")[1:]
	for at, step := range steps {
		step = ir.UnescapePointer(step)
		above := ""
		if at > 0 {
			above = steps[at-1]
		}
		switch _, err := strconv.Atoi(step); {
		case jsonschema.KeywordOf(above).Holds == jsonschema.Map:
			name, within = step, name
		case convert.Fields().Of("Schema", step).Use == source.Used || slices.Contains(source.Checks, step) || err == nil:
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
