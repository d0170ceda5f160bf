package templates

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// emitInfo writes what clients learn of the server and of all that it declares, as constants.
func (w *toolWriter) emitInfo(f *jen.File) {
	boundary(f)
	f.Comment("declarations is what the schema declares, as runtime/mcp asks for it.")
	f.Type().Id("declarations").Struct(jen.Id("server").Id("Server"))
	boundary(f)
	f.Comment("Info implements mcp.Declarations.")
	f.Func().Params(declarations(false)).Id("Info").Params().Op("*").Add(mcp("Info")).Block(
		jen.Return(jen.Op("&").Add(mcp("Info")).Values(w.info())))
	resources, templates := w.names.byKind()
	emitList(w, f, "toolList", w.names.tools, w.toolEntry)
	emitList(w, f, "resourceList", resources, w.resourceEntry)
	emitList(w, f, "templateList", templates, w.resourceEntry)
	emitList(w, f, "promptList", w.names.prompts, w.promptEntry)
}

// hasProfiles reports whether there are listings of the tools for some clients.
func (w *toolWriter) hasProfiles() bool {
	return len(w.names.doc.Server.Profiles) > 0 && len(w.names.tools) > 0
}

func (w *toolWriter) info() jen.Dict {
	s := w.names.doc.Server
	d := jen.Dict{jen.Id("Name"): jen.Lit(s.Name), jen.Id("Version"): jen.Lit(s.Version)}
	set := func(name string, is bool, value jen.Code) {
		if is {
			setField(d, name, value)
		}
	}
	set("Title", s.Title != "", jen.Lit(s.Title))
	set("Description", s.Doc != "", rawLines(s.Doc))
	set("Website", s.Website != "", jen.Lit(s.Website))
	set("Instructions", s.Instructions != "", rawLines(s.Instructions))
	set("Icons", len(s.Icons) > 0, raw(icons(s.Icons)))
	set("Revisions", true, jen.Index().String().ValuesFunc(func(g *jen.Group) {
		for _, r := range s.Revisions {
			g.Lit(r)
		}
	}))
	set("TTLMs", s.TTLMillis > 0, jen.Lit(int(s.TTLMillis)))
	set("Scope", s.Scope != "", jen.Lit(s.Scope))
	set("Tools", len(w.names.tools) > 0, jen.Id("toolList"))
	set("Profiles", w.hasProfiles(), jen.Id("toolProfiles").Call())
	resources, templates := w.names.byKind()
	set("Resources", len(resources) > 0, jen.Id("resourceList"))
	set("Templates", len(templates) > 0, jen.Id("templateList"))
	set("Prompts", len(w.names.prompts) > 0, jen.Id("promptList"))
	set("Completions", w.completions(), jen.True())
	set("Subscribe", slices.ContainsFunc(w.names.resources, func(r *resource) bool { return r.Subscribe }), jen.True())
	if w.names.rated(serverSide) {
		setField(d, "Limiter", newLimiter(serverSide).Dot("Middleware"))
	}
	set("Tasks", w.names.hasTasks(), jen.Map(jen.String()).Bool().CustomFunc(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, func(g *jen.Group) {
		for _, t := range w.names.tools {
			if t.Task != ir.TaskNever {
				g.Id("Tool" + t.name).Op(":").Lit(t.Task == ir.TaskRequired)
			}
		}
	}))
	set("Permit", slices.ContainsFunc(w.names.tools, func(t *tool) bool { return len(t.Scopes) > 0 }), selector("scopes", "Tool"))
	own := ir.Where(w.names.codedErrors(), func(e *errorType) bool { return e.Reserved })
	reserved := ir.Each(own, func(e *errorType) jen.Code { return jen.Id(e.code) })
	set("ReservedCodes", len(reserved) > 0, jen.Index().Int64().Values(reserved...))
	set("Headers", len(w.names.headers()) > 0, jen.Id("toolHeaders").Call())
	return d
}

