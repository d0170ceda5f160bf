package openapi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// operation is one operation of a description.
type operation struct {
	source.Part
	item   source.Part // the path item that it stands in
	id     string      // operationId; empty if it has none
	method string      // in lower case
	path   string
	tags   []string
	twice  bool   // another operation has its id
	mark   string // what x-mcp says: take, leave or nothing
	ours   bool   // package protobuf wrote it
}

// says is what package protobuf says of the operation under a key; empty for descriptions that others wrote.
func (o *operation) says(key string) string {
	if said, _ := o.Get(key); o.ours {
		return said.Text
	}
	return ""
}

// label is how people name the operation, and x-import does: its id where no other has it, or its method and path.
func (o *operation) label() string {
	if o.id != "" && !o.twice {
		return o.id
	}
	return o.line()
}

// line is its method and path.
func (o *operation) line() string { return strings.ToUpper(o.method) + " " + o.path }

// place is its method and path without the names of the parts of the path.
func (o *operation) place() string { return o.method + " " + inBraces().ReplaceAllString(o.path, "{}") }

// methods are the methods of HTTP that tools can send.
var methods = []string{"get", "head", "post", "put", "patch", "delete"}

// sent reports whether tools can send the method of the operation.
func (o *operation) sent() bool { return slices.Contains(methods, o.method) }

// operations lists the operations of a description, in its order.
func (d *description) operations() []*operation {
	paths, ok := d.root.Sub("paths")
	if !ok && !d.root.Has("webhooks") && !d.root.Has("components") {
		d.faults.Note(d.root.Pos, d.root.Pointer, "paths lists the operations of an API", "the description has no paths")
		return nil
	}
	if ok && paths.Kind != ir.Object {
		d.faults.Note(paths.Pos, paths.Pointer, "", "paths must be an object, not %s", paths.Kind)
		return nil
	}
	var all []*operation
	for _, p := range paths.Members() {
		if strings.HasPrefix(p.Name, "x-") {
			continue
		}
		item, fault := d.resolve(paths.Of(p.Cursor))
		switch {
		case fault != nil:
			d.faults = append(d.faults, fault)
			continue
		case item.Kind != ir.Object:
			d.faults.Note(item.Pos, item.Pointer, "", "the operations of a path are an object, not %s", item.Kind)
			continue
		}
		all = append(all, d.operationsOf(item, item, p.Name)...)
		if len(all) > mostOperation {
			d.faults.Note(paths.Pos, paths.Pointer, "import it in parts", "the description has more than %d operations", mostOperation)
			return nil
		}
	}
	first := map[string]*operation{}
	for _, op := range all {
		if other := first[op.id]; other != nil {
			op.twice, other.twice = true, true
		}
		first[op.id] = op
	}
	return all
}

// operationsOf lists the operations of a path: all that are objects, whether or not tools send their methods, and additionalOperations of revision 3.2.
func (d *description) operationsOf(item, members source.Part, path string) (all []*operation) {
	for _, m := range members.Fields {
		part, _ := members.Sub(m.Name)
		switch known := slices.Contains(methods, m.Name); {
		case m.Name == "additionalOperations":
			all = append(all, d.operationsOf(item, part, path)...)
		case strings.HasPrefix(m.Name, "x-"), part.Kind != ir.Object && !known:
		case part.Kind != ir.Object:
			d.faults.Note(part.Pos, part.Pointer, "", "an operation is an object, not %s", part.Kind)
		default:
			part, fault := d.resolve(part) // an operation may have a file of its own
			if fault != nil {
				d.faults = append(d.faults, fault)
				continue
			}
			all = append(all, d.operation(item, part, m.Name, path))
		}
	}
	return all
}

func (d *description) operation(item, part source.Part, method, path string) *operation {
	o := &operation{Part: part, item: item, id: strings.TrimSpace(part.TextOf("operationId")), method: method, path: path, ours: d.ours}
	for _, tag := range part.ElementsOf("tags") {
		if tag.Kind == ir.Text {
			o.tags = append(o.tags, tag.Text)
		}
	}
	mark, marked := part.Get("x-mcp")
	if enabled, ok := mark.Get("enabled"); ok {
		mark = enabled
	}
	if marked && mark.Kind == ir.Boolean {
		o.mark = map[string]string{"true": "take", "false": "leave"}[mark.Text]
	}
	return o
}

// parameter is a parameter of an operation with its references followed.
type parameter struct {
	source.Part
	name, in string
	required bool
	list     int  // 0 of the path, 1 of the operation
	twice    bool // another one of the same list has the name and place
}

