package configfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	lazy "github.com/rpcgen-go/rpcgen/schema/text"
)

// yamlEditor edits YAML whose entries are block mappings.
type yamlEditor struct{}

// read returns the mapping that a text consists of; nil if it says nothing.
func (yamlEditor) read(text []byte) (*yaml.Node, error) {
	var doc yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, yamlFault(err)
	}
	switch err := d.Decode(new(yaml.Node)); {
	case err == nil:
		return nil, &ShapeError{What: "the file has several documents"}
	case !errors.Is(err, io.EOF):
		return nil, yamlFault(err)
	}
	root := doc.Content[0]
	switch {
	case root.Kind == yaml.ScalarNode && root.Tag == "!!null" && root.Value == "":
		return nil, nil
	case root.Kind != yaml.MappingNode:
		return nil, &ShapeError{root.Line, root.Column, "the file is not a mapping"}
	}
	return root, nil
}

var yamlLine = lazy.Pattern(`^yaml: line (\d+): `)

// yamlFault returns the error of the parser with its place.
func yamlFault(err error) error {
	what := err.Error()
	if m := yamlLine().FindStringSubmatch(what); m != nil {
		line, _ := strconv.Atoi(m[1])
		return &ShapeError{Line: line, What: what[len(m[0]):]}
	}
	return &ShapeError{What: strings.TrimPrefix(what, "yaml: ")}
}

func (e yamlEditor) parse(text []byte) (ir.Value, error) {
	root, err := e.read(text)
	if root == nil {
		return ir.Value{Kind: ir.Object}, err
	}
	return yamlMeaning(root), nil
}

// yamlMeaning returns what a node means. Aliases and what has an anchor or a tag of its own have a meaning that no other value has.
func yamlMeaning(n *yaml.Node) (v ir.Value) {
	switch n.Kind {
	case yaml.MappingNode:
		v.Kind = ir.Object
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			if n.Content[i].Kind != yaml.ScalarNode {
				name = "? " + yamlMeaning(n.Content[i]).String()
			}
			v.Fields = append(v.Fields, ir.Member{Name: name, Value: yamlMeaning(n.Content[i+1])})
		}
	case yaml.SequenceNode:
		v.Kind, v.Items = ir.Array, ir.Each(n.Content, yamlMeaning)
	case yaml.AliasNode:
		return ir.Value{Kind: ir.Array, Items: []ir.Value{{Kind: ir.Text, Text: "*" + n.Value}}}
	default:
		switch n.ShortTag() {
		case "!!bool":
			v = ir.Value{Kind: ir.Boolean, Text: n.Value}
		case "!!int", "!!float":
			v = ir.Value{Kind: ir.Number, Text: n.Value}
		case "!!null":
			v = ir.Value{Kind: ir.Null, Text: "null"}
		default:
			v = ir.Value{Kind: ir.Text, Text: n.Value}
		}
	}
	if special := n.Anchor + strings.TrimPrefix(n.Tag, n.ShortTag()); special != "" || n.Style&yaml.TaggedStyle != 0 {
		v = ir.Value{Kind: ir.Array, Items: []ir.Value{{Kind: ir.Text, Text: "&" + n.Anchor + " " + n.Tag}, v}}
	}
	return v
}

// place is a member of a block mapping in a text.
type place struct {
	key, value *yaml.Node
	next       int // the line on which what follows it begins; 0 if it is the last
}

// find follows a path. It returns the places of its members as far as they are there. Shapes that cannot be edited are an error.
func (e yamlEditor) find(root *yaml.Node, path []string) ([]place, error) {
	var places []place
	next := 0
	for depth, n := 0, root; depth < len(path) && n != nil; depth++ {
		what := strings.Join(path[:depth], ".")
		if depth == 0 {
			what = "the file"
		}
		fault := func(at *yaml.Node, format string, args ...any) error {
			return &ShapeError{at.Line, at.Column, fmt.Sprintf(format, args...)}
		}
		switch {
		case n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 || n.Kind == yaml.AliasNode:
			return nil, fault(n, "%s has an anchor, an alias or a tag", what)
		case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" && n.Value == "":
			return places, nil
		case n.Kind != yaml.MappingNode:
			return nil, fault(n, "%s is not a mapping", what)
		case n.Style&yaml.FlowStyle != 0:
			return nil, fault(n, "%s is written in braces: write each of its members on a line of its own", what)
		}
		var found *place
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value != path[depth] {
				continue
			}
			if found != nil {
				return nil, fault(n.Content[i], "%s stands here a second time", strings.Join(path[:depth+1], "."))
			}
			found = &place{key: n.Content[i], value: n.Content[i+1], next: next}
			if i+2 < len(n.Content) {
				found.next = n.Content[i+2].Line
			}
		}
		if found == nil {
			return places, nil
		}
		places, n, next = append(places, *found), found.value, found.next
	}
	return places, nil
}

