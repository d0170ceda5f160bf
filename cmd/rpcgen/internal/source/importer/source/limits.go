package source

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// withNumericLimits writes limits of numbers as since draft-06. In draft-04 and OpenAPI 3.0, exclusiveMinimum: true says that minimum is not admitted.
func withNumericLimits(v ir.Value) ir.Value {
	for i, item := range v.Items {
		v.Items[i] = withNumericLimits(item)
	}
	for i, m := range v.Fields {
		if m.Name == "pattern" && m.Value.Kind == ir.Text {
			v.Fields[i].Value.Text = asRE2(m.Value.Text)
		} else if !IsData(m.Name) {
			v.Fields[i].Value = withNumericLimits(m.Value)
		}
	}
	v.Fields = numericLimit(v.Fields, "exclusiveMinimum", "minimum")
	v.Fields = numericLimit(v.Fields, "exclusiveMaximum", "maximum")
	return v
}

// byNumber is a character by its number, as ECMA 262 writes it.
var byNumber = regexp.MustCompile(`^\\u(?:([0-9A-Fa-f]{4})|\{([0-9A-Fa-f]{1,6})\})`)

// asRE2 is a pattern of ECMA 262 as RE2 writes it: a character by its number, and [^] for any. Halves of surrogate pairs are none.
func asRE2(pattern string) string {
	if _, err := regexp.Compile(pattern); err == nil {
		return pattern
	}
	var b strings.Builder
	inClass := false
	for rest := pattern; rest != ""; {
		size, is := 1, rest[:1]
		switch found := byNumber.FindStringSubmatch(rest); {
		case found != nil:
			hex := found[1] + found[2]
			if n, _ := strconv.ParseInt(hex, 16, 32); utf16.IsSurrogate(rune(n)) {
				return pattern
			}
			size, is = len(found[0]), `\x{`+hex+"}"
		case rest[0] == '\\' && len(rest) > 1:
			size, is = 2, rest[:2]
		case !inClass && strings.HasPrefix(rest, "[^]"):
			size, is = 3, `[\s\S]`
		case rest[0] == '[' || rest[0] == ']':
			inClass = rest[0] == '['
		}
		b.WriteString(is)
		rest = rest[size:]
	}
	return b.String()
}

// numericLimit replaces a limit and the boolean that says whether it is exclusive by one of them.
func numericLimit(all []ir.Member, exclusive, inclusive string) []ir.Member {
	is := func(name string) func(ir.Member) bool { return func(m ir.Member) bool { return m.Name == name } }
	at := slices.IndexFunc(all, is(exclusive))
	if at < 0 || all[at].Value.Kind != ir.Boolean {
		return all
	}
	limit := slices.IndexFunc(all, is(inclusive))
	if all[at].Value.Text != "true" || limit < 0 {
		return slices.Delete(all, at, at+1)
	}
	all[at].Value = all[limit].Value
	return slices.Delete(all, limit, limit+1)
}
