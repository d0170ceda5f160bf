package typescript

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
	"github.com/rpcgen-go/rpcgen/templates"
)

// functions are the functions of a module, each with a name of its own.
type functions struct {
	*module
	taken map[string]bool
	all   []doc
}

// reservedWords are the words that cannot name a function in a module of JavaScript.
var reservedWords = strings.Fields(`arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for
	function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try
	typeof undefined var void while with yield`)

func (m *module) functions(taken ...string) *functions {
	return &functions{module: m, taken: ir.Set(append(taken, reservedWords...), func(name string) string { return name })}
}

// name returns a name for a function that is free, made of one in Go.
func (f *functions) name(exported string) string {
	name := templates.Unexported(exported)
	for f.taken[name] {
		name += "_"
	}
	f.taken[name] = true
	return name
}

// function is a function of a module.
type function struct {
	about  []string
	name   string
	params []doc
	result doc
	body   doc
}

func (f *functions) add(fn function) { f.all = append(f.all, fn.layout()) }

func (fn function) layout() doc {
	head := group{concat{"export function " + fn.name + "(", indent{concat{softline, join(concat{",", space}, fn.params)}}, alternative{",", ""}, softline,
		"): ", fn.result, " {"}}
	return concat{comment(fn.about), head, indent{concat{hardline{}, fn.body}}, hardline{}, "}"}
}

// silent matches texts and comments, which are not code. Template literals are found so that what they hold is not taken for either.
var silent = text.Pattern("`(?:[^`\\\\]|\\\\.)*`" + `|"(?:[^"\\\n]|\\.)*"|(?s:/\*.*?\*/)|//[^\n]*`)

// imports writes what a module imports: of another module the names that its code uses, and some always.
func (f *functions) imports(body, from string, names []string, always ...string) concat {
	body = silent().ReplaceAllStringFunc(body, func(one string) string {
		if one[0] == '`' {
			return one
		}
		return ""
	})
	var all []doc
	for _, name := range names {
		if !slices.Contains(always, name) && !regexp.MustCompile(`\b`+name+`\b`).MatchString(body) {
			continue
		}
		if unicode.IsUpper(rune(name[0])) && name != "Peer" && !strings.HasSuffix(name, "Error") {
			name = "type " + name
		}
		all = append(all, name)
	}
	var head concat
	if strings.Contains(body, "Numeral") {
		head = append(head, `import type { Numeral } from "./json.js";`, hardline{})
	}
	head = append(head, importFrom(from, all...), hardline{})
	if strings.Contains(body, "t.") {
		head = append(head, `import type * as t from "./types.js";`, hardline{})
	}
	return head
}

func importFrom(module string, names ...doc) doc {
	return group{concat{"import {", indent{concat{space, join(concat{",", space}, names)}}, alternative{",", ""}, space, `} from "./` + module + `.js";`}}
}

// text writes the functions.
func (f *functions) text() doc {
	var all concat
	for _, fn := range f.all {
		all = append(all, hardline{}, fn, hardline{})
	}
	return all
}

// typeName writes a type in a module that imports the types as t.
func (m *module) typeName(t ir.Type) string {
	return strings.Join(ir.Each(m.qualify(t), flat), " | ")
}

// qualify are the alternatives of a type where the types are imported as t.
func (m *module) qualify(t ir.Type) []doc {
	if e := m.namedEntry(t); e != nil {
		return []doc{"t." + e.name}
	}
	switch t := t.(type) {
	case *ir.Nullable:
		return append(m.qualify(t.Elem), "null")
	case *ir.List:
		if all := m.qualify(t.Elem); len(all) > 1 {
			return []doc{"(" + m.typeName(t.Elem) + ")[]"}
		}
		return []doc{m.typeName(t.Elem) + "[]"}
	case *ir.Map:
		return []doc{"{ [name: string]: " + m.typeName(t.Elem) + " }"}
	case *ir.Decimal:
		return []doc{"number", "bigint", "Numeral"}
	}
	return m.shape(t)
}

