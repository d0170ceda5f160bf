package syntax

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// Limits keep a hostile file from taking the compiler's time or memory. The largest schemas known are a tenth of them.
const (
	maxBytes = 8 << 20
	maxDepth = 100
	maxNodes = 1 << 20
	maxKey   = 600 // YAML has no keys of more than 1024 characters with their escapes
)

// checkText rejects what no later phase should have to think of: too much text, a byte order mark, bytes that are not
// UTF-8, control characters, and the line breaks that only YAML knows.
func (p *parser) checkText() bool {
	if len(p.text) > p.bytes {
		p.report(diag.TooLarge, p.at(1, 0, 1), splitHelp, "the schema has more than %d bytes", p.bytes)
		return false
	}
	if bytes.HasPrefix(p.text, []byte("\ufeff")) {
		p.report(diag.InvalidText, p.at(1, 0, 1), "save the file without it", "the file begins with a byte order mark")
		return false
	}
	line, start := 1, 0
	for i := 0; i < len(p.text); {
		c := p.text[i]
		if c == '\n' {
			line, start = line+1, i+1
		}
		if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' || c == '\r' && i+1 < len(p.text) && p.text[i+1] == '\n' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(p.text[i:])
		if r == utf8.RuneError && size == 1 {
			p.report(diag.InvalidText, p.at(line, i-start, 1), "save the file as UTF-8", "byte 0x%02x is not UTF-8", c)
			return false
		}
		if unprintable(r) {
			p.report(diag.InvalidText, p.at(line, i-start, size), "write it as an escape inside double quotes", "character %U may not stand in a schema", r)
			return false
		}
		i += size
	}
	return true
}

// unprintable characters are control characters and the breaks that YAML would count as lines and editors would not.
func unprintable(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r == '\ufffe' || r == '\uffff'
}

func splitLines(text []byte) []string {
	return strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
}
