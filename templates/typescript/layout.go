package typescript

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// width is how many columns a line has, as in prettier.
const width = 80

// A doc is text with places where lines may break: the layout chooses, a group at a time, as prettier does.
type doc interface{}

type (
	// concat is one doc after another.
	concat []doc

	// line is a place where a line may break: flat it is its text.
	line struct{ flat string }

	// hardline always breaks, and so do the groups around it.
	hardline struct{}

	// indent moves the lines that begin in it to the right.
	indent struct{ of doc }

	// group is on one line if that fits.
	group struct{ of doc }

	// alternative is one doc if its group is broken, and another one if it is flat.
	alternative struct{ broken, flat doc }

	// choice is the first of several layouts that fits.
	choice []doc

	// assign is what stands before a sign, and what follows it, on a line of its own if it does not begin on the first.
	assign struct {
		left  string
		right doc
	}
)

var (
	space    = line{" "}
	softline = line{}
)

// join puts a separator between docs.
func join(separator doc, all []doc) concat {
	var joined concat
	for i, d := range all {
		if i > 0 {
			joined = append(joined, separator)
		}
		joined = append(joined, d)
	}
	return joined
}

// breaks reports whether a doc has a line break that is not chosen.
func breaks(d doc) bool {
	switch d := d.(type) {
	case hardline:
		return true
	case concat:
		for _, part := range d {
			if breaks(part) {
				return true
			}
		}
	case indent:
		return breaks(d.of)
	case group:
		return breaks(d.of)
	case choice:
		return breaks(d[0])
	case assign:
		return breaks(d.right)
	case call:
		return slices.ContainsFunc(d.args, breaks)
	case literal:
		return d.spread && len(d.parts) > 0 || slices.ContainsFunc(d.parts, breaks)
	}
	return false
}

// piece is a doc that is to be written.
type piece struct {
	depth  int
	broken bool
	doc    doc
}

// printer writes docs.
type printer struct {
	out    strings.Builder
	column int
}

// render writes a doc.
func render(d doc) string {
	var p printer
	p.print(d)
	return p.out.String()
}

func (p *printer) print(d doc) {
	stack := []piece{{0, true, d}}
	for len(stack) > 0 {
		next := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch d := next.doc.(type) {
		case string:
			p.out.WriteString(d)
			p.column += columns(d)
		case group:
			inner := piece{next.depth, false, d.of}
			inner.broken = breaks(d.of) || next.broken && !fits(inner, stack, width-p.column)
			stack = append(stack, inner)
		case line:
			if !next.broken {
				p.out.WriteString(d.flat)
				p.column += len(d.flat)
				continue
			}
			p.newline(next.depth)
		case hardline:
			p.newline(next.depth)
		case choice:
			stack = append(stack, p.choose(d, next, stack))
		case assign:
			stack = p.assign(d, next, stack)
		default:
			stack = push(stack, next)
		}
	}
}

// choose returns the layout that fits.
func (p *printer) choose(d choice, next piece, after []piece) piece {
	flat := piece{next.depth, false, d[0]}
	if !next.broken || fits(flat, after, width-p.column) {
		return flat
	}
	for _, state := range d[1 : len(d)-1] {
		if broken := (piece{next.depth, true, state}); fits(broken, after, width-p.column) {
			return broken
		}
	}
	return piece{next.depth, true, d[len(d)-1]}
}

func (p *printer) assign(d assign, next piece, stack []piece) []piece {
	p.out.WriteString(d.left)
	p.column += columns(d.left)
	right := piece{next.depth, next.broken, d.right}
	if c, ok := d.right.(call); ok && c.brief() {
		right.broken = false
	}
	if !next.broken || fits(right, stack, width-p.column-1) {
		p.out.WriteString(" ")
		p.column++
		return append(stack, piece{next.depth, true, d.right})
	}
	p.newline(next.depth + 1)
	return append(stack, piece{next.depth + 1, true, d.right})
}

func (p *printer) newline(depth int) {
	text := strings.TrimRight(p.out.String(), " ")
	if len(text) < p.out.Len() {
		p.out.Reset()
		p.out.WriteString(text)
	}
	p.out.WriteString("\n" + strings.Repeat("  ", depth))
	p.column = 2 * depth
}

