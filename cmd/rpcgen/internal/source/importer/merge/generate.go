package merge

import (
	"cmp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// generate generates the code of a document. A fault is at its place in the source, the overlay or the file that is there, and names the declaration.
func (k *keeper) generate(doc *ir.Document, whole *yaml.Node, text []byte) error {
	if k.imported.Generate == nil {
		return nil
	}
	generated, list := k.imported.Generate(doc, len(text))
	if !list.HasErrors() {
		k.report.Generated = &generated
		return nil
	}
	made, lines := k.madeOf(whole, text), strings.Split(string(text), "\n")
	var faults source.Faults
	for _, d := range list.Errors() {
		fault, is := source.FaultsOf(diag.List{d})[0], made.Before(d.Span.Pos)
		switch {
		case is.by != nil:
			fault.Pos = is.by.pos(is.node)
		case is.at.Pos.File != "":
			fault.Pos, fault.Pointer = is.at.Pos, is.at.Pointer
		case is.node != nil && is.node.Line > 0: // of the file
			fault.Pos = diag.Pos{File: k.name, Line: is.node.Line, Col: is.node.Column}
		default:
			fault.Pos = diag.Pos{File: k.imported.File, Line: 1, Col: 1}
			fault.Help = diag.Excerpt(strings.TrimSpace(lines[d.Span.Line-1])) + "\n    " + fault.Help
		}
		if is.decl != "" {
			fault.Message = is.decl + ": " + fault.Message
		}
		faults = append(faults, fault)
	}
	return faults.Err()
}

// origin is what a node of the result comes from.
type origin struct {
	node *yaml.Node
	by   *Overlay      // nil if no overlay brought it
	at   source.Cursor // the innermost schema of the source; without a position when there is none
	decl string        // the declaration that it stands in, such as types.Report
}

// madeOf says of each node of the result what it comes from. What the file that is there spells is of the declaration of its name.
func (k *keeper) madeOf(whole *yaml.Node, text []byte) Marks[origin] {
	declared := map[*yaml.Node]origin{}
	for _, section := range tree.Sections {
		tree.Each(tree.Get(whole, section), func(key, value *yaml.Node) {
			m := origin{node: value, by: k.over.owner(value), decl: section + "." + key.Value,
				at: k.imported.Origins[k.imported.Doc.Body[section].Get(cmp.Or(k.sourceNames[key.Value], key.Value))]}
			declared[key], declared[value] = m, m
		})
	}
	return MarkedBy(whole, text, func(n *yaml.Node, is origin) origin {
		if m, ok := declared[n]; ok {
			return m
		}
		if at, ok := k.imported.Origins[n]; ok {
			is.at = at
		}
		if o := k.over.owner(n); o != nil || is.by == nil {
			is.by, is.node = o, n
		}
		return is
	})
}
