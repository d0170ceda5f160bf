package contract

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/internal/jsontree"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// pool keeps values that the server has returned, by the names of their members, the newest first.
type pool map[string][]string

// kept is how many values of a name are kept.
const kept = 20

// add keeps the parts of a result.
func (p pool) add(v *jsontree.Value) {
	n := 0
	v.Walk(nil, func(path []jsontree.Step, part *jsontree.Value) bool {
		n++
		if len(path) == 0 || part.Kind == jsontree.List || part.Kind == jsontree.Object || part.Kind == jsontree.Null {
			return n < 2000
		}
		name := ""
		for _, step := range slices.Backward(path) {
			if step.Index < 0 {
				name = step.Name
				break
			}
		}
		if json := part.JSON(); name != "" && len(json) < 200 && !slices.Contains(p[plainName(name)], json) {
			all := append([]string{json}, p[plainName(name)]...)
			p[plainName(name)] = all[:min(len(all), kept)]
		}
		return true
	})
}

// plainName is a name without its case, its separators and the plural.
func plainName(name string) string {
	name = strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name))
	return strings.TrimSuffix(name, "s")
}

// candidates are the values that an argument may take.
func (p pool) candidates(name string) []string {
	name = plainName(name)
	found := slices.Clone(p[name])
	if strings.HasSuffix(name, "id") && name != "id" {
		found = append(found, p["id"]...)
	}
	if name == "id" {
		for other, all := range p {
			if strings.HasSuffix(other, "id") && other != "id" && len(other) < 20 {
				found = append(found, all...)
			}
		}
		slices.Sort(found[len(p["id"]):]) // a map has no order
	}
	return found
}

// supply gives a value for an argument: one that was configured, one that a refusal has named, or one that the server has returned.
func (r *runner) supply(t *tool, c *values.Choices, name string) (string, bool) {
	configured := append(slices.Clone(r.o.Values[t.name+"."+name]), r.o.Values[name]...)
	if len(configured) > 0 && c.Below(4) > 0 {
		return configured[c.Below(len(configured))], true
	}
	if learned := t.learned[name]; len(learned) > 0 && c.Below(2) == 1 {
		return learned[c.Below(len(learned))], true
	}
	all := r.pool.candidates(name)
	if len(all) == 0 || c.Below(2) == 0 {
		return "", false
	}
	return all[c.Below(len(all))], true
}
