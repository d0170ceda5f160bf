package openrpc

import (
	_ "embed" // the table
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

//go:embed fields.txt
var fieldsText string

// Fields says what becomes of the fields of a document. What is kept is kept under the same name with x- before it, which an export writes back.
var Fields = source.ReadFields(fieldsText)

// otherOfRoot keeps what a document says of the whole service, and reports what the import makes nothing of.
func (o *openRPC) otherOfRoot(root source.Cursor) {
	for _, m := range root.MembersOf("info") {
		o.keepMember(o.d.Doc.Head, "Info", m)
	}
	for _, m := range root.Members() {
		o.keepMember(o.d.Doc.Head, "OpenRPC", m)
	}
	o.unusedComponents(root)
	follow := func(p source.Part) source.Part {
		for range source.Deepest {
			target, message, _ := o.d.Conv.Resolver.RefersTo(p.Cursor)
			if message != "" || !p.Has("$ref") {
				break
			}
			p.Cursor = target
		}
		return p
	}
	Fields().VisitUnused(follow, func(p source.Part) { o.d.Conv.Report.Ignore(p.Pointer) }, source.Place{Part: source.Part{Cursor: root}, Object: "OpenRPC"})
}

// keepMember keeps a member of an object that is kept, with what it refers to, or is the author's own.
func (o *openRPC) keepMember(n *yaml.Node, object string, m source.Member) {
	own := strings.HasPrefix(m.Name, "x-")
	switch use := Fields().Of(object, m.Name).Use; {
	case own && use == "":
		tree.Set(n, m.Name, tree.Value(m.Value))
	case use == source.Kept && object == "Method" && m.Kind == ir.Array:
		if all := o.resolveList(m.Cursor); len(all.Items) > 0 {
			tree.Set(n, "x-"+m.Name, tree.Value(all))
		}
	case use == source.Kept && (object != "OpenRPC" || len(m.Items)+len(m.Fields) > 0):
		tree.Set(n, "x-"+m.Name, tree.Value(m.Value))
	}
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
				whole.Fields[at].Value = o.resolveList(m.Cursor)
			case "result":
				if target, ok := o.referenceTarget(m.Cursor); ok {
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

// resolveList is a list with what its references lead to.
func (o *openRPC) resolveList(list source.Cursor) ir.Value {
	return ir.Value{Kind: ir.Array, Pos: list.Pos, Items: ir.Each(o.components(list), func(item source.Cursor) ir.Value { return item.Value })}
}

// unusedComponents reports components that nothing refers to and that stand for nothing by themselves.
func (o *openRPC) unusedComponents(root source.Cursor) {
	for _, kind := range root.MembersOf("components") {
		for _, c := range kind.Members() {
			if kind.Name != "schemas" && kind.Name != "errors" && !o.used[c.Pointer] {
				o.d.Conv.Report.Ignore(c.Pointer)
			}
		}
	}
}

// isSchema reports whether the data of an error is a schema of it. OpenRPC lets any value stand there, as an example of the data, and authors write schemas.
func isSchema(data source.Cursor) bool {
	kind := data.TextOf("type")
	return data.Kind == ir.Object && (data.TextOf("$ref") != "" || slices.Contains(convert.JSONKinds, kind) ||
		source.HasAny(data, []string{"properties", "oneOf", "anyOf", "allOf"}))
}
