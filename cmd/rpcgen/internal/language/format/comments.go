package format

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// remark is a comment of the source.
type remark struct {
	line, col int // from 1; columns count characters
	depth     int // how many flow collections it stands in
	own       bool
	text      string
}

// scanner finds the comments of a text. The nodes say where quotes, flow collections and block scalars begin, so that it need
// not know YAML: # begins a comment at the beginning of a line or after a space, outside of quotes and block scalars.
type scanner struct {
	lines  []string
	quotes map[place]bool
	flows  map[place]bool
	skip   map[int]bool // lines of block scalars
	depth  int
	quote  rune // the quote that is open
	found  []remark
}

type place struct{ line, col int }

func (p place) before(o place) bool { return p.line < o.line || p.line == o.line && p.col < o.col }

func remarks(lines []string, root *yaml.Node) []remark {
	s := &scanner{lines: lines, quotes: map[place]bool{}, flows: map[place]bool{}, skip: map[int]bool{}}
	s.learn(root, 0)
	for i, line := range lines {
		if !s.skip[i+1] {
			s.line(i+1, []rune(line))
		}
	}
	return s.found
}

// learn notes where things begin. parent is the indentation of what holds the node.
func (s *scanner) learn(n *yaml.Node, parent int) {
	at := place{n.Line, n.Column}
	switch {
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		s.block(n.Line, parent)
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		s.quotes[at] = true
	case n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle != 0:
		s.flows[at] = true
	}
	for _, child := range n.Content {
		s.learn(child, n.Column)
	}
}

// block notes the lines of a block scalar whose header stands on a line: those indented as its first one is, or deeper.
// parent is the column of the key or dash that holds it.
func (s *scanner) block(header, parent int) {
	indent := 0
	for i := header; i < len(s.lines); i++ {
		line := s.lines[i]
		depth := len(line) - len(strings.TrimLeft(line, " "))
		if strings.TrimSpace(line) == "" {
			s.skip[i+1] = true
			continue
		}
		if indent == 0 {
			indent = max(depth, parent)
			if digit := strings.IndexAny(indicator(s.lines[header-1]), "123456789"); digit >= 0 {
				indent = parent // text may begin with spaces
			}
		}
		if depth < indent {
			return
		}
		s.skip[i+1] = true
	}
}

// indicator is the part of a line from the | or > of a block scalar on.
func indicator(line string) string {
	if before, _, ok := strings.Cut(line, " #"); ok {
		line = before
	}
	return line[max(0, strings.LastIndexAny(line, "|>")):]
}

func (s *scanner) line(number int, text []rune) {
	blank := true // so far
	for i := 0; i < len(text); i++ {
		at := place{number, i + 1}
		switch c := text[i]; {
		case s.quote != 0:
			i += s.inQuotes(text, i)
		case s.quotes[at]:
			s.quote = c
		case s.flows[at]:
			s.depth++
		case (c == '}' || c == ']') && s.depth > 0:
			s.depth--
		case c == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t'):
			s.found = append(s.found, remark{number, i + 1, s.depth, blank, strings.TrimRight(string(text[i:]), " \t")})
			return
		}
		blank = blank && (text[i] == ' ' || text[i] == '\t')
	}
}

// inQuotes looks for the end of a quoted text, and returns how many characters to skip in addition to this one.
func (s *scanner) inQuotes(text []rune, i int) int {
	switch {
	case s.quote == '"' && text[i] == '\\':
		return min(1, len(text)-1-i) // at the end of a line it escapes the line break
	case s.quote == '\'' && text[i] == '\'' && i+1 < len(text) && text[i+1] == '\'':
		return 1
	case text[i] == s.quote:
		s.quote = 0
	}
	return 0
}
