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
		for name, t := range m.Types() {
			referrers(t, "methods/"+m.Name+"/"+name, all)
		}
	}
	return all
}

// referrers adds the places within a type, which lies at path.
func referrers(t ir.Type, path string, all map[*ir.Decl][]string) {
	if r, ok := t.(*ir.Ref); ok {
		all[r.Decl] = append(all[r.Decl], path)
	}
	for part := range ir.Parts(t) {
		switch {
		case part.Branch != nil:
			referrers(part.Type, path+"/branch", all)
		case part.Field == nil && part.Name == "additional": // objects are told by their fields
		case part.Name == "":
			referrers(part.Type, path, all)
		default:
			referrers(part.Type, path+"/"+part.Name, all)
		}
	}
}