// emitList writes the entries of a list, each a constant, and the list of them all: the compiler joins them. Large definitions of schemas are
// constants of their own: many entries may have the same.
func emitList[T any](w *toolWriter, f *jen.File, list string, all []T, entry func(T) (name, what, listed string, text *entry)) {
	if len(all) == 0 {
		return
	}
	texts, consts, whats := make([]string, len(all)), make([]string, len(all)), make([]string, len(all))
	for i, one := range all {
		name, what, listed, text := entry(one)
		consts[i], whats[i], texts[i] = name, what, cmp.Or(listed, text.String())
	}
	shared := namedDefinitions(texts)
	for i, name := range shared.names {
		boundary(f)
		remark(f, name+" is a definition in the entries of the list.")
		key, value := shared.parts(i)
		f.Const().Id(name).Op("=").Add(join([]jen.Code{raw(key), jsonConstant(value, false)}, "+"))
	}
	names := []jen.Code{raw("[")}
	for i, text := range texts {
		boundary(f)
		remark(f, consts[i]+" is "+whats[i]+" in the list.")
		f.Const().Id(consts[i]).Op("=").Add(jsonConstantOf(shared.cut(text), true, shared.names))
		if i > 0 {
			names = append(names, raw(","))
		}
		names = append(names, jen.Id(consts[i]))
		w.calls.flush()
	}
	boundary(f)
	f.Comment(list + " is the list that clients get, in the order of the schema.")
	f.Const().Id(list).Op("=").Add(sumOfList(append(names, raw("]"))))
}

// leastNamed is how many bytes a definition has that is a constant of its own.
const leastNamed = 500

// definitionConstants are members of $defs in JSON texts that are constants of their own.
type definitionConstants struct {
	names, texts []string
	at           map[string]int // where each stands in texts
}

func namedDefinitions(all []string) *definitionConstants {
	d := &definitionConstants{at: map[string]int{}}
	for _, text := range all {
		eachDefinition(text, func(start, end int) {
			member := text[start:end]
			if _, known := d.at[member]; known || len(member) < leastNamed {
				return
			}
			d.at[member] = len(d.texts)
			d.texts = append(d.texts, member)
			key, _ := d.parts(len(d.texts) - 1)
			name := "listed" + newNamer(nil).export(strings.Trim(key, `":`))
			for n, base := 2, name; slices.Contains(d.names, name); n++ { // such as of two sides
				name = base + strconv.Itoa(n)
			}
			d.names = append(d.names, name)
		})
	}
	return d
}

// parts are a key with its colon, and a value.
func (d *definitionConstants) parts(i int) (key, value string) {
	b := jsonBreaker{text: d.texts[i]}
	end := b.skip(0) + 1
	return d.texts[i][:end], d.texts[i][end:]
}

// cut puts marks in a JSON text where the constants stand, see [jsonConstantOf].
func (d *definitionConstants) cut(text string) string {
	var b strings.Builder
	done := 0
	eachDefinition(text, func(start, end int) {
		if i, ok := d.at[text[start:end]]; ok {
			b.WriteString(text[done:start])
			b.WriteString("\"\x00" + strconv.Itoa(i) + "\"")
			done = end
		}
	})
	return b.String() + text[done:]
}

// eachDefinition visits the members of the outermost $defs in a compact JSON text.
func eachDefinition(text string, visit func(start, end int)) {
	const key = `"$defs":{`
	b := jsonBreaker{text: text}
	for i := 0; ; {
		next := strings.Index(text[i:], key)
		if next < 0 {
			return
		}
		if i += next + len(key); text[i-len(key)-1] == '\\' { // within a text
			continue
		}
		for text[i] == '"' {
			end := b.skip(b.skip(i) + 1)
			visit(i, end)
			if i = end; text[i] == ',' {
				i++
			}
		}
	}
}

// sumOfList adds up the constants of a list, one on each line if they are many: a bracket, entries with commas between them, a bracket.
func sumOfList(all []jen.Code) *jen.Statement {
	const few = 8
	if len(all) <= few {
		return sum(all, "+")
	}
	var lines []jen.Code
	for pair := range slices.Chunk(all[:len(all)-1], 2) {
		lines = append(lines, join(pair, "+"))
	}
	return sum(append(lines, all[len(all)-1]), "+\n")
}

// entry is a JSON object whose members are written one by one.
type entry struct{ members []string }

// add adds a member whose value is JSON.
func (e *entry) add(name, value string) { e.members = append(e.members, jsonString(name)+":"+value) }

// text adds a member that is text, unless that is empty.
func (e *entry) text(name, text string) {
	if text != "" {
		e.add(name, jsonString(text))
	}
}

func (e *entry) String() string { return "{" + strings.Join(e.members, ",") + "}" }

