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
)

// scripts are the short names of scripts, with what RE2 calls each.
//
//go:embed scripts.txt
var scripts string

// ecma are the parts of a pattern of ECMA 262 that RE2 writes in another way, any other escape, and the signs around classes.
var ecma = regexp.MustCompile(`\\u((?i:d[89ab])[[:xdigit:]]{2})\\u((?i:d[c-f])[[:xdigit:]]{2})|\\u([[:xdigit:]]{4})|\\u\{([[:xdigit:]]+)\}|\\c([A-Za-z])|` +
	`\\([pP])\{(?:(Script|sc)|General_Category|gc)=(\w+)\}|\\(?s:.)|\[\^?\]|[][]`)

// RE2 returns a pattern of ECMA 262 as RE2 writes it. One that RE2 takes stays as it was, and so do the parts that RE2 has no words for.
func RE2(pattern string) string {
	if _, err := regexp.Compile(pattern); err == nil {
		return pattern
	}
	within := false // a class
	return ecma.ReplaceAllStringFunc(pattern, func(is string) string {
		m := ecma.FindStringSubmatch(is)
		char, _ := strconv.ParseInt(m[3]+m[4], 16, 32)
		high, _ := strconv.ParseInt(m[1], 16, 32)
		low, _ := strconv.ParseInt(m[2], 16, 32)
		switch {
		case m[1] != "":
			return fmt.Sprintf(`\x{%x}`, utf16.DecodeRune(rune(high), rune(low)))
		case m[3]+m[4] != "" && !utf16.IsSurrogate(rune(char)):
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
