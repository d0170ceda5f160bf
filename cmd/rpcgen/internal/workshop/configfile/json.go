package configfile

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// node is a value of JSON in a text.
type node struct {
	ir.Value
	from, to int // offsets in the text
	members  []jsonMember
}

// jsonMember is a member of an object in a text.
type jsonMember struct {
	name  string
	from  int // of the name
	value *node
	comma int // the offset of the comma after it; -1 if there is none
}

// jsonReader reads JSON with comments and trailing commas.
type jsonReader struct{ reader }

// reader reads the text of a file.
type reader struct {
	text  []byte
	at    int
	depth int
}

// deepest limits how deep values may be nested in a file.
const deepest = 500

// document returns the value of the whole text, or nil if there is none.
func (r *jsonReader) document() (*node, error) {
	if !utf8.Valid(r.text) {
		return nil, &ShapeError{What: "the file is not valid UTF-8"}
	}
	if bytes.HasPrefix(r.text, mark) {
		r.at = len(mark)
	}
	if err := r.blank(); err != nil || r.at == len(r.text) {
		return nil, err
	}
	n, err := r.value()
	if err == nil {
		err = r.blank()
	}
	if err == nil && r.at < len(r.text) {
		err = r.fault("the file goes on after its value")
	}
	return n, err
}

func (r *reader) fault(format string, args ...any) error {
	return shapeError(r.text, r.at, format, args...)
}

// blank skips blanks and comments.
func (r *jsonReader) blank() error {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			r.at++
		case bytes.HasPrefix(rest, []byte("//")):
			r.at = lineEnd(r.text, r.at)
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return r.fault("the comment does not end")
			}
			r.at += end + 4
		default:
			return nil
		}
	}
	return nil
}

func (r *reader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *jsonReader) value() (*node, error) {
	if r.depth++; r.depth > deepest {
		return nil, r.fault("values are nested too deep")
	}
	defer func() { r.depth-- }()
	n := &node{from: r.at}
	var err error
	switch r.peek() {
	case '{':
		err = r.object(n)
	case '[':
		err = r.array(n)
	case '"':
		n.Kind = ir.Text
		n.Text, err = r.string()
	default:
		err = r.scalar(n)
	}
	n.to = r.at
	return n, err
}

// object reads an object, with the positions of its members.
func (r *jsonReader) object(n *node) error {
	n.Kind = ir.Object
	return r.list('}', func() error {
		m := jsonMember{from: r.at, comma: -1}
		if r.peek() != '"' {
			return r.fault("a name in quotes is expected here")
		}
		var err error
		if m.name, err = r.string(); err != nil {
			return err
		}
		if err = r.blank(); err != nil {
			return err
		}
		if r.peek() != ':' {
			return r.fault("a colon is expected here")
		}
		r.at++
		if err = r.blank(); err != nil {
			return err
		}
		if m.value, err = r.value(); err != nil {
			return err
		}
		n.members = append(n.members, m)
		n.Fields = append(n.Fields, ir.Member{Name: m.name, Value: m.value.Value})
		return nil
	}, func(at int) { n.members[len(n.members)-1].comma = at })
}

func (r *jsonReader) array(n *node) error {
	n.Kind = ir.Array
	return r.list(']', func() error {
		item, err := r.value()
		if err == nil {
			n.Items = append(n.Items, item.Value)
		}
		return err
	}, func(int) {})
}

// list reads what is between two brackets, separated by commas.
func (r *jsonReader) list(end byte, element func() error, comma func(at int)) error {
	r.at++
	for separated := true; ; {
		if err := r.blank(); err != nil {
			return err
		}
		switch c := r.peek(); {
		case c == end:
			r.at++
			return nil
		case !separated:
			return r.fault("a comma or %q is expected here", string(end))
		}
		if err := element(); err != nil {
			return err
		}
		if err := r.blank(); err != nil {
			return err
		}
		if separated = r.peek() == ','; separated {
			comma(r.at)
			r.at++
		}
	}
}

