package format

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// isText tells whether a scalar is text whatever it looks like: it was quoted, or it says so.
func isText(y *yaml.Node) bool {
	const styles = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if y.Style&styles != 0 {
		return true
	}
	return y.Tag == "!!str" && (resolved(y.Value) != "!!str" || wasElse(y.Value))
}

// resolved is the tag of a text without quotes.
func resolved(text string) string {
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

var sexagesimal = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)

// oldBooleans are text today, and were booleans in YAML 1.1, which is what many readers still read. Of y and n, which were too,
// these readers make text.
var oldBooleans = []string{"yes", "no", "on", "off"}

// looksElse tells whether some reader would take a text for something else.
func looksElse(text string) bool {
	return text == "" || resolved(text) != "!!str" || (&syntax.Node{Text: text}).JSON() != ir.Text ||
		wasElse(text)
}

// wasElse tells whether a text was something else in YAML 1.1.
func wasElse(text string) bool {
	return sexagesimal.MatchString(text) || slices.Contains(oldBooleans, strings.ToLower(text))
}

// plain tells whether a text can stand without quotes.
func plain(text string, inFlow bool) bool {
	switch {
	case text == "":
		return !inFlow // nothing at all was written
	case strings.TrimSpace(text) != text, strings.Contains(text, ": "), strings.Contains(text, " #"), strings.HasSuffix(text, ":"):
		return false
	case strings.HasPrefix(text, "---"), strings.HasPrefix(text, "..."), strings.ContainsRune("#,[]{}&*!|>'\"%@`", rune(text[0])):
		return false
	case strings.ContainsRune("-?:", rune(text[0])) && (len(text) == 1 || text[1] == ' ' || inFlow && text[0] != '-'):
		return false
	case inFlow && (strings.ContainsAny(text, ",[]{}?") || strings.HasPrefix(text, "-,")):
		return false
	}
	return !strings.ContainsFunc(text, unprintable)
}

// unprintable characters may stand in a schema only as escapes; a tab could not be seen, and a newline would end the text.
func unprintable(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r == '\ufffe' || r == '\uffff' || r == '\ufffd'
}

var escapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\t': `\t`, '\r': `\r`}

func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch escape, ok := escapes[r]; {
		case ok:
			b.WriteString(escape)
		case unprintable(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
