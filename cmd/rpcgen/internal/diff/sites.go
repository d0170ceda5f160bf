package diff

import "github.com/rpcgen-go/rpcgen/schema/ir"

// sites lists the places that refer to each declaration of a document: two types that the same places refer to are likely one type.
func (c *pairing) sites(doc *ir.Document) map[*ir.Decl][]string {
	all := map[*ir.Decl][]string{}
	for _, d := range doc.Types {
		referrers(d.Type, "types/"+d.Name, all)
	}
	for _, e := range declaredErrors(doc) {
		referrers(e.Data, "errors/"+e.Name, all)
	}
	for _, m := range c.callsOf(doc) {
		referrers(m.Params, "methods/"+m.Name+"/params", all)
		referrers(m.Result, "methods/"+m.Name+"/result", all)
	}
	return all
}

// referrers adds the places within a type, which lies at path.
func referrers(t ir.Type, path string, all map[*ir.Decl][]string) {
	switch t := t.(type) {
	case *ir.Ref:
		all[t.Decl] = append(all[t.Decl], path)
	case *ir.List:
		referrers(t.Elem, path+"/items", all)
	case *ir.Map:
		referrers(t.Elem, path+"/values", all)
	case *ir.Nullable:
		referrers(t.Elem, path, all)
	case *ir.Union:
		for _, b := range t.Branches {
			referrers(b.Type, path+"/branch", all)
		}
	case *ir.Tuple:
		for _, f := range t.Items {
			referrers(f.Type, path+"/"+f.Name, all)
		}
		if t.Rest != nil {
			referrers(t.Rest, path+"/rest", all)
		}
	case *ir.Struct:
		for _, f := range t.Fields {
			referrers(f.Type, path+"/"+f.Name, all)
		}
	}
}
