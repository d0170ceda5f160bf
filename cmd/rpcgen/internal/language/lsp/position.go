package lsp

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/generated/lsp"
	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// encoding is what the characters of a line are counted in.
type encoding int32

// The encodings. The default of the protocol is UTF-16.
const (
	utf16Units encoding = iota
	utf8Units
)

func (e encoding) kind() lsp.PositionEncodingKind {
	if e == utf8Units {
		return lsp.PositionEncodingKindUtf8
	}
	return lsp.PositionEncodingKindUtf16
}

// units counts what a text takes.
func (e encoding) units(text string) uint32 {
	if e == utf8Units {
		return uint32(len(text))
	}
	n := 0
	for _, r := range text {
		n += max(utf16.RuneLen(r), 1)
	}
	return uint32(n)
}

// bytes is how many bytes of a text stand before a character. A character after the end is the end, and one within a code point stands before it.
func (e encoding) bytes(text string, character uint32) int {
	at, left := 0, character
	for at < len(text) {
		_, size := utf8.DecodeRuneInString(text[at:])
		width := e.units(text[at : at+size])
		if width > left {
			break
		}
		left -= width
		at += size
	}
	return at
}

// line returns a line of the document without its line break; empty after the end.
func (d *document) line(number int) string {
	if number < 0 || number >= len(d.lines) {
		return ""
	}
	return strings.TrimRight(d.lines[number], "\r\n")
}

// position is the place of a byte of a line, both counted from 0.
func (d *document) position(e encoding, line, at int) lsp.Position {
	text := d.line(line)
	return lsp.Position{Line: uint32(line), Character: e.units(text[:min(max(at, 0), len(text))])}
}

// place is the line and the byte of a position, both counted from 0. A position after the end is the end.
func (d *document) place(e encoding, p lsp.Position) (line, at int) {
	if uint64(p.Line) >= uint64(len(d.lines)) {
		line = len(d.lines) - 1
		return line, len(d.line(line))
	}
	return int(p.Line), e.bytes(d.line(int(p.Line)), p.Character)
}

// extent is the range of a span of the compiler.
func (d *document) extent(e encoding, s diag.Span) lsp.Range {
	line, from := s.Line-1, s.Col-1
	return lsp.Range{Start: d.position(e, line, from), End: d.position(e, line, from+s.Len)}
}
