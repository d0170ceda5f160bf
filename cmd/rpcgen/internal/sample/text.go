package sample

import (
	"regexp/syntax"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// texts are candidates for a string with rules.
func texts(rules []ir.Rule) []string {
	all := []string{"text"}
	for _, r := range rules {
		switch r := r.(type) {
		case *ir.Format:
			if format, ok := ir.FormatNamed(r.Name); ok {
				all = append(all, format.Sample)
			}
		case *ir.Conform:
			for _, v := range conforming([]ir.Rule{r}) {
				if v.Kind == ir.Text {
					all = append(all, v.Text)
				}
			}
		case *ir.Pattern:
			all = append(all, matches(r.Expr)...)
		}
	}
	for _, r := range rules {
		if l, ok := r.(*ir.Length); ok {
			all = append(all, resized(all, l)...)
		}
	}
	return all
}

// resized are the texts brought to a length that the rule takes.
func resized(all []string, l *ir.Length) []string {
	var found []string
	for _, text := range all {
		runes := []rune(text)
		for len(runes) < min(l.Min, most) {
			runes = append(runes, []rune("text")[len(runes)%4])
		}
		if l.Max >= 0 {
			runes = runes[:min(len(runes), l.Max)]
		}
		found = append(found, string(runes))
	}
	return found
}

// matches are texts that match an expression, with what may be repeated repeated less or more often.
func matches(expr string) []string {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	var all []string
	for _, times := range []int{4, 1, 0, 2, 8, 16, 32} {
		var b strings.Builder
		match(&b, parsed, times)
		all = append(all, b.String())
	}
	return all
}

// match writes a text that an expression matches; anchors are left to luck, since the text is judged anyway.
func match(b *strings.Builder, e *syntax.Regexp, times int) {
	if b.Len() > most {
		return
	}
	switch e.Op {
	case syntax.OpLiteral:
		b.WriteString(string(e.Rune))
	case syntax.OpCharClass:
		b.WriteRune(readable(e.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture:
		match(b, e.Sub[0], times)
	case syntax.OpConcat:
		for _, part := range e.Sub {
			match(b, part, times)
		}
	case syntax.OpAlternate:
		match(b, e.Sub[0], times)
	case syntax.OpStar, syntax.OpQuest, syntax.OpPlus, syntax.OpRepeat:
		for range repeats(e, times) {
			match(b, e.Sub[0], min(times, 1))
		}
	}
}

// repeats is how often a repetition is written.
func repeats(e *syntax.Regexp, times int) int {
	switch e.Op {
	case syntax.OpStar:
		if e.Sub[0].Op != syntax.OpCharClass {
			return min(times, 1)
		}
		return times
	case syntax.OpQuest:
		return min(times, 1)
	case syntax.OpPlus:
		return max(times, 1)
	}
	if e.Max < 0 {
		return max(e.Min, times)
	}
	return min(max(e.Min, times), e.Max)
}

// readable picks a character of a class, given as ranges: a letter or a digit where there is one.
func readable(class []rune) rune {
	for _, wanted := range "aA1x-_" {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= wanted && wanted <= class[i+1] {
				return wanted
			}
		}
	}
	if len(class) == 0 {
		return 'a'
	}
	return class[0]
}
