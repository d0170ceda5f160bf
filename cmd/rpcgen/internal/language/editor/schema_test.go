package editor

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Schema returns the JSON Schema of schema files.
func Schema() ([]byte, error) {
	w := &writer{names: map[*grammar.Place]string{}, texts: map[string]string{}}
	root := object(
		pair("$schema", text("https://json-schema.org/draft/2020-12/schema")),
		pair("title", text("The schema language of rpcgen, v1")))
	root.Fields = append(root.Fields, w.body(grammar.Document()).Fields...)
	root.Fields = append(root.Fields, pair("$defs", object(w.definitions...)))
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(root.String()), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func object(members ...ir.Member) ir.Value { return ir.Value{Kind: ir.Object, Fields: members} }

func pair(name string, value ir.Value) ir.Member { return ir.Member{Name: name, Value: value} }

func list(items ...ir.Value) ir.Value { return ir.Value{Kind: ir.Array, Items: items} }

func text(s string) ir.Value { return ir.Value{Kind: ir.Text, Text: s} }

func boolean(b bool) ir.Value { return ir.Value{Kind: ir.Boolean, Text: strconv.FormatBool(b)} }

func texts(all []string) ir.Value {
	l := list()
	for _, s := range all {
		l.Items = append(l.Items, text(s))
	}
	return l
}
