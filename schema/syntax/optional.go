package syntax

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/text"
)

// standIn stands for the ? at the end of a key inside { }, which YAML does not take, while the library reads the text.
const standIn = '_'

// spot is a place in a text: a line, counted from 1, and a byte of it, counted from 0.
type spot struct{ line, offset int }

// OptionalKeys makes a text that YAML refuses readable: a key inside { } may end in ?, as in {name?: string}. All places stay as they are.
// Restore gives the keys of the decoded text their ? back; it reports whether it found them all, and otherwise the text must be refused. Readable
// is nil when there are no such keys.
func OptionalKeys(text []byte) (readable []byte, restore func(*yaml.Node) bool) {
	s := &scanner{text: bytes.Clone(text), spots: map[spot]bool{}}
	for _, line := range bytes.SplitAfter(s.text, []byte("\n")) {
		s.number++
		s.line(line)
	}
	if len(s.spots) == 0 {
		return nil, nil
	}
	columns := &Columns{Lines: splitLines(text)}
	return s.text, func(document *yaml.Node) bool {
		found := 0
		s.restore(document, columns, &found)
		return found == len(s.spots)
	}
}

// Decode reads the YAML of a schema, in which keys inside { } may end in ?.
func Decode(text []byte, document *yaml.Node) error {
	err := yaml.Unmarshal(text, document)
	if err == nil {
		return nil
	}
	readable, restore := OptionalKeys(text)
	if readable == nil {
		return err
	}
	*document = yaml.Node{}
	if again := yaml.Unmarshal(readable, document); again != nil || !restore(document) {
		return err
	}
	return nil
}

// scanner finds the keys of flow mappings in a text. It knows as much of YAML as it takes to tell them from texts and comments.
type scanner struct {
	text   []byte
	number int // of the line
	spots  map[spot]bool

	flow  []byte // the brackets that are open
	quote byte   // the quote that is open; 0 if none
	inner bool   // a block of text is open
	block int    // the indentation of its key
}

var (
	beforeBlock = text.Pattern(`(?:^|[:\-]\s+)[|>][-+0-9]*\s*(?:#.*)?$`)
	optionalKey = text.Pattern(`^[^\s"'{}\[\],#&*!|>%@` + "`" + `?:][^\s"'{}\[\],?:]*(\?)\s*:(?:[\s,{\[]|$)`)
)

// line reads one line, and changes it where it has such keys.
func (s *scanner) line(line []byte) {
	content := bytes.TrimRight(line, "\r\n")
	indent := indentOf(content)
	if s.inner {
		if len(bytes.TrimSpace(content)) == 0 || indent > s.block {
			return
		}
		s.inner = false
	}
	start := true // a value, or a key of a flow mapping, may begin here
	for at := 0; at < len(content); at++ {
		c := content[at]
		switch {
		case s.quote != 0:
			if c == '\\' && s.quote == '"' {
				at++
			} else if c == s.quote {
				s.quote = 0
			}
		case c == '#' && (at == 0 || content[at-1] == ' ' || content[at-1] == '\t'):
			return
		case c == ' ' || c == '\t':
		case start && (c == '"' || c == '\''):
			s.quote, start = c, false
		case start && (c == '{' || c == '['):
			s.flow = append(s.flow, c)
		case len(s.flow) > 0 && (c == '}' || c == ']'):
			s.flow, start = s.flow[:len(s.flow)-1], false
		case len(s.flow) > 0 && c == ',':
			start = true
		case (c == ':' || c == '-' && start && len(s.flow) == 0) && (at+1 == len(content) || content[at+1] == ' '):
			start = true
		case start && len(s.flow) > 0 && s.flow[len(s.flow)-1] == '{':
			if m := optionalKey().FindSubmatchIndex(content[at:]); m != nil {
				line[at+m[2]] = standIn
				s.spots[spot{s.number, at + m[2]}] = true
				at += m[2]
			}
			start = false
		default:
			start = false
		}
	}
	if len(s.flow) == 0 && s.quote == 0 && beforeBlock().Match(content) {
		s.inner, s.block = true, indent
	}
}

// indentOf counts the spaces before a line's first key: the dash of a list is one of them.
func indentOf(line []byte) int {
	rest := strings.TrimLeft(string(line), " ")
	for strings.HasPrefix(rest, "- ") {
		rest = strings.TrimLeft(rest[2:], " ")
	}
	return len(line) - len(rest)
}

// restore visits the keys of flow mappings.
func (s *scanner) restore(n *yaml.Node, columns *Columns, found *int) {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Kind == yaml.ScalarNode && strings.HasSuffix(child.Value, string(standIn)) {
			end := columns.Offset(child.Line, child.Column) + len(child.Value) - 1
			if s.spots[spot{child.Line, end}] {
				child.Value = strings.TrimSuffix(child.Value, string(standIn)) + "?"
				*found++
			}
		}
		s.restore(child, columns, found)
	}
}
