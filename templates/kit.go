package templates

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

var (
	contractPath = youngPath + "/contract"
	valuesPath   = contractPath + "/values"
	kitPath      = contractPath + "/kit"
)

func kit(name string) *jen.Statement { return jen.Qual(kitPath, name) }

// kitWriter writes the test kit of a document, a package of its own.
type kitWriter struct {
	names    *names
	needs    *needs
	handlers *serverWriter
	taken    map[string]bool   // suffixes of Valid that are declared
	defs     map[string]string // the definitions that schemas share, by name
}

// GenerateKit returns the test kit of a document whose Go files are in the package with the import path target: a package that is called as the other one with
// "test" at the end, in a folder of that name. There is no file without a method or a tool of a server, or if Generate has diagnostics that are errors.
func GenerateKit(doc *ir.Document, opts Options, target string) ([]File, error) {
	p := newPlan(doc, opts)
	if p.names.diags.HasErrors() {
		return nil, nil
	}
	p.names.seenFrom(target)
	w := &kitWriter{names: p.names, needs: p.needs, handlers: newServerWriter(p), taken: map[string]bool{}, defs: map[string]string{}}
	out := newFile(doc.Package+"test/kit.gen.go", doc.Package+"test", Header(doc.File))
	f := out.code
	f.PackageComment("// Package " + doc.Package + "test is the test kit of package " + doc.Package + ": values of its types, a fake server, and contract tests.")
	f.ImportName(target, doc.Package)
	for _, each := range []string{runtimePath, mcpPath, contractPath, valuesPath, kitPath} {
		f.ImportName(each, path.Base(each))
	}
	p.names.importNames(f)
	if !w.emit(f) {
		return nil, nil
	}
	files, err := formatAll([]*file{out}, false)
	if err != nil {
		return nil, fmt.Errorf("generating the kit of %s: %w", doc.File, err)
	}
	return files, nil
}

// emit writes the whole kit.
func (w *kitWriter) emit(f *jen.File) bool {
	methods := w.names.servedMethods(serverSide)
	if len(methods) == 0 && !w.names.ownsServer() {
		return false
	}
	w.emitContract(f)
	if w.needs.side == Both {
		w.emitConnect(f)
	}
	shapes := w.shapes()
	if !w.names.ownsServer() {
		w.emitMethods(f, methods)
	}
	w.emitValues(f, shapes)
	w.emitFake(f, shapes)
	return true
}

// shape is a Go type whose values are drawn from a JSON Schema.
type shape struct {
	name   string // what follows Valid
	goType *jen.Statement
	schema string
	shares bool           // the schema refers to shared definitions
	union  *jen.Statement // the function that decodes it; nil for what decodes itself
	input  string         // the name of the tool, in Go, that takes it; empty for other shapes
	output bool           // it is drawn for the fake server only
}

func (s *shape) id() string { return "shape" + s.name }

// of makes the shape.
func (s *shape) of() jen.Code {
	args := []jen.Code{jen.Line().Add(inLines(s.schema))}
	if s.union != nil {
		args = append(args, s.union)
	}
	if s.shares {
		args = append(args, jen.Id("defs"))
	}
	if s.union != nil {
		return kit("OfUnion").Call(args...)
	}
	return kit("Of").Index(s.goType).Call(args...)
}

// inLines is a constant in lines of a fixed width.
func inLines(text string) jen.Code {
	const width = 160
	var parts []jen.Code
	for len(text) > 0 {
		end := min(width, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end--
		}
		part := jen.Lit(text[:end])
		if !strings.ContainsAny(text[:end], "`\r") {
			part = jen.Op("`" + text[:end] + "`")
		}
		parts = append(parts, part)
		text = text[end:]
	}
	return sum(parts, "+\n")
}

// withoutDescriptions is a JSON Schema without what is said for readers.
func withoutDescriptions(schema []byte) string {
	v, err := ir.ParseJSON(schema)
	if err != nil {
		return string(schema)
	}
	return jsonschema.WithoutWords(v).String()
}

