package check

import (
	"cmp"
	"sort"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// mostPairs and mostSteps bound how many pairs of templates are compared, and in how many steps in all.
const (
	mostPairs = 200_000
	mostSteps = 2_000_000
)

// ambiguousTemplates reports two templates that one URI matches: nothing would say which of the two it is of.
func (c *serverChecker) ambiguousTemplates() {
	pairs, ok := alike(c.doc.Resources)
	steps := mostSteps
	for _, p := range pairs {
		first, r := c.doc.Resources[p[0]], c.doc.Resources[p[1]]
		uri, both := overlap(atoms(first.Template), atoms(r.Template), &steps)
		if both {
			c.d.collide(diag.AmbiguousTemplates, point(r.Template.Pos, len(r.Template.Text)), "let them differ in text before the first variable",
				quote(uri)+" matches both this template and that of "+quote(first.Name), point(first.Template.Pos,
					len(first.Template.Text)), "template of "+quote(first.Name))
		}
		if ok = ok && steps > 0; !ok {
			c.d.report(diag.TooLarge, point(r.Template.Pos, len(r.Template.Text)), "let templates differ in text before the first variable",
				"too many templates begin alike to be told apart")
			return
		}
	}
}

// alike lists the pairs of templates of which one begins with the text before the first variable of the other, by their places among
// the resources. It reports false when they are more than [mostPairs].
func alike(all []*ir.Resource) (pairs [][2]int, ok bool) {
	heads := map[string][]int{}
	for i, r := range all {
		if r.Template != nil {
			heads[headOf(r.Template)] = append(heads[headOf(r.Template)], i)
		}
	}
	for i, r := range all {
		if r.Template == nil {
			continue
		}
		head := headOf(r.Template)
		for n := range len(head) + 1 {
			for _, other := range heads[head[:n]] {
				if other == i || n == len(head) && other > i {
					continue
				}
				pairs = append(pairs, [2]int{min(i, other), max(i, other)})
				if len(pairs) > mostPairs {
					return pairs, false
				}
			}
		}
	}
	sort.SliceStable(pairs, func(i, j int) bool { return cmp.Or(pairs[i][1]-pairs[j][1], pairs[i][0]-pairs[j][0]) < 0 })
	return pairs, true
}

// headOf is the text of a template before its first variable.
func headOf(t *ir.Template) string {
	head := ""
	for _, part := range t.Parts {
		head += part.Literal
		if part.Variable != "" {
			break
		}
	}
	return head
}

// atom is one step of a template: a byte, or one or more bytes of a class.
type atom struct {
	literal byte
	class   byte // 0 for a literal, 'u' for unreserved, of {v}, 'r' for reserved as well, of {+v} and {#v}
}

func atoms(t *ir.Template) []atom {
	var all []atom
	for _, part := range t.Parts {
		for _, b := range []byte(part.Literal) {
			all = append(all, atom{literal: b})
		}
		switch {
		case part.Variable == "":
		case part.Operator == 0:
			all = append(all, atom{class: 'u'})
		case part.Operator == '#':
			all = append(all, atom{literal: '#'}, atom{class: 'r'})
		default:
			all = append(all, atom{class: 'r'})
		}
	}
	return all
}

// takes reports whether an atom takes a byte: RFC 3986 sections 2.2 and 2.3, and % of encoded ones.
func (a atom) takes(b byte) bool {
	switch a.class {
	case 0:
		return a.literal == b
	case 'u':
		return isUnreserved(b)
	}
	return isUnreserved(b) || strings.IndexByte(":/?#[]@!$&'()*+,;=", b) >= 0
}

func isUnreserved(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("-._~%", b) >= 0
}

// where is how far two templates have been matched: at an atom each, which, when it is a class, has taken a byte or has not.
type where struct {
	a, b     int
	inA, inB bool
}

// overlap looks for a text that two templates match, and returns a shortest one. It gives up when no steps are left.
func overlap(a, b []atom, steps *int) (text string, found bool) {
	type step struct {
		at   where
		text string
	}
	seen := map[where]bool{}
	for queue := []step{{}}; len(queue) > 0 && *steps > 0; queue = queue[1:] {
		now := queue[0]
		*steps--
		if seen[now.at] {
			continue
		}
		seen[now.at] = true
		if isDone(a, now.at.a, now.at.inA) && isDone(b, now.at.b, now.at.inB) {
			return now.text, true
		}
		for _, c := range []byte(candidates(a, b, now.at)) {
			for _, x := range after(a, now.at.a, now.at.inA, c) {
				for _, y := range after(b, now.at.b, now.at.inB, c) {
					queue = append(queue, step{where{x.at, y.at, x.in, y.in}, now.text + string(rune(c))})
				}
			}
		}
	}
	return "", false
}

// isDone reports whether nothing more has to come.
func isDone(all []atom, at int, in bool) bool { return at == len(all) || in && at == len(all)-1 }

// candidates are the bytes worth trying: the literals that either side may want, or one that all classes take.
func candidates(a, b []atom, at where) string {
	tries := "a"
	for _, side := range []struct {
		all []atom
		at  int
	}{{a, at.a}, {a, at.a + 1}, {b, at.b}, {b, at.b + 1}} {
		if side.at < len(side.all) && side.all[side.at].class == 0 {
			tries += string(rune(side.all[side.at].literal))
		}
	}
	return tries
}

// spot is where one side stands.
type spot struct {
	at int
	in bool
}

// after lists where a side may stand after a byte.
func after(all []atom, at int, in bool, c byte) []spot {
	var spots []spot
	enter := func(at int) {
		if at < len(all) && all[at].takes(c) {
			if all[at].class == 0 {
				spots = append(spots, spot{at + 1, false})
			} else {
				spots = append(spots, spot{at, true})
			}
		}
	}
	enter(at)
	if in {
		enter(at + 1)
	}
	return spots
}