func (r *jsonReader) string() (s string, err error) {
	end := r.at + 1
	for end < len(r.text) && r.text[end] != '"' {
		if r.text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(r.text) {
		return "", r.fault("the string does not end")
	}
	if json.Unmarshal(r.text[r.at:end+1], &s) != nil {
		return "", r.fault("this is not a string of JSON")
	}
	r.at = end + 1
	return s, nil
}

// scalar reads a number, true, false or null.
func (r *jsonReader) scalar(n *node) error {
	end := r.at
	for end < len(r.text) && strings.IndexByte(" \t\r\n,]}/:\"", r.text[end]) < 0 {
		end++
	}
	word := string(r.text[r.at:end])
	switch {
	case word == "null":
		n.Kind = ir.Null
	case word == "true" || word == "false":
		n.Kind = ir.Boolean
	case word != "" && json.Valid([]byte(word)):
		n.Kind = ir.Number
	default:
		return r.fault("a value is expected here")
	}
	n.Text = word
	r.at = end
	return nil
}

// jsonEditor edits JSON with comments.
type jsonEditor struct{}

func (jsonEditor) read(text []byte) (*node, error) {
	n, err := (&jsonReader{reader{text: text}}).document()
	if err == nil && n != nil && n.Kind != ir.Object {
		err = shapeError(text, n.from, "the file is not an object")
	}
	return n, err
}

func (e jsonEditor) parse(text []byte) (ir.Value, error) {
	n, err := e.read(text)
	if n == nil {
		return ir.Value{Kind: ir.Object}, err
	}
	return n.Value, err
}

// find follows a path as far as it goes. It returns the last object on it, and how many names led there. Names that stand twice are an error.
func (jsonEditor) find(text []byte, n *node, path []string) (*node, int, error) {
	for depth, name := range path {
		if n.Kind != ir.Object {
			return nil, 0, shapeError(text, n.from, "%s is not an object", strings.Join(path[:depth], "."))
		}
		var next *node
		for _, m := range n.members {
			switch {
			case m.name != name:
			case next != nil:
				return nil, 0, shapeError(text, m.from, "%s stands here a second time", strings.Join(path[:depth+1], "."))
			default:
				next = m.value
			}
		}
		if next == nil {
			return n, depth, nil
		}
		n = next
	}
	return n, len(path), nil
}

func (e jsonEditor) insert(text []byte, path []string, v ir.Value) ([]byte, error) {
	root, err := e.read(text)
	if err != nil {
		return nil, err
	}
	nl := newline(text)
	if root == nil {
		whole := jsonWriter{nl, "  "}.lines(nest(path, v), "", len(path)+1) + nl
		return append(endLine(text), whole...), nil
	}
	n, depth, err := e.find(text, root, path)
	if err != nil {
		return nil, err
	}
	if n.Kind != ir.Object {
		return nil, shapeError(text, n.from, "%s is not an object", strings.Join(path[:depth], "."))
	}
	w := jsonWriter{nl, unit(text, root)}
	name, levels := path[depth], len(path)-depth
	v = nest(path[depth+1:], v)
	// member writes the member on lines that begin with an indent.
	member := func(indent string) string { return nl + indent + quoteJSON(name) + ": " + w.lines(v, indent, levels) }
	if len(n.members) == 0 {
		indent := indentOf(text, n.from)
		inner := text[n.from+1 : n.to-1]
		at := n.from + 1 + len(bytes.TrimRight(inner, " \t\r\n"))
		added := member(indent + w.unit)
		if !bytes.Contains(text[at:n.to], []byte("\n")) {
			added += nl + indent
		}
		return splice(text, at, at, added), nil
	}
	last := n.members[len(n.members)-1]
	if !bytes.Contains(text[n.from:last.from], []byte("\n")) {
		if last.comma >= 0 {
			return splice(text, last.comma+1, last.comma+1, " "+quoteJSON(name)+": "+w.line(v)+","), nil
		}
		return splice(text, last.value.to, last.value.to, ", "+quoteJSON(name)+": "+w.line(v)), nil
	}
	indent := indentOf(text, last.from)
	if lineStart(text, last.from)+len(indent) != last.from { // the line begins with something else
		indent = indentOf(text, n.from) + w.unit
	}
	added := member(indent)
	after := last.value.to
	if last.comma >= 0 {
		after, added = last.comma+1, added+","
	}
	at := commentEnd(text, after)
	changed := splice(text, at, at, added)
	if last.comma < 0 {
		changed = splice(changed, last.value.to, last.value.to, ",")
	}
	return changed, nil
}

// commentEnd returns where the comments end that follow an offset on its line.
func commentEnd(text []byte, at int) int {
	for end := at; end < len(text); {
		switch rest := text[end:]; {
		case rest[0] == ' ' || rest[0] == '\t':
			end++
		case bytes.HasPrefix(rest, []byte("//")):
			return end + len(bytes.TrimRight(text[end:lineEnd(text, end)], "\r\n"))
		case bytes.HasPrefix(rest, []byte("/*")):
			end += bytes.Index(rest[2:], []byte("*/")) + 4 // it ends, since the text is valid
			at = end
		default:
			return at
		}
	}
	return at
}

// unit returns by what a file indents: the blanks before its first member, if that begins a line.
func unit(text []byte, root *node) string {
	for _, m := range root.members {
		if indent := indentOf(text, m.from); indent != "" && lineStart(text, m.from)+len(indent) == m.from {
			return indent
		}
	}
	return "  "
}

func (e jsonEditor) replace(text []byte, path []string, v ir.Value) ([]byte, error) {
	root, err := e.read(text)
	if err != nil {
		return nil, err
	}
	n, _, err := e.find(text, root, path)
	if err != nil {
		return nil, err
	}
	return splice(text, n.from, n.to, jsonWriter{}.line(v)), nil
}

func (e jsonEditor) remove(text []byte, path []string) ([]byte, error) {
	root, err := e.read(text)
	if err != nil {
		return nil, err
	}
	n, _, err := e.find(text, root, path[:len(path)-1])
	if err != nil {
		return nil, err
	}
	if _, _, err := e.find(text, n, path[len(path)-1:]); err != nil {
		return nil, err
	}
	i := 0
	for n.members[i].name != path[len(path)-1] {
		i++
	}
	m := n.members[i]
	from, to := m.from, m.value.to
	if m.comma >= 0 {
		text = splice(text, m.comma, m.comma+1, "")
	}
	rest := bytes.TrimLeft(text[to:], " \t")
	start := lineStart(text, from)
	alone := len(rest) == 0 || strings.IndexByte("\r\n/", rest[0]) >= 0
	switch {
	case alone && len(bytes.TrimSpace(text[start:from])) == 0 && start > 0: // the line goes, with the line end before it
		from = start - 1
		if from > 0 && text[from-1] == '\r' {
			from--
		}
	case i > 0: // on a line with the one before it
		from = len(bytes.TrimRight(text[:from], " \t"))
	default:
		to = len(text) - len(rest)
	}
	text = splice(text, from, to, "")
	if i > 0 && i+1 == len(n.members) && m.comma < 0 {
		text = splice(text, n.members[i-1].comma, n.members[i-1].comma+1, "")
	}
	return text, nil
}

// jsonWriter writes values of JSON.
type jsonWriter struct{ newline, unit string }

// line writes a value on one line.
func (w jsonWriter) line(v ir.Value) string {
	return inlineValue(v, quoteJSON, func(name string) string { return quoteJSON(name) + ": " })
}

// inlineValue writes a value on one line, with texts and with what comes before the value of a member as the functions have them.
func inlineValue(v ir.Value, text, before func(string) string) string {
	switch v.Kind {
	case ir.Object:
		return "{" + strings.Join(ir.Each(v.Fields, func(m ir.Member) string { return before(m.Name) + inlineValue(m.Value, text, before) }), ", ") + "}"
	case ir.Array:
		return "[" + strings.Join(ir.Each(v.Items, func(item ir.Value) string { return inlineValue(item, text, before) }), ", ") + "]"
	case ir.Text:
		return text(v.Text)
	}
	return v.Text
}

// lines writes a value: objects down to a number of levels with each member on a line of its own, all else on one line.
func (w jsonWriter) lines(v ir.Value, indent string, levels int) string {
	if v.Kind != ir.Object || levels == 0 || len(v.Fields) == 0 {
		return w.line(v)
	}
	var b strings.Builder
	for i, m := range v.Fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(w.newline + indent + w.unit + quoteJSON(m.Name) + ": " + w.lines(m.Value, indent+w.unit, levels-1))
	}
	return "{" + b.String() + w.newline + indent + "}"
}

// quoteJSON returns a string of JSON, without escapes that only web pages need.
func quoteJSON(s string) string { return ir.Value{Kind: ir.Text, Text: s}.String() }
