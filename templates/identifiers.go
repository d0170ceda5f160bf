package templates

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// initialisms are written in upper case as a whole: those that linters of Go ask for and that are no other word or name, and those of protocols and
// catalogues. A schema adds its own with `go.initialisms`.
var initialisms = []string{"ID", "URI", "URL", "HTTP", "HTTPS", "JSON", "RPC", "MCP", "API", "SSE", "UUID", "UTF8",
	"ACL", "ASCII", "CPU", "CSS", "DNS", "EOF", "GUID", "HTML", "IP", "ISBN", "QPS", "RAM", "SLA", "SMTP", "SQL", "SSH", "TCP", "TLS", "TTL", "UDP", "UI", "VM", "XML", "XMPP", "XSRF", "XSS"}

// namer derives Go identifiers from the names of a schema.
type namer struct{ initialisms []string }

func newNamer(own []string) namer { return namer{slices.Concat(initialisms, own)} }

// export turns a name into an exported identifier, or "" if there is none. It is split at every character that is neither letter nor digit and where lower
// case turns upper, each word is capitalised, and initialisms are written in upper case. A name that is in upper case throughout is read as if it were in lower
// case: BLOCK_HASH is BlockHash. A name of signs alone is spelled: / is Slash.
func (n namer) export(name string) string {
	var out strings.Builder
	all := text.Words(name)
	if len(all) == 0 {
		all = text.Words(spellMarks(name))
	}
	screams := isUpperCase(name, len(all))
	for _, w := range all {
		if screams {
			w = strings.ToLower(w)
		}
		out.WriteString(n.word(w))
	}
	s := out.String()
	if first, _ := utf8.DecodeRuneInString(s); s != "" && !unicode.IsUpper(first) {
		return "X" + s // a digit, or a letter without case
	}
	return s
}

// shortestShout is from how many letters on a single word in upper case is a word, and no abbreviation.
const shortestShout = 5

// isUpperCase reports whether a name is in upper case for its style, as BLOCK_HASH and ACTIVE are, and not because it is an abbreviation.
func isUpperCase(name string, words int) bool {
	letters := 0
	for _, c := range name {
		if unicode.IsLower(c) || unicode.IsDigit(c) && words == 1 {
			return false
		}
		if unicode.IsUpper(c) {
			letters++
		}
	}
	return words > 1 && letters > words || letters >= shortestShout
}

// member is exported for the key of an object; of a key such as io.example/name only the last segment counts, and the sign of a number is a word.
func (n namer) member(key string) string {
	if sign := signOf(key); sign != "" {
		return sign + withoutMark(n.export(key))
	}
	if at := strings.LastIndexByte(key, '/'); at >= 0 {
		if s := n.export(key[at+1:]); s != "" {
			return s
		}
	}
	return n.export(key)
}

func (n namer) word(w string) string {
	for _, i := range n.initialisms {
		if strings.EqualFold(w, i) {
			return i
		}
		if one, several := strings.CutSuffix(w, "s"); several && strings.EqualFold(one, i) {
			return i + "s"
		}
	}
	first, size := utf8.DecodeRuneInString(w)
	return string(unicode.ToUpper(first)) + w[size:]
}

// Unexported turns an exported identifier into one that is not: ReportKeys into reportKeys, URLKeys into urlKeys.
func Unexported(name string) string {
	runes := []rune(name)
	for i, c := range runes {
		if !unicode.IsUpper(c) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(c)
	}
	return string(runes)
}

// constant is what the name of an enum's value ends in, after the name of the type: its words and sign, with the characters between
// them where the values before it have the same words, or else its position. The result is free, and an identifier's rest.
func (n namer) constant(v ir.Value, at int, free func(string) bool) string {
	if v.Text == "" && free("Empty") {
		return "Empty"
	}
	words := withoutMark(n.export(v.Text))
	if plain := signOf(v.Text) + words; words != "" && free(plain) {
		return plain
	}
	if spelled := withoutMark(n.export(spellMarks(v.Text))); spelled != "" && free(spelled) {
		return spelled
	}
	for at++; ; at++ {
		if name := "Value" + strconv.Itoa(at); free(name) {
			return name
		}
	}
}

// withoutMark takes off the X that exported puts before a digit: the type's name goes there.
func withoutMark(suffix string) string {
	if len(suffix) > 1 && suffix[0] == 'X' && suffix[1] >= '0' && suffix[1] <= '9' {
		return suffix[1:]
	}
	return suffix
}

// signOf is the word for the sign of a number: +1, -1 and 1 are three values.
func signOf(s string) string {
	if len(s) > 1 && (s[1] >= '0' && s[1] <= '9' || s[1] == '.') {
		switch s[0] {
		case '-':
			return "Minus"
		case '+':
			return "Plus"
		}
	}
	return ""
}

// markNames are words for the characters that stand in no identifier.
var markNames = map[rune]string{
	' ': "Space", '!': "Bang", '"': "Quote", '#': "Hash", '$': "Dollar", '%': "Percent", '&': "And", '\'': "Apostrophe", '(': "Open",
	')': "Close", '*': "Star", '+': "Plus", ',': "Comma", '-': "Minus", '.': "Dot", '/': "Slash", ':': "Colon", ';': "Semicolon",
	'<': "Less", '=': "Equal", '>': "Greater", '?': "Question", '@': "At", '[': "OpenBracket", '\\': "Backslash", ']': "CloseBracket",
	'^': "Caret", '_': "Underscore", '`': "Backquote", '{': "OpenBrace", '|': "Or", '}': "CloseBrace", '~': "Tilde",
}

// longestSpelled is how many characters of a value are spelled in a name.
const longestSpelled = 40

// spellMarks writes a value with words for the characters that stand in no identifier; empty when it is too long for a name.
func spellMarks(s string) string {
	if utf8.RuneCountInString(s) > longestSpelled {
		return ""
	}
	var b strings.Builder
	for _, c := range s {
		switch name := markNames[c]; {
		case text.IsWord(c):
			b.WriteRune(c)
		case name != "":
			b.WriteString(" " + name + " ")
		default:
			fmt.Fprintf(&b, " U%04X ", c)
		}
	}
	return b.String()
}