// share gives a shape its schema, and moves definitions that it has in common with others out of it: all or, if one of them means something else in
// another schema, none.
func (w *kitWriter) share(s *shape, text []byte) {
	s.schema = withoutDescriptions(text)
	v, err := ir.ParseJSON([]byte(s.schema))
	if err != nil {
		return
	}
	i := slices.IndexFunc(v.Fields, func(m ir.Member) bool { return m.Name == "$defs" })
	if i < 0 {
		return
	}
	defs := v.Fields[i].Value.Fields
	for _, d := range defs {
		if known, ok := w.defs[d.Name]; ok && known != d.Value.String() {
			return
		}
	}
	for _, d := range defs {
		w.defs[d.Name] = d.Value.String()
	}
	v.Fields = slices.Delete(v.Fields, i, i+1)
	s.schema, s.shares = v.String(), true
}

// shapes lists the shapes of a document: what tools and methods take, what they give, and the declared types.
func (w *kitWriter) shapes() []*shape {
	var all []*shape
	add := func(s *shape, text []byte, err error) {
		if err != nil || w.taken[s.name] { // two imported types whose prefixed names meet: the type is left without
			return
		}
		w.taken[s.name] = true
		w.share(s, text)
		all = append(all, s)
	}
	for _, t := range w.names.tools {
		if t.Input != nil {
			text, err := jsonschema.ExportInput(w.names.doc, t.Input)
			if t.Schema != nil {
				text, err = []byte(t.Schema.String()), nil
			}
			add(&shape{name: t.name + "Input", goType: w.names.goType(t.Input), input: t.name}, text, err)
		}
		if t.Output != nil && t.Content == nil && t.View == nil {
			text, err := jsonschema.ExportOutput(w.names.doc, t.Output)
			add(&shape{name: t.name + "Output", goType: w.names.goType(t.Output), output: true}, text, err)
		}
	}
	for _, m := range w.names.servedMethods(serverSide) {
		if m.Params != nil {
			text, err := w.schemaOf(m.Params)
			add(&shape{name: m.name + "Params", goType: w.names.goType(m.Params)}, text, err)
		}
		if m.Items != nil {
			text, err := w.schemaOf(m.Items.Type)
			add(&shape{name: m.name + "Item", goType: w.names.goType(m.Items.Type), union: w.decoder(m.Items.Type), output: true}, text, err)
		}
		if m.Result != nil {
			text, err := w.schemaOf(m.Result)
			add(&shape{name: m.name + "Result", goType: w.names.goType(m.Result), union: w.decoder(m.Result), output: true}, text, err)
		}
	}
	for _, r := range w.names.resources {
		if contentOf(r) == contentJSON && w.decoder(r.Content) == nil {
			text, err := w.schemaOf(r.Content)
			add(&shape{name: "Read" + r.name + "Result", goType: w.names.goType(r.Content), output: true}, text, err)
		}
	}
	for _, t := range w.names.types {
		if t.decl == nil || t.isError || t.kind() == kindWrapper || t.kind() == kindUnion && w.names.doc.Compact || isAlias(t.typ) {
			continue
		}
		text, err := w.schemaOf(t.typ)
		s := &shape{name: t.name, goType: t.ident()}
		if t.kind() == kindUnion {
			s.union = t.sibling("Decode" + t.name)
		}
		add(s, text, err)
	}
	return all
}

func (w *kitWriter) schemaOf(t ir.Type) ([]byte, error) {
	return jsonschema.ExportType(w.names.doc, t, jsonschema.Options{Exact: true})
}

// decoder is the function that decodes a union; nil for other types.
func (w *kitWriter) decoder(t ir.Type) *jen.Statement {
	if own := w.names.of(t); own != nil && own.kind() == kindUnion {
		return own.sibling("Decode" + own.name)
	}
	return nil
}