// parameters are those of an operation and of its path. One of an operation stands for that of its path with the same name and place.
func (d *description) parameters(o *operation) (all []parameter, fault *source.Fault) {
	at := map[string]int{}
	for n, of := range []source.Part{o.item, o.Part} {
		for _, item := range of.ElementsOf("parameters") {
			p, fault := d.resolve(of.Of(item))
			if fault != nil {
				return nil, fault
			}
			one := parameter{p, p.TextOf("name"), p.TextOf("in"), p.IsTrue("required"), n, false}
			if one.name == "" && one.in != "body" || one.in == "" {
				return nil, &source.Fault{Pos: p.Pos, Pointer: p.Pointer, Message: "a parameter needs name and in"}
			}
			key := one.in + " " + one.name
			if one.in == "header" {
				key = strings.ToLower(key)
			}
			if i, there := at[key]; there {
				one.twice = all[i].list == n
				all[i] = one
				continue
			}
			at[key] = len(all)
			all = append(all, one)
		}
	}
	return all, nil
}

// response is what an operation answers with one status.
type response struct {
	source.Part
	status string
}

// answers are what an operation answers, in the order of the description, with their references followed.
func (d *description) answers(o *operation) (all []response, fault *source.Fault) {
	list, _ := o.Sub("responses")
	list = d.follow(list)
	for _, m := range list.Members() {
		if strings.HasPrefix(m.Name, "x-") {
			continue
		}
		r, fault := d.resolve(list.Of(m.Cursor))
		if fault != nil {
			return nil, fault
		}
		all = append(all, response{r, strings.ToLower(m.Name)})
	}
	return all, nil
}

// fails reports whether the status of an answer says that a call was not carried out.
func (a response) fails() bool {
	return a.status == "default" || len(a.status) == 3 && (a.status[0] == '4' || a.status[0] == '5')
}

// media is a kind of content with its schema.
type media struct {
	source.Part        // the media type object; of revision 2.0 the answer or the parameter
	name        string // in lower case, without parameters
}

// schema is the schema of a content, and whether it has one.
func (m media) schema() (source.Part, bool) { return m.Sub("schema") }

// contents are the kinds of content of a body or an answer. In revision 2.0 they are those of the operation, or of the description.
func (d *description) contents(o *operation, of source.Part, key string) (all []media) {
	if !d.two {
		content, _ := of.Sub("content")
		content = d.follow(content)
		for _, m := range content.Members() {
			all = append(all, media{d.follow(content.Of(m.Cursor)), mediaName(m.Name)})
		}
		return all
	}
	list, ok := o.Get(key)
	if !ok {
		list, _ = d.root.Get(key)
	}
	for _, m := range list.Elements() {
		all = append(all, media{of, mediaName(m.Text)})
	}
	if len(all) == 0 {
		all = append(all, media{of, "application/json"})
	}
	return all
}

// follow is what a value refers to, where the format has no references and people write them all the same.
func (d *description) follow(p source.Part) source.Part {
	if target, fault := d.resolve(p); fault == nil {
		return target
	}
	return p
}

func mediaName(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(s))
}

// isJSON reports whether a kind of content is JSON.
func isJSON(name string) bool {
	return name == "application/json" || name == "text/json" || strings.HasSuffix(name, "+json") || name == "*/*" || name == "application/*"
}

// statusOf is the number of a status; 0 if it is a range.
func statusOf(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// note notes something of the operation. What is noted of several is said once.
func (b *toolBuilder) note(text string) {
	if b.l.noted[text] = append(b.l.noted[text], b.op.label()); len(b.l.noted[text]) == 1 {
		b.l.notes = append(b.l.notes, text)
	}
}

// inPath is the name that the path has for a parameter: its own, or one of the same words that no other parameter has.
func (b *toolBuilder) inPath(name string, all []parameter) string {
	named := placeholders(b.op.path)
	if slices.Contains(named, name) {
		return name
	}
	words := func(s string) string { return strings.Join(wordsOf(s), " ") }
	alike := slices.DeleteFunc(named, func(is string) bool {
		return words(is) != words(name) || slices.ContainsFunc(all, func(p parameter) bool { return p.in == "path" && p.name == is })
	})
	others := slices.ContainsFunc(all, func(p parameter) bool { return p.in == "path" && p.name != name && words(p.name) == words(name) })
	if len(alike) != 1 || others {
		b.drops("path", name, false, "is not in the path "+b.op.path)
		return name
	}
	b.note("the path calls the parameter " + name + " " + alike[0])
	return alike[0]
}
