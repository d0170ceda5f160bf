package format

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// width is how long lines get, as far as that is in the hands of the formatter.
const width = 120

// ownLines writes a text below its key, as | or >, when it must or had better stand there. room is how long its lines may get,
// single how long it may be on the line of its key.
func ownLines(n *node, room, single int) (header string, lines []string) {
	prose := n.place.Takes(grammar.Prose)
	said, end := strings.CutSuffix(n.text, "\n")
	switch {
	case end && prose: // in quotes: an empty line that follows would become part of a block that keeps its end
		return "", nil
	case !blockable(said) || !n.quoted && looksElse(n.text):
		return "", nil
	case strings.Contains(said, "\n") && !prose && !n.block:
		return "", nil // an author who wrote \n wants one line
	case !end && !strings.Contains(said, "\n") && length(inline(n, false)) <= single:
		return "", nil
	}
	chomp := "-"
	if end || prose {
		chomp = ""
	}
	lines = strings.Split(said, "\n")
	switch folded := fold(lines, room); {
	case folded != nil:
		return ">" + chomp, folded
	case len(lines) == 1 && !end && length(said) > room:
		return "", nil // nothing is won
	case len(lines) == 1 && !end:
		return ">" + chomp, lines
	}
	return "|" + chomp, lines
}

// blockable reports whether a text can stand in a block scalar, whose lines have no escapes.
func blockable(s string) bool {
	if s == "" || strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\n") || strings.HasPrefix(s, "\t") || strings.HasSuffix(s, "\n") {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if line != "" && isBlank(line) || strings.HasSuffix(line, " ") || strings.HasSuffix(line, "\t") {
			return false
		}
	}
	return text.Clean(s) && !strings.ContainsRune(s, '\r') && !strings.ContainsRune(s, utf8.RuneError)
}

// fold breaks paragraphs into lines, or returns nil when they are short enough, cannot be broken, or have lines that their author broke.
func fold(paragraphs []string, room int) []string {
	if !slices.ContainsFunc(paragraphs, func(l string) bool { return length(l) > room }) {
		return nil
	}
	var out []string
	for i, paragraph := range paragraphs {
		if (i%2 == 0) == (paragraph == "") || strings.HasPrefix(paragraph, " ") || strings.HasPrefix(paragraph, "\t") {
			return nil
		}
		if paragraph == "" {
			out = append(out, "", "")
			continue
		}
		out = append(out, wrap(paragraph, room)...)
	}
	if len(out) == 1 {
		return nil
	}
	return out
}

// wrap breaks a paragraph at single spaces. Others are part of the text.
func wrap(paragraph string, room int) []string {
	var lines []string
	line := ""
	for i, word := range words(paragraph) {
		if i > 0 && length(line)+1+length(word) > room {
			lines = append(lines, line)
			line = word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// words splits a text at the spaces that stand alone.
func words(text string) []string {
	var all []string
	start := 0
	for i := 1; i+1 < len(text); i++ {
		if text[i] == ' ' && !strings.ContainsRune(" \t", rune(text[i-1])) && !strings.ContainsRune(" \t", rune(text[i+1])) {
			all = append(all, text[start:i])
			start = i + 1
		}
	}
	return append(all, text[start:])
}

func length(text string) int { return utf8.RuneCountInString(text) }