// inOneLine is a function body of one line.
func inOneLine(statements ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ";"}, statements...)
}

func ofTesting(name string) *jen.Statement { return jen.Qual("testing", name) }

// emitContract writes what checks a server.
func (w *kitWriter) emitContract(f *jen.File) {
	boundary(f)
	f.Comment("Contract checks the server that conn reaches: each finding fails a subtest TOOL/CHECK. Tools that write are called with contract.AllowWrites.")
	conn, options := jen.Id("conn").Add(jen.Qual(contractPath, "Conn")), jen.Id("opts").Op("...").Add(jen.Qual(contractPath, "Option"))
	f.Func().Id("Contract").Params(jen.Id("t").Op("*").Add(ofTesting("T")), conn, options).BlockFunc(func(g *jen.Group) {
		g.Id("t.Helper").Call()
		opts := jen.Id("opts")
		if !w.names.ownsServer() {
			g.Id("published").Op(":=").Func().Params(jen.Id("o").Op("*").Add(jen.Qual(contractPath, "Options"))).Block(jen.Id("o.Methods").Op("=").Id("methods"))
			opts = jen.Append(jen.Index().Add(jen.Qual(contractPath, "Option")).Values(jen.Id("published")), jen.Id("opts").Op("..."))
		}
		g.Add(kit("Contract")).Call(jen.Id("t"), jen.Id("conn"), opts.Op("..."))
	})
}

// emitMethods writes what a plain server publishes.
func (w *kitWriter) emitMethods(f *jen.File, methods []*method) {
	boundary(f)
	f.Var().Id("methods").Op("=").Index().Add(jen.Qual(contractPath, "Method")).ValuesFunc(func(g *jen.Group) {
		for _, m := range methods {
			if m.Notification || m.Items != nil { // what checks servers waits for one answer to a request
				continue
			}
			params := jen.Index().Byte().Call(jen.Lit(`{"type":"object"}`))
			if w.taken[m.name+"Params"] {
				params = invoke("shape"+m.name+"Params", "Schema")
			}
			d := jen.Dict{jen.Id("Name"): w.names.ownName("Method" + m.name), jen.Id("Params"): params}
			if w.taken[m.name+"Result"] {
				setField(d, "Result", invoke("shape"+m.name+"Result", "Schema"))
			}
			if m.Idempotent {
				setField(d, "Idempotent", jen.True())
			}
			if errors := w.errorData(m); len(errors) > 0 {
				setField(d, "Errors", jen.Map(jen.Int64()).Index().Byte().Values(errors...))
			}
			g.Line().Values(d)
		}
		g.Line()
	})
}

// errorData are the schemas of the data of the errors of a method, by their codes.
func (w *kitWriter) errorData(m *method) (all []jen.Code) {
	for _, e := range m.Errors {
		if e.Data == nil {
			continue
		}
		if text, err := w.schemaOf(e.Data); err == nil {
			all = append(all, jen.Lit(int(e.Code)).Op(":").Index().Byte().Call(jen.Line().Add(inLines(withoutDescriptions(text)))))
		}
	}
	return all
}

// emitConnect writes what connects a client to a server in memory.
func (w *kitWriter) emitConnect(f *jen.File) {
	boundary(f)
	t, server := jen.Id("t").Add(ofTesting("TB")), jen.Id("server").Add(w.names.ownName("Server"))
	f.Comment("Connect returns a client of a server in memory. The connection is closed when the test ends.")
	client := jen.Op("*").Add(w.names.ownName("Client"))
	if w.names.ownsServer() {
		f.Func().Id("Connect").Params(t, server).Add(client).Block(
			jen.Id("t.Helper").Call(),
			jen.Return(w.names.ownName("NewClient").Call(kit("ConnectMCP").Call(jen.Id("t"), w.names.ownName("NewServer").Call(jen.Id("server"), mcp("Options").Values())))))
		return
	}
	params, callbacks := []jen.Code{t, server}, jen.Nil()
	if len(w.names.servedMethods(clientSide)) > 0 {
		params = append(params, jen.Id("callbacks").Add(w.names.ownName("Callbacks")))
		callbacks = w.names.ownName("NewCallbackHandler").Call(jen.Id("callbacks"))
	}
	f.Func().Id("Connect").Params(params...).Add(client).Block(
		jen.Id("t.Helper").Call(),
		jen.Return(w.names.ownName("NewClient").Call(kit("Connect").Call(jen.Id("t"), w.names.ownName("NewHandler").Call(jen.Id("server")), callbacks))))
}

