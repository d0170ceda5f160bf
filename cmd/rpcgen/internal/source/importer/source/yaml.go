package source

import (
	"bytes"
	"path"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// Read reads a source: YAML where the name of the file says so, and otherwise JSON. It returns the pointers of members of examples that are there twice, too.
func Read(source Source) (v ir.Value, twice []string, faults Faults) {
	switch strings.ToLower(path.Ext(source.Name)) {
	case ".yaml", ".yml":
		v, faults = parseYAML(source.Name, source.Text)
		return withNumericLimits(v), nil, faults
	}
	v, twice, fault := ParseJSON(source.Name, source.Text)
	if fault != nil {
		return v, nil, Faults{fault}
	}
	return withNumericLimits(v), twice, nil
}

// parseYAML reads a YAML text as the JSON that it stands for. Scalars are what JSON writes so, and text otherwise.
func parseYAML(file string, text []byte) (ir.Value, Faults) {
	if len(bytes.TrimSpace(text)) == 0 {
		return ir.Value{}, Faults{{Pos: diag.Pos{File: file, Line: 1, Col: 1}, Message: "the file is empty"}}
	}
	text, breaks := bytes.TrimPrefix(text, []byte("\ufeff")), strings.NewReplacer()
	if bytes.ContainsAny(text, yamlBreaks) && !bytes.ContainsAny(text, inPlace) { // with these, they are refused
		text, breaks = []byte(hideBreaks.Replace(string(text))), showBreaks
	}
	root, list := syntax.ParseAny(file, text, MostValues(len(text)))
	if root == nil {
		return ir.Value{}, FaultsOf(list)
	}
	return yamlValue(root, breaks), nil
}

// Characters that end a line to the library, and none to YAML 1.2, and what stands for them while the library reads: code points without a character, as long
// as those, so that all places stay.
const yamlBreaks, inPlace = "\u0085\u2028\u2029", "\u07fb\ufdd0\ufdd1"

var (
	hideBreaks = strings.NewReplacer("\u0085", "\u07fb", "\u2028", "\ufdd0", "\u2029", "\ufdd1")
	showBreaks = strings.NewReplacer("\u07fb", "\u0085", "\ufdd0", "\u2028", "\ufdd1", "\u2029")
)

func yamlValue(n *syntax.Node, breaks *strings.Replacer) ir.Value {
	v := ir.Value{Pos: n.Span.Pos}
	switch n.Kind {
	case syntax.Mapping:
		v.Kind = ir.Object
		v.Fields = ir.Each(n.Entries, func(e syntax.Entry) ir.Member {
			return ir.Member{Name: breaks.Replace(e.Key.Text), Value: yamlValue(e.Value, breaks)}
		})
		return v
	case syntax.Sequence:
		v.Kind = ir.Array
		v.Items = ir.Each(n.Items, func(item *syntax.Node) ir.Value { return yamlValue(item, breaks) })
		return v
	}
	v.Kind, v.Text = n.JSON(), breaks.Replace(n.Text)
	switch v.Kind {
	case ir.Null:
		v.Text = "null"
	case ir.Integer, ir.Number:
		v = ir.NumberValue(n.Text)
		v.Pos = n.Span.Pos
	}
	return v
}

// Source is a text with the name that it has in messages.
type Source struct {
	Name string
	Text []byte
}