// client writes the module with the calls of methods; nothing if there are none.
func (m *module) client() string {
	if !slices.ContainsFunc(m.doc.Methods, func(o *ir.Method) bool { return !o.Embedded }) {
		return ""
	}
	f := m.functions("connect", "protocol", "t")
	for _, o := range m.doc.Methods {
		if o.Embedded {
			continue
		}
		name := m.names.Method(o)
		if o.Params != nil {
			m.nameIt(o.Params, name+"Params", "the params of "+o.Name)
		}
		if o.Result != nil {
			m.nameIt(o.Result, name+"Result", "the result of "+o.Name)
		}
		if o.Items != nil {
			m.streams = true
			m.nameIt(o.Items.Type, name+"Item", "an item of "+o.Name)
		}
		if o.From != ir.FromServer {
			f.calling(o, name)
		}
		if o.From != ir.FromClient {
			f.writeHandler(o, name)
		}
	}
	f.errors()
	body, peer, first := render(f.text()), "Peer", concat{}
	always := []string{"Peer", "PeerOptions", "Protocol", "Transport"}
	if m.streams {
		peer, always = "StreamPeer", always[2:]
		first = concat{importFrom("streams", "type ReadOptions", "type Stream", peer, "type StreamPeerOptions"), hardline{}}
	}
	head := f.imports(body, "peer", []string{"Answerer", "CallOptions", "Caller", "Listener", "Peer", "PeerOptions", "Protocol", "RPCError", "Transport"},
		always...)
	return render(concat{first, head, hardline{}, m.connect(peer), hardline{}}) + body
}

// connect writes the properties of the protocol, and what opens a connection.
func (m *module) connect(peer string) doc {
	var parts []doc
	p := m.doc.Protocol
	str := text.ScriptString
	if p.CancelMethod != "" {
		parts = append(parts, assign{"cancel:", object(assign{"method:", str(p.CancelMethod)}, assign{"id:", str(p.CancelID)})})
	}
	if p.Progress.Method != "" {
		progress := []doc{assign{"method:", str(p.Progress.Method)}, assign{"token:", str(p.Progress.Token)}, assign{"param:", str(p.Progress.Param)}}
		parts = append(parts, assign{"progress:", object(progress...)})
	}
	var positions []doc
	for _, o := range m.doc.Methods {
		s, ok := ir.Underlying(o.Params).(*ir.Struct)
		if o.Embedded || o.ParamsBy != ir.ByPosition || !ok {
			continue
		}
		names := ir.Each(s.Fields, func(f *ir.Field) doc { return str(f.Name) })
		positions = append(positions, assign{key(o.Name) + ":", array(names...)})
	}
	if len(positions) > 0 {
		parts = append(parts, assign{"positions:", spread(positions...)})
	}
	return concat{
		comment([]string{"The properties of the protocol that peers need."}), "export ", assign{"const protocol: Protocol =",
			spread(parts...)}, ";", hardline{}, hardline{},
		function{[]string{"Speaks the protocol over a transport."}, "connect", []doc{"transport: Transport", "options?: " + peer + "Options"}, peer,
			"return new " + peer + "(transport, { protocol, ...options });"}.layout(),
	}
}

// calling writes the function that calls a method.
func (f *functions) calling(o *ir.Method, name string) {
	caller, what := "caller: Caller", "Calls "
	if o.Items != nil {
		caller, what = "peer: StreamPeer", "Reads the stream of "
	}
	fn := function{name: f.name(name), params: []doc{caller}, about: commentLines(&o.Meta, what+o.Name+".", f.errorNames(o.Errors), scopeWords(o.Scopes))}
	args := []doc{text.ScriptString(o.Name)}
	var params doc = "undefined"
	if o.Params != nil {
		param := "params: " + f.paramsOf(o)
		if o.ParamsOptional && o.Notification {
			param = "params?: " + f.typeName(o.Params)
		}
		fn.params, params = append(fn.params, param), "params"
	}
	switch {
	case o.Notification:
		fn.result = "Promise<void>"
		if o.Params != nil {
			args = append(args, params)
		}
		fn.body = concat{"return ", call{"caller.notify", args}, ";"}
	case o.Items != nil:
		fn.params = append(fn.params, "options?: ReadOptions")
		types := []doc{f.typeName(o.Items.Type)}
		if o.Result != nil {
			types = append(types, f.typeName(o.Result))
		}
		fn.result = group{concat{"Stream<", indent{concat{softline, join(concat{",", space}, types)}}, softline, ">"}}
		fn.body = concat{"return ", call{"peer.stream", append(args, params, "options", form(o.Items))}, ";"}
	default:
		fn.params = append(fn.params, "options?: CallOptions")
		fn.result = "Promise<" + f.resultOf(o) + ">"
		fn.body = concat{"return ", call{"caller.call", append(args, params, "options")}, ";"}
	}
	f.add(fn)
}

