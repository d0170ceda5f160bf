package typescript

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// Bounds of the search for ambiguity. An expression that takes more is taken for ambiguous, and so is one of a document whose others have taken all.
const (
	mostSteps   = 200_000   // for one
	mostSought  = 1_000_000 // for all of a document, and stepsOfByte more for each byte of them
	stepsOfByte = 100
)

// rangesOfStep is how many ends of ranges are compared in one step of the search.
const rangesOfStep = 64

// program compiles an expression.
func program(expr string) (*syntax.Prog, bool) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, false
	}
	compiled, err := syntax.Compile(tree.Simplify())
	return compiled, err == nil
}

// patterns are those of a document, each looked at once.
type patterns struct {
	left  int             // steps
	known map[string]bool // whether they are ambiguous
}

func newPatterns() *patterns { return &patterns{left: mostSought, known: map[string]bool{}} }

// ambiguous reports whether a text may be matched in several ways whose number grows with its length: a matcher that tries one after the other, as those of
// JavaScript do, takes time that is not in proportion to the length. An expression that may begin anywhere is one that begins with any text.
func (all *patterns) ambiguous(expr string) bool {
	is, known := all.known[expr]
	if known {
		return is
	}
	if p, ok := program(expr); ok {
		all.left += stepsOfByte * len(expr)
		most := min(all.left, mostSteps)
		g := newTransitions(p, most)
		is = g.left < 0 || slices.ContainsFunc(g.twice, func(pair [2]int) bool { return g.reaches(pair[1], pair[0]) }) || g.grows()
		all.left -= most - max(g.left, 0)
	}
	all.known[expr] = is
	return is
}

// transitions is what follows what: states are instructions that read a character, and one before all that reads any.
type transitions struct {
	prog  *syntax.Prog
	read  [][]rune // of each state: ranges
	next  [][]int  // of each state: the states after it
	twice [][2]int // from a state to one that it reaches in two ways
	left  int
	known map[[2]int][]rune // what two states both read
}

func newTransitions(p *syntax.Prog, most int) *transitions {
	g := &transitions{prog: p, left: most, known: map[[2]int][]rune{}, read: make([][]rune, len(p.Inst)+1), next: make([][]int, len(p.Inst)+1)}
	for i := range p.Inst {
		g.read[i] = runes(&p.Inst[i])
		if g.read[i] != nil {
			g.follow(i, int(p.Inst[i].Out))
		}
	}
	if p.StartCond()&syntax.EmptyBeginText == 0 {
		start := len(p.Inst)
		g.read[start] = []rune{0, unicode.MaxRune}
		g.follow(start, p.Start)
		g.next[start] = append(g.next[start], start)
	}
	return g
}

// follow adds the states that are reached from an instruction without reading.
func (g *transitions) follow(from, at int) {
	ways := map[int]int{}
	within := map[int]bool{}
	var visit func(at int)
	visit = func(at int) {
		if g.left--; g.left < 0 || within[at] {
			return
		}
		i := &g.prog.Inst[at]
		switch i.Op {
		case syntax.InstAlt, syntax.InstAltMatch, syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
			within[at] = true
			visit(int(i.Out))
			if i.Op == syntax.InstAlt || i.Op == syntax.InstAltMatch {
				visit(int(i.Arg))
			}
			within[at] = false
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if ways[at]++; ways[at] == 1 {
				g.next[from] = append(g.next[from], at)
			} else {
				g.twice = append(g.twice, [2]int{from, at})
			}
		}
	}
	visit(at)
}

// runes are the ranges of characters that an instruction reads; nil if it reads none.
func runes(i *syntax.Inst) []rune {
	switch i.Op {
	case syntax.InstRuneAny:
		return []rune{0, unicode.MaxRune}
	case syntax.InstRuneAnyNotNL:
		return []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	case syntax.InstRune, syntax.InstRune1:
		if len(i.Rune) != 1 {
			return i.Rune
		}
		if syntax.Flags(i.Arg)&syntax.FoldCase != 0 {
			return folds(i.Rune[0])
		}
		return []rune{i.Rune[0], i.Rune[0]}
	}
	return nil
}

