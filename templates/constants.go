package templates

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// constant is what the name of an enum's value ends in, after the name of the type: its words and sign, with the characters between
// them where the values before it have the same words, or else its position. The result is free, and an identifier's rest.
func (n namer) constant(v ir.Value, at int, free func(string) bool) string {
	if v.Text == "" && free("Empty") {
		return "Empty"
	}
	words := unmarked(n.exported(v.Text))
	if plain := signOf(v.Text) + words; words != "" && free(plain) {
		return plain
	}
	if spelled := unmarked(n.exported(spellMarks(v.Text))); spelled != "" && free(spelled) {
		return spelled
	}
	for at++; ; at++ {
		if name := "Value" + strconv.Itoa(at); free(name) {
			return name
		}
	}
}

// unmarked takes off the X that exported puts before a digit: the type's name goes there.
func unmarked(suffix string) string {
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
