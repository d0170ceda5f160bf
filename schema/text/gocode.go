package text

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// instructions are what tools read in a comment although a space stands before it: build constraints, the paragraph that marks an
// identifier as deprecated, and what keeps linters silent.
var instructions = []string{"+build", "Deprecated:", "nolint", "lint:", "revive:", "#nosec"}

// lineBreaks writes line breaks as they are escaped.
var lineBreaks = strings.NewReplacer("\n", `\n`, "\r", `\r`)

// GoComment returns a line as a line of a Go comment, whatever it holds. Between // and the text there is always a space, so that the Go
// tools take it for no directive (//go:generate, //line, //export, /*). What tools read in spite of the space is quoted with >: that
// code is generated, or deprecated, is for the compiler to say, not for a description.
func GoComment(line string) string {
	line = strings.TrimRight(Terminal(lineBreaks.Replace(line)), " \t")
	said := strings.TrimSpace(line)
	if said == "" {
		return "//"
	}
	instructs := slices.ContainsFunc(instructions, func(word string) bool { return strings.HasPrefix(said, word) })
	if instructs || strings.HasPrefix(said, "Code generated ") && strings.HasSuffix(said, "DO NOT EDIT.") {
		line = "> " + said
	}
	return "// " + line
}

// IsWord reports whether r may stand in a Go identifier that is made of text: a letter or a digit that can be seen.
func IsWord(r rune) bool { return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !Hidden(r) }

// Words splits a name at case, and at everything that is not a letter or digit.
func Words(name string) []string {
	var all []string
	start := -1
	lower := false
	for i, c := range name {
		letter := IsWord(c)
		if start >= 0 && (!letter || lower && unicode.IsUpper(c)) {
			all = append(all, name[start:i])
			start = -1
		}
		if letter && start < 0 {
			start = i
		}
		lower = unicode.IsLower(c)
	}
	if start >= 0 {
		all = append(all, name[start:])
	}
	return all
}

// most is how many pieces a constant has: Go's parser has a limit on how deeply expressions are nested, and compilers slow down before.
const most = 256

// wide is how many bytes of a line of text stand in one piece, if there is a space after them.
const wide = 160

// GoString returns s as a Go string literal: in backquotes where it can be, and otherwise in quotes, in which what is hidden is escaped.
func GoString(s string) string {
	if rawable(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// GoLines returns s as a Go constant expression: a literal for each line of the text, also where its line breaks are written as JSON does,
// and several for a long line, joined by + at their ends. Literals stand in quotes where the whole text needs no escapes but those of line breaks; elsewhere in
// backquotes where they can, in which case the words around a backquote of the text stand in quotes.
func GoLines(s string) string {
	pieces := linesOf(s)
	escapes := strings.ContainsAny(s, "\"\\")
	for i, piece := range pieces {
		switch {
		case escapes && strings.Contains(piece, "`") && rawable(strings.ReplaceAll(piece, "`", "")):
			pieces[i] = quoteMixed(piece)
		case escapes || len(pieces) == 1:
			pieces[i] = GoString(piece)
		default:
			pieces[i] = strconv.Quote(piece)
		}
	}
	return strings.Join(pieces, " +\n")
}

// linesOf cuts s after line breaks, and after a space where a line is long, into no more than most pieces. Empty lines stay with the line before them.
func linesOf(s string) []string {
	least := len(s) / most
	var pieces []string
	start := 0
	for i := 0; i < len(s); {
		end := i
		for n := breakAt(s[end:]); n > 0; n = breakAt(s[end:]) {
			end += n
		}
		switch {
		case end == i && s[i] == '\\': // an escape: what it escapes begins no other one
			end = min(i+2, len(s))
		case end == i:
			if end++; s[i] == ' ' && end-start > max(wide, least) && end < len(s) {
				pieces = append(pieces, s[start:end])
				start = end
			}
		case end-start > least && end < len(s):
			pieces = append(pieces, s[start:end])
			start = end
		}
		i = end
	}
	return append(pieces, s[start:])
}

// breakAt returns the length of the line break that s begins with, as it is or as JSON writes it; 0 if it begins with none.
func breakAt(s string) int {
	switch {
	case strings.HasPrefix(s, "\n"):
		return 1
	case strings.HasPrefix(s, `\n`):
		return 2
	}
	return 0
}

// quoteMixed is s in backquotes, but for the words around its own backquotes.
func quoteMixed(s string) string {
	const readable = 16 // parts: a line of more is easier to read as one literal
	var parts []string
	for rest := s; rest != ""; {
		raw, words := aroundTick(rest)
		if raw > 0 {
			parts = append(parts, "`"+rest[:raw]+"`")
		}
		if words > raw {
			parts = append(parts, strconv.Quote(rest[raw:words]))
		}
		rest = rest[words:]
	}
	if len(parts) > readable {
		return strconv.Quote(s)
	}
	return strings.Join(parts, " + ")
}

// aroundTick returns where the text around the first backquote of s begins and ends that needs no escapes in quotes; without a backquote, it is the end of s.
func aroundTick(s string) (from, to int) {
	tick := strings.IndexByte(s, '`')
	if tick < 0 {
		return len(s), len(s)
	}
	from = 1 + strings.LastIndexAny(s[:tick], "\"\\")
	if to = strings.IndexAny(s[tick:], "\"\\"); to < 0 {
		return from, len(s)
	}
	return from, tick + to
}

// rawable reports whether s may stand in backquotes: it has no line break, and nothing of it is hidden.
func rawable(s string) bool { return strconv.CanBackquote(s) && Clean(s) }