// emitValues writes what draws values of shapes, and what tries them.
func (w *kitWriter) emitValues(f *jen.File, shapes []*shape) {
	boundary(f)
	if len(w.defs) > 0 {
		f.Comment("The definitions that the schemas of shapes have in common.")
		f.Var().Id("defs").Op("=").Add(kit("Defs")).ValuesFunc(func(g *jen.Group) {
			for _, name := range slices.Sorted(maps.Keys(w.defs)) {
				g.Line().Lit(name).Op(":").Add(inLines(w.defs[name]))
			}
			g.Line()
		})
		boundary(f)
	}
	f.Comment("Each shape draws values from a JSON Schema.")
	known := map[string]string{} // the shape of a type and a schema
	f.Var().DefsFunc(func(g *jen.Group) {
		for _, s := range shapes {
			key := fmt.Sprintf("%#v %v %s", s.goType, s.union != nil, s.schema)
			if first := known[key]; first != "" {
				g.Id(s.id()).Op("=").Id(first)
				continue
			}
			known[key] = s.id()
			g.Id(s.id()).Op("=").Add(s.of())
		}
	})
	shapes = slices.DeleteFunc(slices.Clone(shapes), func(s *shape) bool { return s.output })
	boundary(f)
	f.Comment("ValidX draws a value of X, and InvalidX JSON that breaks exactly one rule of X, which it names.")
	f.Var().DefsFunc(func(g *jen.Group) {
		for _, s := range shapes {
			g.List(jen.Id("Valid"+s.name), jen.Id("Invalid"+s.name)).Op("=").List(jen.Id(s.id()).Dot("Valid"), jen.Id(s.id()).Dot("Invalid"))
		}
	})
	shapes = slices.DeleteFunc(shapes, func(s *shape) bool { return s.input == "" })
	if len(shapes) == 0 {
		return
	}
	boundary(f)
	f.Comment("The fuzz targets call a tool with valid and invalid arguments: f.Fuzz reads the bytes of an input as the choices that draw them.")
	f.Var().DefsFunc(func(g *jen.Group) {
		for _, s := range shapes {
			g.Id("Fuzz"+s.input).Op("=").Add(kit("Fuzzer")).Call(w.names.ownName("Tool"+s.input), jen.Id(s.id()))
		}
	})
}

// fakeNames are the identifiers of the fake server that are free next to its methods.
type fakeNames struct{ function, calls, fake, sampled string }

func namesOfFake(handlers []handlerMethod) fakeNames {
	taken := func(name string) bool {
		return slices.ContainsFunc(handlers, func(h handlerMethod) bool { return h.name == name })
	}
	free := func(names ...string) string {
		return names[max(0, slices.IndexFunc(names, func(name string) bool { return !taken(name) }))]
	}
	suffix := func(s string) bool {
		return slices.ContainsFunc(handlers, func(h handlerMethod) bool { return taken(h.name + s) })
	}
	n := fakeNames{function: "Func", calls: free("Calls", "CallsMade", "AllCallsMade"), fake: "fake", sampled: free("Sampled", "SampledBySeed", "AllSampled")}
	for _, s := range []string{"Func", "Function", "HandlerFunc"} {
		if !suffix(s) {
			n.function = s
			break
		}
	}
	return n
}

