package merge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// followNames finds the types that a person has given another name in the file, and gives them that name in the import and in what was said last.
//
// Such a type was there last, is in the import, and is not in the file; one that was not there last stands in its place: what
// refers to it did refer to the other, and it has a like body.
func (k *keeper) followNames(whole, fresh *yaml.Node) {
	was, is, now := tree.Get(k.base, "types"), tree.Get(whole, "types"), tree.Get(fresh, "types")
	var gone, come []string
	isNow, isHere, wasThere := convert.SetOf(tree.KeysOf(now)), convert.SetOf(tree.KeysOf(is)), convert.SetOf(tree.KeysOf(was))
	for _, name := range tree.KeysOf(was) {
		if isNow[name] && !isHere[name] {
			gone = append(gone, name)
		}
	}
	for _, name := range tree.KeysOf(is) {
		if !wasThere[name] && !isNow[name] {
			come = append(come, name)
		}
	}
	if len(gone) == 0 || len(come) == 0 {
		return
	}
	votes := swaps{map[[2]string]int{}}
	votes.compare(k.base, whole, grammar.Document())
	score := func(from, to string) int {
		if alikeBodies(tree.Get(was, from), tree.Get(is, to), from, to) {
			return 2*votes.found[[2]string{from, to}] + 3
		}
		return 2 * votes.found[[2]string{from, to}]
	}
	names := map[string]string{}
	for _, from := range gone {
		if to := best(from, come, score); to != "" && best(to, gone, func(to, from string) int { return score(from, to) }) == from {
			names[from], k.sourceNames[to] = to, cmp.Or(k.sourceNames[from], from)
		}
	}
	k.base = tree.Clone(k.base)
	renameTypes(k.base, names, &report.Report{})
	renameTypes(fresh, names, k.report)
}

// renameTypes gives types of a whole other names, which it reports.
func renameTypes(whole *yaml.Node, names map[string]string, r *report.Report) {
	renameIn(whole, grammar.Document(), names)
	tree.Each(tree.Get(whole, "types"), func(key, _ *yaml.Node) {
		if to := names[key.Value]; to != "" {
			r.Named = append(r.Named, key.Value+" is "+to)
			key.Value = to
		}
	})
	slices.Sort(r.Named)
}

// FollowRoles gives the types of components of an API the names that they had last, and returns those that the import gave them. A component that is both
// taken and answered is two types, and which of them has its own name depends on what else there is: what a person said of one would go to the other.
func FollowRoles(last *source.Source, fresh *yaml.Node, r *report.Report) map[string]string {
	called := map[string]string{}
	if last == nil {
		return called
	}
	base := tree.Read(last.Text)
	had, _ := rolesOf(base)
	from, names := tree.Clone(base), map[string]string{}
	tree.Remove(from, "types") // what tools say tells first which types are to be compared
	for n := 0; n < 2 || n < mostRenames && len(names) > 0; n++ {
		votes := swaps{map[[2]string]int{}}
		votes.compare(from, fresh, grammar.Document())
		has, component := rolesOf(fresh)
		from, names = base, map[string]string{}
		score := func(from, to string) int { return votes.found[[2]string{from, to}] }
		for to, of := range component {
			was := best(to, had[of], func(to, from string) int { return score(from, to) })
			if was != "" && was != to && best(was, has[of], score) == to {
				names[to] = was
			}
		}
		for _, name := range slices.Sorted(maps.Values(names)) {
			if component[name] != "" && names[name] == "" { // it is new, and would have that name
				names[name] = name + "Input"
				for n := 2; component[names[name]] != "" || tree.Get(tree.Get(base, "types"), names[name]) != nil; n++ {
					names[name] = fmt.Sprintf("%sInput%d", name, n)
				}
			}
		}
		renameTypes(fresh, names, r)
		was := maps.Clone(called)
		for from, to := range names {
			called[to] = cmp.Or(was[from], from)
		}
	}
	return called
}

// rolesOf are the types of an API by the components that they are made of, and the component of each.
func rolesOf(whole *yaml.Node) (types map[string][]string, component map[string]string) {
	types, component = map[string][]string{}, map[string]string{}
	tree.Each(tree.Get(whole, "types"), func(key, value *yaml.Node) {
		if of := tree.Get(tree.Get(value, "x-import"), "schema"); of != nil {
			types[of.Value], component[key.Value] = append(types[of.Value], key.Value), of.Value
		}
	})
	return types, component
}