func (e yamlEditor) insert(text []byte, path []string, v ir.Value) ([]byte, error) {
	root, err := e.read(text)
	if err != nil {
		return nil, err
	}
	nl := newline(text)
	places, err := e.find(root, path)
	if err != nil {
		return nil, err
	}
	depth := len(places)
	v = nest(path[depth+1:], v)
	if depth == 0 {
		indent := ""
		if root != nil && len(root.Content) > 0 {
			indent = strings.Repeat(" ", root.Content[0].Column-1)
		}
		return append(endLine(text), yamlMember(path[0], v, indent, nl)...), nil
	}
	parent := places[depth-1]
	indent := indentOf(text, offset(text, parent.key.Line)) + "  "
	if c := parent.value.Content; len(c) > 0 {
		indent = strings.Repeat(" ", c[0].Column-1)
		if c[0].Line == parent.key.Line {
			return nil, &ShapeError{c[0].Line, c[0].Column, "the members begin on the line of their key"}
		}
	}
	text = endLine(text)
	at := offset(text, parent.key.Line+1)
	return splice(text, at, at, yamlMember(path[depth], v, indent, nl)), nil
}

// offset returns where a line begins.
func offset(text []byte, line int) int {
	at := 0
	for ; line > 1 && at < len(text); line-- {
		at = lineEnd(text, at)
	}
	return at
}

// end returns where the lines of a member end: before what follows it, and before blank lines and comments that are not indented more than its key.
func (p place) end(text []byte) int {
	end := len(text)
	if p.next > 0 {
		end = offset(text, p.next)
	}
	first := lineEnd(text, offset(text, p.key.Line))
	for end > first {
		start := lineStart(text, end-1)
		line := string(bytes.TrimRight(text[start:end], " \t\r\n"))
		bare := strings.TrimLeft(line, " \t")
		if bare != "" && (bare[0] != '#' || len(line)-len(bare) > p.key.Column-1) && !strings.HasPrefix(line, "...") {
			break
		}
		end = start
	}
	return end
}

func (e yamlEditor) place(text []byte, path []string) (place, error) {
	root, err := e.read(text)
	if err != nil {
		return place{}, err
	}
	places, err := e.find(root, path)
	if err != nil {
		return place{}, err
	}
	p := places[len(path)-1]
	if start := offset(text, p.key.Line); len(bytes.TrimLeft(text[start:], " ")) != len(text[start:])-p.key.Column+1 {
		return p, &ShapeError{p.key.Line, p.key.Column, "the line begins with something else"}
	}
	return p, nil
}

func (e yamlEditor) replace(text []byte, path []string, v ir.Value) ([]byte, error) {
	p, err := e.place(text, path)
	if err != nil {
		return nil, err
	}
	from, to := offset(text, p.key.Line), p.end(text)
	nl := newline(text)
	comment := ""
	if p.value.Line == p.key.Line && to == lineEnd(text, from) { // a value on the line of its key
		if i := bytes.LastIndex(text[from:to], []byte(" #")); i >= 0 && p.value.LineComment != "" &&
			strings.HasSuffix(string(bytes.TrimRight(text[from:to], "\r\n")), p.value.LineComment) {
			comment = " " + p.value.LineComment
		}
	}
	line := strings.TrimSuffix(yamlMember(path[len(path)-1], v, strings.Repeat(" ", p.key.Column-1), nl), nl) + comment
	if bytes.HasSuffix(text[from:to], []byte("\n")) {
		line += nl
	}
	return splice(text, from, to, line), nil
}

func (e yamlEditor) remove(text []byte, path []string) ([]byte, error) {
	p, err := e.place(text, path)
	if err != nil {
		return nil, err
	}
	return splice(text, offset(text, p.key.Line), p.end(text), ""), nil
}

// yamlMember writes a member of a block mapping: objects on several lines, all else on one.
func yamlMember(name string, v ir.Value, indent, nl string) string {
	line := indent + yamlText(name) + ":"
	if v.Kind != ir.Object || len(v.Fields) == 0 {
		return line + " " + yamlFlow(v) + nl
	}
	var b strings.Builder
	b.WriteString(line + nl)
	for _, m := range v.Fields {
		b.WriteString(yamlMember(m.Name, m.Value, indent+"  ", nl))
	}
	return b.String()
}

// yamlFlow writes a value on one line.
func yamlFlow(v ir.Value) string {
	switch v.Kind {
	case ir.Text:
		return yamlText(v.Text)
	case ir.Array:
		return "[" + strings.Join(ir.Each(v.Items, yamlFlow), ", ") + "]"
	case ir.Object:
		return jsonWriter{}.line(v)
	}
	return v.Text
}

// plainText matches what can be written without quotes wherever it stands; words that mean something else are found by reading them.
var plainText = lazy.Pattern(`^[A-Za-z/_][A-Za-z0-9/_.@+-]*$`)

// yamlText writes a string: as such if it can only be that, else as a string of JSON, which YAML reads as well.
func yamlText(s string) string {
	var n yaml.Node
	if plainText().MatchString(s) && yaml.Unmarshal([]byte(s), &n) == nil && n.Content[0].ShortTag() == "!!str" && !ambiguous[strings.ToLower(s)] {
		return s
	}
	return quoteJSON(s)
}

// ambiguous are words that YAML 1.1 reads as booleans.
var ambiguous = map[string]bool{"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true}
