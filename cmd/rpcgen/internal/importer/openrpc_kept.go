package importer

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

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
func (o *openRPC) otherOfRoot(root cursor) {
	info, _ := root.get("info")
	for _, m := range info.members() {
		switch {
		case slices.Contains(keptOfInfo, m.name):
			tree.Set(o.doc.Head, "x-"+m.name, tree.Value(m.Value))
		case !slices.Contains([]string{"title", "description", "version"}, m.name):
			o.extension(o.doc.Head, m)
		}
	}
	own := []string{"openrpc", "info", "methods", "components", "$schema", "x-callbacks", "x-errors", "x-protocol", "x-mcp"}
	for _, m := range root.members() {
		switch {
		case slices.Contains(own, m.name):
		case slices.Contains(keptOfRoot, m.name):
			if len(m.Items)+len(m.Fields) > 0 {
				tree.Set(o.doc.Head, "x-"+m.name, tree.Value(m.Value))
			}
		default:
			o.extension(o.doc.Head, m)
		}
	}
	o.unusedComponents(root)
}

// extension keeps a member of the author's own, and reports any other.
func (o *openRPC) extension(n *yaml.Node, m named) {
	if strings.HasPrefix(m.name, "x-") {
		tree.Set(n, m.name, tree.Value(m.Value))
	} else {
		o.report.Ignore(m.pointer)
	}
}

// keptMember keeps a member of a method, with what it refers to. Examples that an export
// made up are left out. It reports whether it is one of those.
func (o *openRPC) keptMember(n *yaml.Node, m named, made bool) bool {
	switch {
	case m.name == "examples":
		if !made {
			o.examples(n, m.cursor)
		}
	case !slices.Contains(keptOfMethod, m.name):
		return false
	case m.Kind == ir.Array:
		if all := o.resolved(m.cursor); len(all.Items) > 0 {
			tree.Set(n, "x-"+m.name, tree.Value(all))
		}
	default:
		tree.Set(n, "x-"+m.name, tree.Value(m.Value))
	}
	return true
}

// examples keeps the author's pairings of params and results.
func (o *openRPC) examples(n *yaml.Node, list cursor) {
	kept := ir.Value{Kind: ir.Array}
	for _, pairing := range o.components(list) {
		whole := pairing.Value
		whole.Fields = slices.Clone(whole.Fields)
		for at, m := range pairing.members() {
			switch m.name {
			case "params":
				whole.Fields[at].Value = o.resolved(m.cursor)
			case "result":
				if target, ok := o.referred(m.cursor); ok {
					whole.Fields[at].Value = target.Value
				}
			}
		}
		kept.Items = append(kept.Items, whole)
	}
	if len(kept.Items) > 0 && sizeOf(kept, mostKept) < mostKept {
		tree.Set(n, "x-examples", tree.Value(kept))
	} else if len(kept.Items) > 0 {
		o.report.Ignore(list.pointer)
	}
}

// resolved is a list with what its references lead to.
func (o *openRPC) resolved(list cursor) ir.Value {
	v := ir.Value{Kind: ir.Array, Pos: list.Pos}
	for _, item := range o.components(list) {
		v.Items = append(v.Items, item.Value)
	}
	return v
}

// unusedComponents reports components that nothing refers to and that stand for nothing by themselves.
func (o *openRPC) unusedComponents(root cursor) {
	components, _ := root.get("components")
	for _, kind := range components.members() {
		if kind.name == "schemas" || kind.name == "errors" {
			continue
		}
		for _, c := range kind.members() {
			if !o.used[c.pointer] {
				o.report.Ignore(c.pointer)
			}
		}
	}
}

// isSchema reports whether the data of an error is a schema of it. OpenRPC lets any value stand there, as an example of the data, and authors
// write schemas.
func isSchema(data cursor) bool {
	kind := data.text("type")
	return data.Kind == ir.Object && (data.text("$ref") != "" || slices.Contains(jsonKinds, kind) ||
		hasAny(data, []string{"properties", "oneOf", "anyOf", "allOf"}))
}
