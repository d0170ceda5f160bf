package format

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// isText reports whether a scalar is text whatever it looks like: it was quoted, or it says so.
func isText(y *yaml.Node) bool {
	const styles = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if y.Style&styles != 0 {
		return true
	}
	made := y.Line == 0 // the library calls some text that it reads !!str although JSON has numbers like it: 1e400
	return y.Tag == "!!str" && (plainTag(y.Value) != "!!str" || wasElse(y.Value) || made && looksElse(y.Value))
}

// plainTag is the tag of a text without quotes.
func plainTag(text string) string {
	if text == "<<" {
		return "!!merge"
	}
	return (&yaml.Node{Kind: yaml.ScalarNode, Value: text}).ShortTag()
}

// inline writes a scalar on one line, in quotes only where it would be something else without them.
func inline(n *node, inFlow bool) string {
	if n.quoted && looksElse(n.text) || !plain(n.text, inFlow) {
		return quote(n.text)
	}
	return n.text
}

var sexagesimal = text.Pattern(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)

// oldBooleans are text today, and were booleans in YAML 1.1, which is what many readers still read. Of y and n, which were too, these readers make text.
var oldBooleans = []string{"yes", "no", "on", "off"}

// looksElse reports whether some reader would take a text for something else.
func looksElse(text string) bool {
	return text == "" || plainTag(text) != "!!str" || (&syntax.Node{Text: text}).JSON() != ir.Text ||
		wasElse(text)
}

// wasElse reports whether a text was something else in YAML 1.1.
func wasElse(text string) bool {
	return sexagesimal().MatchString(text) || slices.Contains(oldBooleans, strings.ToLower(text))
}

// plain reports whether a text can stand without quotes.
func plain(s string, inFlow bool) bool {
	switch {
	case s == "":
		return !inFlow // nothing at all was written
	case strings.TrimSpace(s) != s, strings.Contains(s, ": "), strings.Contains(s, " #"), strings.HasSuffix(s, ":"):
		return false
	case strings.HasPrefix(s, "---"), strings.HasPrefix(s, "..."), strings.ContainsRune("#,[]{}&*!|>'\"%@`", rune(s[0])):
		return false
	case strings.ContainsRune("-?:", rune(s[0])) && (len(s) == 1 || s[1] == ' ' || inFlow && s[0] != '-'):
		return false
	case inFlow && (strings.ContainsAny(s, ",[]{}?") || strings.HasPrefix(s, "-,")):
		return false
	}
	return text.Line(s) == s && !strings.ContainsRune(s, utf8.RuneError) // what is hidden is an escape, so that it can be seen; tabs and newlines are, too
}

var escapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\t': `\t`, '\r': `\r`}

// quote writes a text in double quotes.
func quote(s string) string {
	var b strings.Builder
	var before rune
	b.WriteByte('"')
	for _, r := range s {
		escape, ok := escapes[r]
		switch {
		case ok:
			b.WriteString(escape)
		case r > 0xffff && !text.Shows(before, r):
			fmt.Fprintf(&b, `\U%08x`, r)
		case r == utf8.RuneError, !text.Shows(before, r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
			before = r
			continue
		}
		before = 0
	}
	b.WriteByte('"')
	return b.String()
}