// emitFake writes the fake server.
func (w *kitWriter) emitFake(f *jen.File, shapes []*shape) {
	handlers := slices.DeleteFunc(w.serverMethods(), func(h handlerMethod) bool { return h.fallback != nil })
	n := namesOfFake(handlers)
	outputs := map[string]*shape{}
	for _, s := range shapes {
		outputs[s.name] = s
	}
	boundary(f)
	f.Comment("FakeServer is a Server for tests: each method keeps what it is called with and calls the function of its name. One whose function is nil")
	f.Comment("fails the test, or after " + n.sampled + " answers a value that is drawn from its schema.")
	f.Type().Id("FakeServer").StructFunc(func(g *jen.Group) {
		g.Add(w.names.ownName("UnimplementedServer"))
		g.Id("fake").Op("*").Add(kit("Fake"))
		g.Line()
		for _, h := range handlers {
			g.Id(h.name + n.function).Func().Add(h.signature(false))
		}
		g.Line()
		g.Id(n.calls).StructFunc(func(g *jen.Group) {
			for _, h := range handlers {
				g.Id(h.name).Add(kit("Calls")).Index(h.argument())
			}
		})
	})
	boundary(f)
	f.Comment("NewFake returns a server whose methods fail the test until they get a function.")
	f.Func().Id("NewFake").Params(jen.Id("t").Add(ofTesting("TB"))).Op("*").Id("FakeServer").Add(
		inOneLine(jen.Return(jen.Op("&").Id("FakeServer").Values(jen.Dict{jen.Id("fake"): kit("NewFake").Call(jen.Id("t"))}))))
	boundary(f)
	f.Comment(n.sampled + " lets methods without a function answer drawn values. It returns s.")
	receiver := jen.Id("s").Op("*").Id("FakeServer")
	f.Func().Params(receiver).Id(n.sampled).Params(jen.Id("seed").Uint64()).Op("*").Id("FakeServer").Add(
		inOneLine(jen.Id("s.fake.Sampled").Call(jen.Id("seed")), jen.Return(jen.Id("s"))))
	boundary(f)
	for _, h := range handlers {
		f.Func().Params(jen.Id("s").Op("*").Id("FakeServer")).Id(h.name).Add(h.signature(true)).Add(inOneLine(jen.Return(h.fakeCall(n, outputs))))
	}
}

// serverMethods lists what a server implements.
func (w *kitWriter) serverMethods() []handlerMethod {
	if w.names.ownsServer() {
		return w.handlers.handlerMethods()
	}
	return ir.Each(w.names.servedMethods(serverSide), w.handlers.methodHandler)
}

// argument is the type of what a method takes, and an empty struct if it takes nothing.
func (h handlerMethod) argument() jen.Code {
	if h.takes == nil {
		return jen.Struct()
	}
	return jen.Add(h.takes)
}

// fakeCall is the call that a method of the fake server makes.
func (h handlerMethod) fakeCall(n fakeNames, outputs map[string]*shape) *jen.Statement {
	name := "Answer"
	args := []jen.Code{jen.Id("ctx"), jen.Id("s.fake"), jen.Lit(h.name)}
	if h.takes != nil {
		args = append(args, jen.Id(h.param))
	}
	args = append(args, jen.Op("&").Id("s").Dot(n.calls).Dot(h.name), selector("s", h.name+n.function))
	switch {
	case h.takes == nil && h.gives == nil:
		return kit("Run").Call(args...)
	case h.gives == nil:
		return kit("Do").Call(args...)
	case h.takes == nil:
		name = "Give"
	}
	out := jen.Nil()
	for _, suffix := range []string{"Output", "Result"} {
		if s := outputs[h.name+suffix]; s != nil && s.output {
			out = jen.Id(s.id())
		}
	}
	return kit(name).Call(append(args, out)...)
}
