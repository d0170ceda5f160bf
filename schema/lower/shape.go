package lower

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// shape says how the arguments of a strict client become those that the plain entry asks for. A nil shape changes nothing.
type shape struct {
	optional []string // members that are left out if they are null
	members  []part
	items    *shape // of a list
	values   *shape // of a map, which comes as a list of names and values; see isMap
	isMap    bool
	branches []branch // the first that a value looks like counts
	ref      string   // the name of a definition
}

type part struct {
	name string
	*shape
}

// branch is an alternative, and what its values look like.
type branch struct {
	kind   string      // JSON Schema's word for the type of its values
	names  []string    // of its members; nil if it is not an object
	consts []ir.Member // members that have one value
	shape  *shape
}

// plan writes a shape and the definitions that stay as JSON; it is empty if there is nothing to do.
func (l *lowerer) plan(s *shape) string {
	if s == nil {
		return ""
	}
	root := s.value()
	defs := ir.Value{Kind: ir.Object}
	for _, name := range l.order {
		if d := l.named[name].shape; d != nil {
			defs.Fields = append(defs.Fields, ir.Member{Name: name, Value: d.value()})
		}
	}
	if len(defs.Fields) > 0 {
		root = root.Set("defs", defs)
	}
	return root.String()
}

func (s *shape) value() ir.Value {
	v := ir.Value{Kind: ir.Object}
	if s == nil {
		return v
	}
	if len(s.optional) > 0 {
		v = v.Set("optional", ir.TextList(s.optional...))
	}
	if len(s.members) > 0 {
		all := ir.Value{Kind: ir.Object}
		for _, m := range s.members {
			all.Fields = append(all.Fields, ir.Member{Name: m.name, Value: m.shape.value()})
		}
		v = v.Set("members", all)
	}
	if s.items != nil {
		v = v.Set("items", s.items.value())
	}
	if s.isMap {
		v = v.Set("map", s.values.value())
	}
	if len(s.branches) > 0 {
		list := ir.Value{Kind: ir.Array}
		for _, b := range s.branches {
			one := b.shape.value().Set("kind", text(b.kind))
			if b.names != nil {
				one = one.Set("names", ir.TextList(b.names...))
			}
			if len(b.consts) > 0 {
				one = one.Set("consts", ir.Value{Kind: ir.Object, Fields: b.consts})
			}
			list.Items = append(list.Items, one)
		}
		v = v.Set("branches", list)
	}
	if s.ref != "" {
		v = v.Set("ref", text(s.ref))
	}
	return v
}

// definitionName returns the name of what a reference leads to.
func definitionName(ref string) string { return ref[strings.LastIndexAny(ref, "/#")+1:] }
