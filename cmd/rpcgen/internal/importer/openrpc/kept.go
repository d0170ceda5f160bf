package openrpc

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// What OpenRPC says and the language has no words for is kept under the same name with x- before it, which an export writes back.
var (
	keptOfRoot   = []string{"servers", "externalDocs"}
	keptOfInfo   = []string{"termsOfService", "contact", "license"}
	keptOfMethod = []string{"tags", "servers", "links", "externalDocs"}
)

// otherOfRoot keeps what a document says of the whole service, and reports what it says beyond OpenRPC.
func (o *openRPC) otherOfRoot(root source.Cursor) {
	info, _ := root.Get("info")
	for _, m := range info.Members() {
		switch {
		case slices.Contains(keptOfInfo, m.Name):
			tree.Set(o.d.Doc.Head, "x-"+m.Name, tree.Value(m.Value))
		case !slices.Contains([]string{"title", "description", "version"}, m.Name):
			o.extension(o.d.Doc.Head, m)
		}
	}
	own := []string{"openrpc", "info", "methods", "components", "$schema", "x-callbacks", "x-errors", "x-protocol", "x-mcp"}
	for _, m := range root.Members() {
		switch {
		case slices.Contains(own, m.Name):
		case slices.Contains(keptOfRoot, m.Name):
			if len(m.Items)+len(m.Fields) > 0 {
				tree.Set(o.d.Doc.Head, "x-"+m.Name, tree.Value(m.Value))
			}
		default:
			o.extension(o.d.Doc.Head, m)
		}
	}
	o.unusedComponents(root)
}

// extension keeps a member of the author's own, and reports any other.
func (o *openRPC) extension(n *yaml.Node, m source.Named) {
	if strings.HasPrefix(m.Name, "x-") {
		tree.Set(n, m.Name, tree.Value(m.Value))
	} else {
		o.d.Conv.Report.Ignore(m.Pointer)
	}
}

// keptMember keeps a member of a method, with what it refers to. Examples that an export
// made up are left out. It reports whether it is one of those.
func (o *openRPC) keptMember(n *yaml.Node, m source.Named, made bool) bool {
	switch {
	case m.Name == "examples":
		if !made {
			o.examples(n, m.Cursor)
		}
	case !slices.Contains(keptOfMethod, m.Name):
		return false
	case m.Kind == ir.Array:
		if all := o.resolved(m.Cursor); len(all.Items) > 0 {
			tree.Set(n, "x-"+m.Name, tree.Value(all))
		}
	default:
		tree.Set(n, "x-"+m.Name, tree.Value(m.Value))
	}
	return true
}

// examples keeps the author's pairings of params and results.
func (o *openRPC) examples(n *yaml.Node, list source.Cursor) {
	kept := ir.Value{Kind: ir.Array}
	for _, pairing := range o.components(list) {
		whole := pairing.Value
		whole.Fields = slices.Clone(whole.Fields)
		for at, m := range pairing.Members() {
			switch m.Name {
			case "params":
				whole.Fields[at].Value = o.resolved(m.Cursor)
			case "result":
				if target, ok := o.referred(m.Cursor); ok {
					whole.Fields[at].Value = target.Value
				}
			}
		}
		kept.Items = append(kept.Items, whole)
	}
	if len(kept.Items) > 0 && convert.CanKeep(kept) {
		tree.Set(n, "x-examples", tree.Value(kept))
	} else if len(kept.Items) > 0 {
		o.d.Conv.Report.Ignore(list.Pointer)
	}
}

// resolved is a list with what its references lead to.
func (o *openRPC) resolved(list source.Cursor) ir.Value {
	v := ir.Value{Kind: ir.Array, Pos: list.Pos}
	for _, item := range o.components(list) {
		v.Items = append(v.Items, item.Value)
	}
	return v
}

// unusedComponents reports components that nothing refers to and that stand for nothing by themselves.
func (o *openRPC) unusedComponents(root source.Cursor) {
	components, _ := root.Get("components")
	for _, kind := range components.Members() {
		if kind.Name == "schemas" || kind.Name == "errors" {
			continue
		}
		for _, c := range kind.Members() {
			if !o.used[c.Pointer] {
				o.d.Conv.Report.Ignore(c.Pointer)
			}
		}
	}
}

// isSchema reports whether the data of an error is a schema of it. OpenRPC lets any value stand there, as an example of the data, and authors
// write schemas.
func isSchema(data source.Cursor) bool {
	kind := data.TextOf("type")
	return data.Kind == ir.Object && (data.TextOf("$ref") != "" || slices.Contains(convert.JSONKinds, kind) ||
		source.HasAny(data, []string{"properties", "oneOf", "anyOf", "allOf"}))
}