// best is the one of some names that scores most with a name; empty if none does, or several do.
func best(name string, among []string, score func(name, other string) int) string {
	found, most := "", 0
	for _, other := range among {
		switch n := score(name, other); {
		case n > most:
			found, most = other, n
		case n == most:
			found = ""
		}
	}
	return found
}

// swaps counts where one whole names one type and another, at the same place, another type or the same.
type swaps struct {
	found map[[2]string]int
}

func (s swaps) compare(a, b *yaml.Node, place *grammar.Place) {
	if a == nil || b == nil || place == nil || place == grammar.Data() {
		return
	}
	switch {
	case a.Kind != b.Kind:
		if was, is := lift(a, place), lift(b, place); was != nil && is != nil {
			s.compare(was, is, place)
		}
	case a.Kind == yaml.MappingNode:
		in := keysIn(b, place)
		tree.Each(a, func(key, value *yaml.Node) {
			if at := in.find(key.Value); at >= 0 {
				s.compare(value, b.Content[at+1], place.Value(key.Value))
			}
		})
	case a.Kind == yaml.SequenceNode && len(a.Content) == len(b.Content):
		for i := range a.Content {
			s.compare(a.Content[i], b.Content[i], place.Items)
		}
	case a.Kind == yaml.ScalarNode && place.Takes(grammar.Expression):
		was, is := namesIn(a.Value), namesIn(b.Value)
		for i := range min(len(was), len(is)) {
			if len(was) == len(is) {
				s.found[[2]string{was[i], is[i]}]++
			}
		}
	}
}

// namesIn lists the names in a type expression.
func namesIn(expression string) (all []string) {
	e, fault := syntax.ParseExpr(&syntax.Node{Text: expression})
	if fault != nil {
		return nil
	}
	var walk func(e *syntax.Expr)
	walk = func(e *syntax.Expr) {
		if e.Kind == syntax.NameExpr {
			all = append(all, e.Name)
		}
		for _, arg := range e.Args {
			walk(arg)
		}
	}
	walk(e)
	return all
}

// alikeBodies reports whether the body of a type has the keys, fields, values or branches of another one.
func alikeBodies(a, b *yaml.Node, from, to string) bool {
	place := grammar.Document().Value("types").Value(from)
	was, is := lift(a, place), lift(b, place)
	if was == nil || is == nil {
		return false
	}
	was = tree.Clone(was)
	renameIn(was, place, map[string]string{from: to})
	form := formOf(was)
	if form != formOf(is) {
		return false
	}
	if form == "" {
		return alike(withoutPersonal(was, place), withoutPersonal(is, place))
	}
	for _, key := range formKeys[form] {
		x, y := tree.Get(was, key), tree.Get(is, key)
		switch {
		case x == nil || y == nil || slices.Contains([]string{"by", "in", "absent"}, key):
		case x.Kind == yaml.MappingNode && !slices.Equal(slices.Sorted(slices.Values(tree.KeysOf(x))), slices.Sorted(slices.Values(tree.KeysOf(y)))):
			return false
		case x.Kind != yaml.MappingNode && !tree.Same(x, y):
			return false
		}
	}
	return true
}

// withoutPersonal is a schema without what a person may say in another way.
func withoutPersonal(n *yaml.Node, place *grammar.Place) *yaml.Node {
	bare := tree.Mapping()
	tree.Each(n, func(key, value *yaml.Node) {
		if !personal(place, key.Value) {
			bare.Content = append(bare.Content, key, value)
		}
	})
	return bare
}

// renameIn gives types other names wherever a whole refers to them.
func renameIn(n *yaml.Node, place *grammar.Place, names map[string]string) {
	if n == nil || place == nil || place == grammar.Data() {
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		tree.Each(n, func(key, value *yaml.Node) { renameIn(value, place.Value(key.Value), names) })
	case yaml.SequenceNode:
		for _, item := range n.Content {
			renameIn(item, place.Items, names)
		}
	case yaml.ScalarNode:
		e, fault := syntax.ParseExpr(&syntax.Node{Text: n.Value})
		if !place.Takes(grammar.Expression) || fault != nil || n.Value == "" || n.ShortTag() == "!!bool" {
			return
		}
		if renameExpr(e, names) {
			n.Value = e.String()
		}
	}
}

func renameExpr(e *syntax.Expr, names map[string]string) (changed bool) {
	if to := names[e.Name]; e.Kind == syntax.NameExpr && to != "" {
		e.Name, changed = to, true
	}
	for _, arg := range e.Args {
		changed = renameExpr(arg, names) || changed
	}
	return changed
}
