package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Hidden reports whether r has no look of its own: control characters, line breaks other than \n, controls of direction, and characters
// that are ignored when text is shown. Joiners and variation selectors are hidden as well: see [Terminal] for where they may stand.
func Hidden(r rune) bool {
	if r < 0x7f {
		return r < ' '
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Noncharacter_Code_Point)
}

// Clean reports whether a text holds nothing hidden other than joiners and selectors where they belong, tabs and, at the end of
// lines, \n or \r\n, and is valid UTF-8.
func Clean(s string) bool { return Terminal(s) == s }

// Terminal returns s for people to read: what is hidden becomes a JSON escape, and a byte that is not UTF-8 becomes \x and its two digits. Tabs and line
// breaks stay. A joiner stays after a character beyond ASCII, a selector of emoji after anything visible: scripts and emoji need them there.
func Terminal(s string) string { return escapeHidden(s, "\t\n") }

// Line is [Terminal] for text that has to stay on one line: tabs and line breaks are escaped as well.
func Line(s string) string { return escapeHidden(s, "") }

// HTML shows what is hidden in a finished page, whose markup html/template has taken care of.
func HTML(page []byte) []byte { return []byte(Terminal(string(page))) }

// escapeHidden escapes what is hidden in s and not in kept.
func escapeHidden(s, kept string) string {
	var b strings.Builder
	var before rune // the character before, 0 when it was hidden
	done := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		stays := r >= ' ' && r < 0x7f || Shows(before, r) && (r != utf8.RuneError || size > 1) ||
			r < ' ' && strings.IndexByte(kept, byte(r)) >= 0 ||
			r == '\r' && kept != "" && strings.HasPrefix(s[i+1:], "\n")
		if stays {
			before = r
		} else {
			b.WriteString(s[done:i])
			b.WriteString(escapeRune(r, s[i:i+size]))
			before, done = 0, i+size
		}
		i += size
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

const (
	nonJoiner     = '\u200c'
	joiner        = '\u200d'
	firstSelector = '\ufe00'
	lastSelector  = '\ufe0f'
)

// Shows reports whether a reader sees r, or what it does, after the character before; 0 if there is none, or it was hidden.
func Shows(before, r rune) bool { return !Hidden(r) || joins(before, r) }

// joins reports whether r is a joiner or a selector that belongs where it stands.
func joins(before, r rune) bool {
	switch {
	case r == joiner || r == nonJoiner:
		return before > unicode.MaxASCII && before != joiner && before != nonJoiner
	case r >= firstSelector && r <= lastSelector:
		return before > ' ' && !Hidden(before)
	}
	return false
}

// escapeRune is a hidden character as JSON escapes it, and what is not a character as its byte.
func escapeRune(r rune, source string) string {
	switch {
	case r == utf8.RuneError && len(source) == 1:
		return fmt.Sprintf(`\x%02x`, source[0])
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