// push adds the parts of a piece to a stack.
func push(stack []piece, next piece) []piece {
	switch d := next.doc.(type) {
	case concat:
		for i := len(d) - 1; i >= 0; i-- {
			stack = append(stack, piece{next.depth, next.broken, d[i]})
		}
	case indent:
		stack = append(stack, piece{next.depth + 1, next.broken, d.of})
	case alternative:
		chosen := d.flat
		if next.broken {
			chosen = d.broken
		}
		stack = append(stack, piece{next.depth, next.broken, chosen})
	case call:
		stack = append(stack, piece{next.depth, next.broken, d.layout()})
	case literal:
		stack = append(stack, piece{next.depth, next.broken, d.layout()})
	case logic:
		stack = append(stack, piece{next.depth, next.broken, d.layout()})
	}
	return stack
}

// fits reports whether a piece, and what follows it up to the next place where a line may break, fits into the rest of a line.
func fits(first piece, after []piece, rest int) bool {
	stack := []piece{first}
	for rest >= 0 {
		if len(stack) == 0 {
			if len(after) == 0 {
				return true
			}
			stack = append(stack, after[len(after)-1])
			after = after[:len(after)-1]
		}
		next := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch d := next.doc.(type) {
		case string:
			rest -= columns(d)
		case group:
			stack = append(stack, piece{next.depth, next.broken || breaks(d.of), d.of})
		case choice:
			state := d[0]
			if next.broken {
				state = d[len(d)-1]
			}
			stack = append(stack, piece{next.depth, next.broken, state})
		case assign:
			stack = append(stack, piece{next.depth, next.broken, concat{d.left, " ", d.right}})
		case line:
			if next.broken {
				return true
			}
			rest -= len(d.flat)
		case hardline:
			return true
		default:
			stack = push(stack, next)
		}
	}
	return false
}

// columns is how wide a text is. Wide characters of East Asia take two columns.
func columns(text string) int {
	n := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		n++
		if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
			r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd) {
			n++
		}
	}
	return n
}

// call is a call of a function.
type call struct {
	name string
	args []doc
}

// literal is an object or an array in a program.
type literal struct {
	open, close string
	parts       []doc
	spread      bool // each part is on a line of its own
}

// flat is a doc on one line.
func flat(d doc) string {
	p := printer{column: -1 << 30}
	p.print(group{d})
	return p.out.String()
}

// brief reports whether a call is not broken for the sake of its argument.
func (c call) brief() bool {
	if len(c.args) == 0 {
		return true
	}
	name, ok := c.args[0].(string)
	return ok && len(c.args) == 1 && len(name) <= width/4 && !strings.Contains(name, ".")
}

func (c call) layout() doc {
	open := c.name + "("
	if len(c.args) == 0 {
		return open + ")"
	}
	comma := concat{",", space}
	spread := group{concat{open, indent{concat{softline, join(comma, c.args)}}, alternative{",", ""}, softline, ")"}}
	last, hugs := c.args[len(c.args)-1].(literal)
	before := c.args[:len(c.args)-1]
	if !hugs || len(last.parts) == 0 || slices.ContainsFunc(before, breaks) {
		return spread
	}
	if len(before) > 0 {
		if other, same := before[len(before)-1].(literal); same && other.open == last.open {
			return spread
		}
	}
	lead := concat{open}
	for _, arg := range before {
		lead = append(lead, flat(arg), ", ")
	}
	opened := last
	opened.spread = true
	first, hug := append(lead[:len(lead):len(lead)], last, ")"), append(lead[:len(lead):len(lead)], opened, ")")
	broken := concat{open, indent{concat{hardline{}, join(comma, c.args)}}, ",", hardline{}, ")"}
	return choice{first, hug, broken}
}

func (l literal) layout() doc {
	if len(l.parts) == 0 {
		return l.open + l.close
	}
	var inside doc = softline
	if l.open == "{" {
		inside = space
	}
	if l.spread {
		inside = hardline{}
	}
	return group{concat{l.open, indent{concat{inside, join(concat{",", space}, l.parts)}}, alternative{",", ""}, inside, l.close}}
}

func object(parts ...doc) literal { return literal{"{", "}", parts, false} }

// spread is an object with each part on a line of its own.
func spread(parts ...doc) literal { return literal{"{", "}", parts, true} }

// array is a list. One of several lists or objects that have several parts each has each on a line of its own.
func array(parts ...doc) literal {
	spread := len(parts) > 1
	for _, p := range parts {
		inner, ok := p.(literal)
		spread = spread && ok && len(inner.parts) > 1
	}
	return literal{"[", "]", parts, spread}
}
