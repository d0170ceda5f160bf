package diff

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// closeness says how much alike two names are, from 0 to 1: by the words that they are made of, or their letters.
func closeness(a, b string) float64 {
	if len(diag.Closest(a, []string{b})) > 0 {
		return misspelt
	}
	return inCommon(lowerWords(a), lowerWords(b), func(word string) int { return len(word) }) // so that long words weigh more
}

func lowerWords(name string) []string { return ir.Each(text.Words(name), strings.ToLower) }

// misspelt is the closeness of names that are a slip of the pen apart.
const misspelt = 0.8

// inCommon is the share of what two lists have in common, by the weight of each element.
func inCommon(a, b []string, weigh func(string) int) float64 {
	common, all := 0, 0
	rest := slices.Clone(b)
	for _, w := range a {
		all += weigh(w)
		if at := slices.Index(rest, w); at >= 0 {
			common += weigh(w)
			rest = slices.Delete(rest, at, at+1)
		}
	}
	for _, w := range rest {
		all += weigh(w)
	}
	if all == 0 {
		return 0
	}
	return float64(common) / float64(all)
}

// features describes a type by its parts, for telling how much alike two types are.
func features(t ir.Type) []string {
	var all []string
	switch t := t.(type) {
	case nil:
		return nil
	case *ir.Nullable:
		return []string{ir.Describe(t)}
	case *ir.Enum:
		return ir.Each(t.Values, func(v ir.EnumValue) string { return v.Value.String() })
	}
	if elem := ir.Elem(t); elem != nil {
		return addPrefix(ir.Word(t)+" ", features(elem))
	}
	for part := range ir.Parts(t) {
		switch f := part.Field; {
		case part.Branch != nil:
			all = append(all, ir.Describe(part.Type))
		case f != nil && ir.IsArray(t):
			all = append(all, strconv.Itoa(len(all))+" "+presence(f)+" "+ir.Describe(f.Type))
		case f != nil:
			all = append(all, f.Name+" "+presence(f)+" "+ir.Describe(f.Type))
		}
	}
	if all == nil && !ir.HasFields(t) {
		return []string{ir.Describe(t)}
	}
	return all
}

func addPrefix(prefix string, all []string) []string {
	for i := range all {
		all[i] = prefix + all[i]
	}
	return all
}

// share is the part of features that two lists have in common, each counted alike.
func share(a, b []string) float64 { return inCommon(a, b, func(string) int { return 1 }) }

// manyFeatures is how many equal features show by themselves, without a similar name, that two types are one.
const manyFeatures = 3

// likeness says how sure it is that one thing became another, given how close their names (or the places that name them) are, and
// the features of both: 0 is not at all.
func likeness(name float64, old, new []string) float64 {
	shape := share(old, new)
	switch {
	case shape == 1 && (name >= 0.3 || len(old) >= manyFeatures):
		return 1 + name
	case shape >= 0.5 && name >= 0.5:
		return shape/2 + name/2
	}
	return 0
}

// best pairs what is gone with what is new, the surest pair first. score of zero is not a pair.
func best[T any](gone, added []T, score func(old, new T) float64) map[int]int {
	type pair struct {
		old, new int
		score    float64
	}
	var all []pair
	for i := range gone {
		for j := range added {
			if s := score(gone[i], added[j]); s > 0 {
				all = append(all, pair{i, j, s})
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].score > all[j].score })
	found := map[int]int{}
	taken := map[int]bool{}
	for _, p := range all {
		if _, paired := found[p.new]; !paired && !taken[p.old] {
			found[p.new], taken[p.old] = p.old, true
		}
	}
	return found
}
