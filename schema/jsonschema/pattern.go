package jsonschema

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	lazy "github.com/rpcgen-go/rpcgen/schema/text"
)

// scripts are the short names of scripts, with what RE2 calls each.
//
//go:embed scripts.txt
var scripts string

// ecma are the parts of a pattern of ECMA 262 that RE2 writes in another way, any other escape, and the signs around classes.
var ecma = lazy.Pattern(`\\u((?i:d[89ab])[[:xdigit:]]{2})\\u((?i:d[c-f])[[:xdigit:]]{2})|\\u([[:xdigit:]]{4})|\\u\{([[:xdigit:]]+)\}|\\c([A-Za-z])|` +
	`\\([pP])\{(?:(Script|sc)|General_Category|gc)=(\w+)\}|\\(?s:.)|\[\^?\]|[][]`)

// RE2 returns a pattern of ECMA 262 as RE2 writes it. One that RE2 takes stays as it was, and so do the parts that RE2 has no words for.
func RE2(pattern string) string {
	if _, err := regexp.Compile(pattern); err == nil {
		return pattern
	}
	within := false // a class
	return ecma().ReplaceAllStringFunc(pattern, func(is string) string {
		m := ecma().FindStringSubmatch(is)
		hex := func(s string) rune { n, _ := strconv.ParseInt(s, 16, 32); return rune(n) }
		switch {
		case m[1] != "":
			return fmt.Sprintf(`\x{%x}`, utf16.DecodeRune(hex(m[1]), hex(m[2])))
		case m[3]+m[4] != "" && !utf16.IsSurrogate(hex(m[3]+m[4])):
			return `\x{` + m[3] + m[4] + `}`
		case m[5] != "":
			return fmt.Sprintf(`\x{%x}`, m[5][0]&31)
		case m[7] != "": // a script
			_, long, _ := strings.Cut(scripts, "\n"+m[8]+" ")
			name, _, _ := strings.Cut(long, "\n")
			if name = cmp.Or(name, m[8]); unicode.Scripts[name] != nil {
				return `\` + m[6] + `{` + name + `}`
			}
		case unicode.Categories[m[8]] != nil || unicode.CategoryAliases[m[8]] != "":
			return `\` + m[6] + `{` + m[8] + `}`
		case within && is == `\b`:
			return `\x{8}`
		case !within && is == "[]":
			return `[^\s\S]`
		case !within && is == "[^]":
			return `[\s\S]`
		case is[0] != '\\':
			within = is == "["
		}
		return is
	})
}

// re2 are the parts of a pattern of RE2 that ECMA 262 writes in another way, and any other escape.
var re2 = lazy.Pattern(`\\x\{([[:xdigit:]]+)\}|\\([pP])(?:\{(\w+)\}|([A-Z]))|\\(?s:.)|\(\?P<`)

// ECMA returns a pattern of RE2 as ECMA 262 with the flag u writes it. The parts that ECMA has no words for stay, such as (?i) and [:alpha:].
func ECMA(pattern string) string {
	return re2().ReplaceAllStringFunc(pattern, func(is string) string {
		m := re2().FindStringSubmatch(is)
		char, _ := strconv.ParseInt(m[1], 16, 32)
		switch {
		case char > 0xffff:
			return fmt.Sprintf(`\u{%x}`, char)
		case m[1] != "":
			return fmt.Sprintf(`\u%04x`, char)
		case m[4] != "" || unicode.Scripts[m[3]] != nil:
			return `\` + m[2] + `{` + cmp.Or(m[4], "Script="+m[3]) + `}`
		}
		return cmp.Or(map[string]string{`\A`: "^", `\z`: "$", `\a`: `\x07`, "(?P<": "(?<"}[is], is)
	})
}

// Patterns returns a schema with other patterns in place of its own.
func Patterns(schema ir.Value, of func(pattern string) string) ir.Value {
	schema = Rewrite(schema, func(_ *Keyword, _ string, inner ir.Value) ir.Value { return Patterns(inner, of) })
	for i, k := range schema.Fields {
		if k.Name == "pattern" && k.Value.Kind == ir.Text {
			schema.Fields[i].Value.Text = of(k.Value.Text)
		}
		for j := 0; j < len(k.Value.Fields) && k.Name == "patternProperties"; j++ {
			k.Value.Fields[j].Name = of(k.Value.Fields[j].Name)
		}
	}
	return schema
}
