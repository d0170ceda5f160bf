package templates

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// widest is how many bytes of a constant stand on a line where they need not: longer ones would be hard to review.
const widest = 100

// raw is s as a Go string that is easy to read: in backquotes where it can be.
func raw(s string) *jen.Statement { return jen.Id(text.GoString(s)) }

// rawLines is raw for text of several lines: a piece each.
func rawLines(s string) *jen.Statement { return jen.Id(text.GoLines(s)) }

// nameList is a constant of names, newline-separated.
func nameList(names []string) *jen.Statement {
	all := strings.Join(names, "\n")
	if len(all) <= widest {
		return jen.Lit(all)
	}
	return rawLines(all)
}

// jsonConstant is a constant of compact JSON: objects and arrays that are too long for a line have one for each member, and so has the
// outermost one if it is to be open.
func jsonConstant(compact string, open bool) *jen.Statement {
	return jsonConstantOf(compact, open, nil)
}

// markPattern finds marks.
var markPattern = text.Pattern("\"\x00[0-9]+\"")

// jsonConstantOf is jsonConstant of JSON with marks, for which the constants of these names stand.
func jsonConstantOf(compact string, open bool, names []string) *jen.Statement {
	parts := ir.Each(jsonLines(compact, widest, open), func(line string) jen.Code { return lineOf(line, names) })
	return sum(parts, "+\n")
}

// lineOf is a line of a constant.
func lineOf(line string, names []string) jen.Code {
	var parts []jen.Code
	done := 0
	for _, at := range markPattern().FindAllStringIndex(line, -1) {
		if at[0] > done {
			parts = append(parts, rawLines(line[done:at[0]]))
		}
		i, _ := strconv.Atoi(line[at[0]+2 : at[1]-1])
		parts = append(parts, jen.Id(names[i]))
		done = at[1]
	}
	if done < len(line) || len(parts) == 0 {
		parts = append(parts, rawLines(line[done:]))
	}
	return join(parts, "+")
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

// value cuts the value at i into lines, and returns where it ends.
func (b *jsonBreaker) value(i int) int {
	if c := b.text[i]; c != '{' && c != '[' || b.fits(i) && !(b.open && i == 0) {
		return b.skip(i)
	}
	i++
	for c := byte(','); c == ','; i++ {
		b.lines = append(b.lines, b.text[b.start:i])
		b.start = i
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
	most := i + b.width + 1
	short := jsonBreaker{text: b.text[:min(most+1, len(b.text))]}
	return short.skip(i) <= most
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

// jsonText writes v as compact JSON.
func jsonText(v ir.Value) string { return v.String() }

// jsonString writes s as the runtime's appender does: it is compared with what arrives, byte by byte.
func jsonString(s string) string { return ir.Value{Kind: ir.Text, Text: s}.String() }

// scalar is a scalar as a Go expression.
func scalar(v ir.Value) *jen.Statement {
	switch v.Kind {
	case ir.Text:
		return jen.Lit(v.Text)
	case ir.Integer, ir.Number:
		return jen.Id(goNumber(v.Text))
	}
	return jen.Id(v.Text)
}

// goNumber is a JSON number as a Go constant: 1e2 is an integer in JSON and a float in Go, but both are untyped constants.
func goNumber(text string) string { return text }

// sum adds up constants, in parentheses where they are many. The operator op is +, with a line break after it or without.
func sum(all []jen.Code, op string) *jen.Statement {
	for len(all) > mostSummed {
		var parts []jen.Code
		for part := range slices.Chunk(all, mostSummed) {
			parts = append(parts, jen.Parens(join(part, op)))
		}
		all = parts
	}
	return join(all, op)
}

// mostSummed is how many operands of + stand in one expression: printing one takes the square of its length.
const mostSummed = 200

func join(parts []jen.Code, op string) *jen.Statement {
	s := jen.Add(parts[0])
	for _, p := range parts[1:] {
		s = s.Op(op).Add(p)
	}
	return s
}

// oneOf are the parameter and the body of a function that reports whether its argument is one of the constants.
func oneOf(methods []jen.Code) jen.Code {
	return jen.Params(jen.Id("method").String()).Bool().Block(
		jen.Switch(jen.Id("method")).Block(jen.Case(methods...).Block(jen.Return(jen.True()))),
		jen.Return(jen.False()))
}