func (g *transitions) reaches(from, to int) bool {
	seen := map[int]bool{from: true}
	for stack := []int{from}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at == to {
			return true
		}
		for _, next := range g.next[at] {
			if !seen[next] {
				seen[next] = true
				stack = append(stack, next)
			}
		}
	}
	return false
}

// grows reports whether there are a loop and another one after it that read the same text, which may also lead from the first to the second
// (Weber and Seidl, On the degree of ambiguity of finite automata, 1991).
func (g *transitions) grows() bool {
	for p := range g.next {
		for q := range g.next {
			if p != q && len(g.next[p]) > 0 && len(g.next[q]) > 0 && g.both(p, q) {
				return true
			}
		}
	}
	return g.left < 0
}

// both reports whether one text leads from p to p, from p to q and from q to q.
func (g *transitions) both(p, q int) bool {
	type three [3]int
	goal := three{p, q, q}
	seen := map[three]bool{}
	stack := []three{{p, p, q}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, a := range g.next[at[0]] {
			for _, b := range g.next[at[1]] {
				ab := g.commonRunes(a, b)
				for _, c := range g.next[at[2]] {
					if g.left--; g.left < 0 {
						return true
					}
					next := three{a, b, c}
					if seen[next] || len(g.overlap(ab, g.read[c], 1)) == 0 {
						continue
					}
					if next == goal {
						return true
					}
					seen[next] = true
					stack = append(stack, next)
				}
			}
		}
	}
	return false
}

// commonRunes are the characters that two states both read.
func (g *transitions) commonRunes(a, b int) []rune {
	both, ok := g.known[[2]int{a, b}]
	if !ok {
		both = g.overlap(g.read[a], g.read[b], unicode.MaxRune)
		g.known[[2]int{a, b}] = both
	}
	return both
}

// overlap are the characters that two sorted lists of ranges have in common, as ranges, of which there are at most so many.
func (g *transitions) overlap(a, b []rune, most int) (both []rune) {
	i, j := 0, 0
	for i+1 < len(a) && j+1 < len(b) && len(both) < 2*most {
		if low, high := max(a[i], b[j]), min(a[i+1], b[j+1]); low <= high {
			both = append(both, low, high)
		}
		if a[i+1] < b[j+1] {
			i += 2
		} else {
			j += 2
		}
	}
	g.left -= (i + j) / rangesOfStep
	return both
}

// steps writes a program as a text: its instructions, separated by spaces, of which the first is the start. They are | with two instructions that follow,
// e with conditions at a place of the text and the instruction after it, c with ranges of characters and the instruction after it, m for a match
// and f for none.
func steps(expr string) string {
	p, ok := program(expr)
	if !ok {
		return "f"
	}
	all := []string{fmt.Sprintf("|%d,%[1]d", p.Start+1)}
	for k := range p.Inst {
		i := &p.Inst[k]
		switch i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			all = append(all, fmt.Sprintf("|%d,%d", i.Out+1, i.Arg+1))
		case syntax.InstCapture, syntax.InstNop:
			all = append(all, fmt.Sprintf("|%d,%[1]d", i.Out+1))
		case syntax.InstEmptyWidth:
			all = append(all, fmt.Sprintf("e%d,%d", i.Arg, i.Out+1))
		case syntax.InstMatch:
			all = append(all, "m")
		case syntax.InstFail:
			all = append(all, "f")
		default:
			all = append(all, fmt.Sprintf("c%s,%d", strings.Trim(strings.ReplaceAll(fmt.Sprint(runes(i)), " ", ","), "[]"), i.Out+1))
		}
	}
	return strings.Join(all, " ")
}