func (w *toolWriter) toolEntry(t *tool) (name, what, listed string, text *entry) {
	e := new(entry)
	e.text("name", t.Name)
	e.text("title", t.Title)
	e.text("description", t.Doc+t.DocEnd)
	e.add("inputSchema", w.inputSchema(t))
	if t.Output != nil {
		e.add("outputSchema", schemaText(jsonschema.ExportOutput(w.names.doc, t.Published())))
	}
	if hints := hints(t.Hints); len(hints.members) > 0 {
		e.add("annotations", hints.String())
	}
	if t.Task != ir.TaskNever {
		e.add("execution", `{"taskSupport":`+jsonString(t.Task.String())+"}")
	}
	e.icons(t.Icons)
	meta := ""
	if t.MetaData != nil {
		meta = strings.TrimSuffix(jsonText(*t.MetaData), "}")
	}
	if len(t.Scopes) > 0 {
		if meta = cmp.Or(meta, "{"); meta != "{" {
			meta += ","
		}
		meta += `"io.github.rpcgen-go/scopes":` + jsonStrings(t.Scopes)
	}
	if meta != "" {
		e.add("_meta", meta+"}")
	}
	return w.names.hiddenName(t.name, "Tool"), "the tool " + t.Name, t.Listed, e
}

func (w *toolWriter) inputSchema(t *tool) string {
	if t.Schema != nil {
		return jsonText(*t.Schema)
	}
	if t.Input == nil {
		return `{"type":"object","properties":{},"additionalProperties":false}`
	}
	return schemaText(jsonschema.ExportInput(w.names.doc, t.Input))
}

// schemaText is an exported schema. Two imported types whose prefixed names meet have none that holds both: any object then.
func schemaText(text []byte, err error) string {
	if err != nil {
		return `{"type":"object"}`
	}
	return string(text)
}

func hints(h ir.Hints) *entry {
	e := new(entry)
	e.text("title", h.Title)
	for _, one := range h.Said() {
		e.add(one.Name+"Hint", one.Hint.String())
	}
	return e
}

func (e *entry) icons(all []ir.Icon) {
	if len(all) > 0 {
		e.add("icons", icons(all))
	}
}

// icons is a JSON array of icons.
func icons(all []ir.Icon) string {
	texts := make([]string, len(all))
	for i, icon := range all {
		e := new(entry)
		e.text("src", icon.Src)
		e.text("mimeType", icon.MIMEType)
		if len(icon.Sizes) > 0 {
			e.add("sizes", jsonStrings(icon.Sizes))
		}
		e.text("theme", icon.Theme)
		texts[i] = e.String()
	}
	return "[" + strings.Join(texts, ",") + "]"
}

func jsonStrings(all []string) string { return "[" + strings.Join(ir.Each(all, jsonString), ",") + "]" }

func (w *toolWriter) resourceEntry(r *resource) (name, what, listed string, text *entry) {
	e := new(entry)
	kind := "resource"
	if r.Template == nil {
		e.text("uri", r.URI)
	} else {
		kind = "template"
		e.text("uriTemplate", r.Template.Text)
	}
	e.text("name", r.Name)
	e.text("title", r.Title)
	e.text("description", r.Doc+r.DocEnd)
	e.text("mimeType", mimeType(r))
	if r.Size >= 0 {
		e.add("size", strconv.FormatInt(r.Size, 10))
	}
	if !r.Annotations.IsZero() {
		e.add("annotations", annotations(r.Annotations))
	}
	e.icons(r.Icons)
	if r.MetaData != nil {
		e.add("_meta", jsonText(*r.MetaData))
	}
	return w.names.hiddenName(r.name, strings.ToUpper(kind[:1])+kind[1:]), "the " + kind + " " + r.Name, r.Listed, e
}

func annotations(a ir.Annotations) string {
	e := new(entry)
	if len(a.Audience) > 0 {
		e.add("audience", jsonStrings(a.Audience))
	}
	if a.Priority != "" {
		e.add("priority", a.Priority)
	}
	e.text("lastModified", a.LastModified)
	return e.String()
}

func (w *toolWriter) promptEntry(o *prompt) (name, what, listed string, text *entry) {
	e := new(entry)
	e.text("name", o.Name)
	e.text("title", o.Title)
	e.text("description", o.Doc+o.DocEnd)
	if o.Arguments != nil && len(o.Arguments.Fields) > 0 {
		all := ir.Each(o.Arguments.Fields, func(f *ir.Field) string { return argument(f).String() })
		e.add("arguments", "["+strings.Join(all, ",")+"]")
	}
	e.icons(o.Icons)
	return w.names.hiddenName(o.name, "Prompt"), "the prompt " + o.Name, o.Listed, e
}

func argument(f *ir.Field) *entry {
	e := new(entry)
	e.text("name", f.Name)
	e.text("title", f.Title)
	e.text("description", f.Doc+f.DocEnd)
	if !f.Optional {
		e.add("required", "true")
	}
	return e
}
