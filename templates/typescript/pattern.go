package typescript

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rpcgen-go/rpcgen/schema/text"
)

// pattern writes a regular expression of RE2 as JavaScript does. Its own text is kept for messages where that differs. One that JavaScript might take
// too long for is written as a program of its own.
func (all *patterns) pattern(expr string) doc {
	if all.ambiguous(expr) {
		return call{"r.linear", []doc{text.ScriptString(expr), text.ScriptString(steps(expr))}}
	}
	source := script(expr)
	written := "/" + escapeDelimiter(source) + "/u"
	if source == expr && !strings.Contains(source, "/") {
		return written
	}
	return call{"r.match", []doc{written, text.ScriptString(expr)}}
}

// escapeDelimiter escapes the signs that would end a regular expression.
func escapeDelimiter(source string) string {
	if source == "" {
		return "(?:)"
	}
	return strings.ReplaceAll(source, "/", `\/`)
}

// script translates a regular expression of RE2 into one of JavaScript with the flag u, which matches the same texts. What means the same in
// both is kept as its author wrote it.
func script(expr string) string {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return "(?!)" // it has been refused where the schema was checked
	}
	var b strings.Builder
	write(&b, tree)
	bare := strings.NewReplacer("(?:", "(")
	same := bare.Replace(b.String()) == bare.Replace(expr)
	if alike(expr) && (same || !strings.Contains(expr, "|") && !strings.Contains(expr, "(?:")) {
		return expr // otherwise its parser may have made it simpler
	}
	return b.String()
}