// form writes how the items of a stream travel.
func form(i *ir.Items) doc {
	var parts []doc
	add := func(is bool, name string, value doc) {
		if is {
			parts = append(parts, assign{name + ":", value})
		}
	}
	str := text.ScriptString
	add(i.First, "method", str(i.End))
	add(i.First && i.EndID != "", "id", str(i.EndID))
	end := object(parts...)
	parts = nil
	add(true, "method", str(i.Method))
	add(true, "id", str(i.ID))
	add(true, "item", str(i.Value))
	add(i.First, "end", end)
	add(i.Buffer > 0, "buffer", strconv.Itoa(i.Buffer))
	add(i.Bytes > 0, "bytes", strconv.Itoa(i.Bytes))
	add(i.Oldest, "over", str("oldest"))
	return object(parts...)
}

func (f *functions) resultOf(o *ir.Method) string {
	if o.Result == nil {
		return "void"
	}
	return f.typeName(o.Result)
}

func (f *functions) paramsOf(o *ir.Method) string {
	switch {
	case o.Params == nil:
		return "undefined"
	case o.ParamsOptional:
		return f.typeName(o.Params) + " | undefined"
	}
	return f.typeName(o.Params)
}

// writeHandler writes the function that sets what is done when the server calls a method.
func (f *functions) writeHandler(o *ir.Method, name string) {
	of, lead, what := f.paramsOf(o), "Handle", "Answers "
	var handler doc = group{concat{"handler: Answerer<", indent{concat{softline, of, ",", space, f.resultOf(o)}}, softline, ">"}}
	if o.Notification {
		lead, what, handler = "On", "Takes ", "handler: Listener<"+of+">"
	}
	f.add(function{
		about: commentLines(&o.Meta, what+o.Name+"."), name: f.name(lead + name), result: "void", params: []doc{"peer: Peer", handler},
		body: concat{call{"peer.on", []doc{text.ScriptString(o.Name), "handler"}}, ";"},
	})
}

// errorNames names the errors that something answers with.
func (f *functions) errorNames(errors []*ir.Error) string {
	names := ir.Each(errors, func(e *ir.Error) string { return e.Name })
	if len(names) == 0 {
		return ""
	}
	return "Errors: " + strings.Join(names, ", ") + "."
}

// scopeWords names the scopes that callers need.
func scopeWords(scopes []string) string {
	if len(scopes) == 0 {
		return ""
	}
	return "Scopes: " + strings.Join(scopes, ", ") + "."
}

// errors writes what tells declared errors apart.
func (f *functions) errors() {
	for _, e := range f.doc.Errors {
		if !e.OfTool {
			f.tells(e, "RPCError", strconv.Itoa(e.Code))
		}
	}
}

// tells writes what reports whether an error of a class is a declared one, by its code.
func (f *functions) tells(e *ir.Error, class, code string) {
	name, _ := f.names.Error(e)
	data := "unknown"
	if e.Data != nil {
		f.nameIt(e.Data, name+"Data", "the data of "+e.Name)
		data = f.typeName(e.Data)
	}
	f.add(function{
		about: commentLines(&e.Meta, "", "Reports whether an error is "+e.Name+"."), name: f.name("Is" + name),
		params: []doc{"error: unknown"}, result: "error is " + class + "<" + data + ">",
		body: "return error instanceof " + class + " && error.code === " + code + ";",
	})
}

// checks writes which checks the params and results of methods have.
func (m *module) checks() []doc {
	var all []doc
	for _, o := range m.doc.Methods {
		if o.Embedded {
			continue
		}
		var parts []doc
		if o.Params != nil {
			parts = append(parts, assign{"params:", call{"r.accepts", []doc{m.check(o.Params)}}})
		}
		if o.Result != nil {
			parts = append(parts, assign{"result:", call{"r.accepts", []doc{m.check(o.Result)}}})
		}
		if o.Items != nil {
			parts = append(parts, assign{"item:", call{"r.accepts", []doc{m.check(o.Items.Type)}}})
		}
		if len(parts) > 0 {
			all = append(all, assign{key(o.Name) + ":", spread(parts...)})
		}
	}
	if len(all) == 0 {
		return nil
	}
	checks := "r.Checks"
	if m.streams {
		checks = "StreamChecks"
	}
	return []doc{concat{
		comment([]string{"The checks of params and results, for the options of a peer."}), "export const checks: " + checks + " = () => (", spread(all...), ");",
	}}
}
