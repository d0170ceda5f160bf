package format

import (
	"slices"
	"sort"

	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// inOrder sorts the entries of a mapping whose keys the language gives, and leaves any other alone. Sections, rules and x-* keep
// the author's order among themselves, because it is the order of what is generated.
func inOrder(n *node) {
	if len(n.place.Keys) == 0 {
		return
	}
	ranks := make(map[*entry]rank, len(n.entries))
	rules := map[string]int{}
	for i, e := range n.entries {
		ranks[e] = rankOf(n.place, e, i, rules)
	}
	sort.SliceStable(n.entries, func(i, j int) bool { return slices.Compare(ranks[n.entries[i]], ranks[n.entries[j]]) < 0 })
}

// rank is where an entry goes: its group, its place in the author's order, its place in the table.
type rank = []int

const (
	ordinary = iota
	ruled
	late // what the table has after rules
	free
	sections
)

func rankOf(p *grammar.Place, e *entry, i int, rules map[string]int) rank {
	switch {
	case e.rule == nil:
		return rank{free, i}
	case e.section:
		return rank{sections, i}
	}
	at := slices.IndexFunc(p.Keys, func(k grammar.Key) bool { return k.Name == e.name })
	if e.rule.Rule != "" {
		if _, seen := rules[e.rule.Rule]; !seen {
			rules[e.rule.Rule] = i
		}
		return rank{ruled, rules[e.rule.Rule], at}
	}
	if slices.ContainsFunc(p.Keys[:at], func(k grammar.Key) bool { return k.Rule != "" }) {
		return rank{late, at}
	}
	return rank{ordinary, at}
}