// alike reports whether an expression is made only of signs that mean the same to RE2 and JavaScript.
func alike(expr string) bool {
	inClass := false
	for i := 0; i < len(expr); i++ {
		c := expr[i]
		switch {
		case c == '\\':
			i++
			if i == len(expr) || !strings.ContainsRune(`dDwW^$.*+?()[]{}|\`, rune(expr[i])) && !(inClass && expr[i] == '-') {
				return false
			}
		case c >= 0x80 || c < ' ' || c == '.' && !inClass:
			return false
		case c == '[':
			if inClass {
				return false
			}
			inClass = true
			if strings.HasPrefix(expr[i+1:], "^]") || strings.HasPrefix(expr[i+1:], "]") {
				return false
			}
		case c == ']':
			if !inClass {
				return false
			}
			inClass = false
		case inClass:
		case c == '(' && strings.HasPrefix(expr[i+1:], "?") && !strings.HasPrefix(expr[i+1:], "?:"):
			return false
		case c == '}' || c == '{' && !beginsRepetition(expr[i:]):
			return false
		case c == '{':
			i += strings.IndexByte(expr[i:], '}')
		}
	}
	return true
}

// beginsRepetition reports whether a text begins with a repetition, such as {2,3}.
func beginsRepetition(expr string) bool {
	inside, _, ok := strings.Cut(expr[1:], "}")
	low, high, _ := strings.Cut(inside, ",")
	_, err := strconv.Atoi(low)
	if _, bad := strconv.Atoi(high); high != "" && bad != nil {
		return false
	}
	return ok && err == nil
}

func write(b *strings.Builder, r *syntax.Regexp) {
	switch r.Op {
	case syntax.OpNoMatch:
		b.WriteString("(?!)")
	case syntax.OpLiteral:
		for _, c := range r.Rune {
			if r.Flags&syntax.FoldCase != 0 {
				class(b, folds(c))
			} else {
				b.WriteString(sign(c, `^$\.*+?()[]{}|`))
			}
		}
	case syntax.OpCharClass:
		class(b, r.Rune)
	case syntax.OpAnyCharNotNL:
		b.WriteString(`[^\n]`)
	case syntax.OpAnyChar:
		b.WriteString(`[^]`)
	case syntax.OpBeginLine:
		b.WriteString(`(?<![^\n])`)
	case syntax.OpEndLine:
		b.WriteString(`(?![^\n])`)
	case syntax.OpBeginText:
		b.WriteString("^")
	case syntax.OpEndText:
		b.WriteString("$")
	case syntax.OpWordBoundary:
		b.WriteString(`\b`)
	case syntax.OpNoWordBoundary:
		b.WriteString(`\B`)
	case syntax.OpCapture:
		within(b, r.Sub[0])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		repeat(b, r)
	case syntax.OpConcat:
		for _, sub := range r.Sub {
			if sub.Op == syntax.OpAlternate {
				within(b, sub)
			} else {
				write(b, sub)
			}
		}
	case syntax.OpAlternate:
		for i, sub := range r.Sub {
			if i > 0 {
				b.WriteByte('|')
			}
			write(b, sub)
		}
	}
}

func within(b *strings.Builder, r *syntax.Regexp) {
	b.WriteString("(?:")
	write(b, r)
	b.WriteByte(')')
}

// repeat writes a repetition of one sign, class or group.
func repeat(b *strings.Builder, r *syntax.Regexp) {
	sub := r.Sub[0]
	if sub.Op == r.Op && r.Op != syntax.OpRepeat && (sub.Flags^r.Flags)&syntax.NonGreedy == 0 {
		write(b, sub) // as the compiler of programs takes it
		return
	}
	single := sub.Op == syntax.OpCharClass || sub.Op == syntax.OpAnyChar || sub.Op == syntax.OpAnyCharNotNL || sub.Op == syntax.OpCapture ||
		sub.Op == syntax.OpLiteral && len(sub.Rune) == 1
	if single {
		write(b, sub)
	} else {
		within(b, sub)
	}
	switch {
	case r.Op == syntax.OpStar:
		b.WriteByte('*')
	case r.Op == syntax.OpPlus:
		b.WriteByte('+')
	case r.Op == syntax.OpQuest:
		b.WriteByte('?')
	case r.Max < 0:
		fmt.Fprintf(b, "{%d,}", r.Min)
	case r.Max == r.Min:
		fmt.Fprintf(b, "{%d}", r.Min)
	default:
		fmt.Fprintf(b, "{%d,%d}", r.Min, r.Max)
	}
	if r.Flags&syntax.NonGreedy != 0 {
		b.WriteByte('?')
	}
}

// folds are the characters that differ from one in case alone, as ranges.
func folds(c rune) []rune {
	all := []rune{c}
	for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
		all = append(all, f)
	}
	slices.Sort(all)
	var ranges []rune
	for _, f := range all {
		ranges = append(ranges, f, f)
	}
	return ranges
}

// classes are those that have a short form.
var classes = map[string]string{"0-9": `\d`, `0-9A-Z_a-z`: `\w`}

// class writes a set of characters, given as ranges.
func class(b *strings.Builder, ranges []rune) {
	negated := len(ranges) > 0 && ranges[0] == 0 && ranges[len(ranges)-1] == unicode.MaxRune
	if negated {
		ranges = otherRanges(ranges)
	}
	if len(ranges) == 2 && ranges[0] == ranges[1] && !negated {
		b.WriteString(sign(ranges[0], `^$\.*+?()[]{}|`))
		return
	}
	var inside strings.Builder
	for i := 0; i+1 < len(ranges); i += 2 {
		inside.WriteString(sign(ranges[i], `^\]-[`))
		if ranges[i+1] > ranges[i] {
			if ranges[i+1] > ranges[i]+1 {
				inside.WriteByte('-')
			}
			inside.WriteString(sign(ranges[i+1], `^\]-[`))
		}
	}
	short := classes[inside.String()]
	switch {
	case short != "" && !negated:
		b.WriteString(short)
	case short != "":
		b.WriteString(strings.ToUpper(short))
	case negated:
		b.WriteString("[^" + inside.String() + "]")
	default:
		b.WriteString("[" + inside.String() + "]")
	}
}

// otherRanges are the ranges of all other characters.
func otherRanges(ranges []rune) []rune {
	var rest []rune
	next := rune(0)
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i] > next {
			rest = append(rest, next, ranges[i]-1)
		}
		next = ranges[i+1] + 1
	}
	return rest
}

// sign writes a character, escaped where it is special or cannot be seen.
func sign(c rune, special string) string {
	switch {
	case strings.ContainsRune(special, c):
		return `\` + string(c)
	case c == '\n':
		return `\n`
	case c == '\t':
		return `\t`
	case c < ' ' || text.Hidden(c) || c > 0x7e:
		if c <= 0xffff {
			return fmt.Sprintf(`\u%04x`, c)
		}
		return fmt.Sprintf(`\u{%x}`, c)
	}
	return string(c)
}

// conformPattern is a pattern of a JSON Schema as conform.ts takes it: one that JavaScript might take too long for is the program of [steps], after a
// star, with which no regular expression begins.
func (all *patterns) conformPattern(expr string) string {
	if all.ambiguous(expr) {
		return "*" + steps(expr)
	}
	return script(expr)
}
