package templates

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/text"
)

// widest is how many bytes of a constant stand on a line where they need not: longer ones would be hard to review.
const widest = 100

// raw is s as a Go string that is easy to read: in backquotes where it can be.
func raw(s string) *jen.Statement { return jen.Id(text.GoString(s)) }

// lined is raw for text of several lines: a piece each.
func lined(s string) *jen.Statement { return jen.Id(text.GoLines(s)) }

// nameList is a constant of names, newline-separated.
func nameList(names []string) *jen.Statement {
	all := strings.Join(names, "\n")
	if len(all) <= widest {
		return jen.Lit(all)
	}
	return lined(all)
}

// jsonConstant is a constant of compact JSON: objects and arrays that are too long for a line have one for each member, and so has the
// outermost one if it is to be open.
func jsonConstant(compact string, open bool) *jen.Statement {
	var parts []jen.Code
	for _, line := range jsonLines(compact, widest, open) {
		parts = append(parts, lined(line))
	}
	return sum(parts, "+\n")
}

// jsonLines cuts compact JSON into lines after the brackets and commas of objects and arrays that are longer than width bytes, and of the
// outermost one if it is to be open.
func jsonLines(compact string, width int, open bool) []string {
	b := jsonBreaker{text: compact, width: width, open: open}
	b.value(0)
	return append(b.lines, b.text[b.start:])
}

type jsonBreaker struct {
	text  string
	width int
	open  bool
	start int // of the line that is not cut off yet
	lines []string
}

// cut ends a line before i.
func (b *jsonBreaker) cut(i int) {
	b.lines = append(b.lines, b.text[b.start:i])
	b.start = i
}

// value cuts the value at i into lines, and returns where it ends.
func (b *jsonBreaker) value(i int) int {
	if c := b.text[i]; c != '{' && c != '[' || b.fits(i) && !(b.open && i == 0) {
		return b.skip(i)
	}
	i++
	for c := byte(','); c == ','; i++ {
		b.cut(i)
		if b.text[i] == '"' {
			if end := b.skip(i); b.text[end] == ':' {
				i = end + 1
			}
		}
		i = b.value(i)
		c = b.text[i]
	}
	return i
}

// fits reports whether the object or array at i is empty or short.
func (b *jsonBreaker) fits(i int) bool {
	most := b.text[i:min(i+b.width+1, len(b.text))]
	depth, quoted := 0, false
	for k := 0; k < len(most); k++ {
		switch c := most[k]; {
		case c == '\\':
			k++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return true
			}
		}
	}
	return false
}

// skip returns where the value at i ends.
func (b *jsonBreaker) skip(i int) int {
	depth, quoted := 0, false
	for ; i < len(b.text); i++ {
		switch c := b.text[i]; {
		case c == '\\':
			i++
		case c == '"':
			if quoted = !quoted; !quoted && depth == 0 {
				return i + 1
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 {
				return i // a scalar ended before
			}
		case depth == 0 && (c == ',' || c == ':'):
			return i
		}
	}
	return i
}
