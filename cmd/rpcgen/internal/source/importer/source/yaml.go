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
	root, list := syntax.ParseAny(file, text, MostValues(len(text)))
	if root == nil {
		return ir.Value{}, FaultsOf(list)
	}
	return yamlValue(root), nil
}

func yamlValue(n *syntax.Node) ir.Value {
	v := ir.Value{Pos: n.Span.Pos}
	switch n.Kind {
	case syntax.Mapping:
		v.Kind = ir.Object
		for _, e := range n.Entries {
			v.Fields = append(v.Fields, ir.Member{Name: e.Key.Text, Value: yamlValue(e.Value)})
		}
		return v
	case syntax.Sequence:
		v.Kind = ir.Array
		for _, item := range n.Items {
			v.Items = append(v.Items, yamlValue(item))
		}
		return v
	}
	v.Kind, v.Text = n.JSON(), n.Text
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
