package importer

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// sideOf says who sends the members of the unions that MCP names by side.
var sideOf = map[string]string{
	"ClientRequest": "client", "ClientNotification": "client",
	"ServerRequest": "server", "ServerNotification": "server",
	"AgentRequest": "server", "AgentNotification": "server", // ACP: the agent is what serves
}

// protocol declares the methods, notifications and errors of classified definitions, and what it knows of the protocol.
func (i *draft) protocol(all []*definition) {
	i.senders = i.findSenders(all)
	results := i.resultsOf(all)
	messages(i, all, request, results)
	messages(i, all, notification, results)
	for _, d := range all {
		switch d.role {
		case side:
			i.conv.Report.Sides = append(i.conv.Report.Sides, d.Name)
		case errorObject:
			i.errorType(d)
		case answer, envelope:
			if !d.isType {
				i.conv.Report.Envelopes = append(i.conv.Report.Envelopes, d.Name)
			}
		}
	}
	i.describeProtocol(all)
}

// findSenders maps each method to the sides whose unions name it. A union of one member is written as a copy of it.
func (i *draft) findSenders(all []*definition) map[string][]string {
	senders := map[string][]string{}
	for _, d := range all {
		from, ok := sideOf[d.Name]
		if !ok {
			continue
		}
		sent := branchesOf(d.Cursor)
		if sent == nil {
			sent = []source.Cursor{d.Cursor}
		}
		for _, m := range sent {
			if m.Has("$ref") {
				m, _ = i.conv.Resolve(m)
			}
			method := methodOf(m)
			if method == "" && len(sent) > 1 {
				i.conv.Report.Ignore(m.Pointer) // it is not a request, and no notification
			}
			if method != "" && !slices.Contains(senders[method], from) {
				senders[method] = append(senders[method], from)
			}
		}
	}
	return senders
}

// messages declares the requests or the notifications of definitions; a copy of one declares nothing.
func messages(i *draft, all []*definition, is role, results results) {
	seen := map[string]bool{}
	for _, d := range all {
		if d.role == is && !seen[d.method] {
			seen[d.method] = true
			i.method(d, results)
		}
	}
}

// method declares a request or a notification.
func (i *draft) method(d *definition, results results) {
	m := tree.Mapping()
	if doc := d.TextOf("description"); doc != "" {
		tree.Set(m, "description", tree.Text(doc))
	}
	switch from := i.senders[d.method]; {
	case len(from) == 2:
		tree.Set(m, "from", tree.Text("both"))
	case len(from) == 1 && from[0] == "server":
		tree.Set(m, "from", tree.Text("server"))
	case len(from) == 0 && d.isType:
		tree.Set(m, "from", tree.Text("server")) // it asks within a result, and results are what servers send
		tree.Set(m, "embedded", tree.Plain("true"))
	}
	i.params(m, d)
	section := "methods"
	if d.role == notification {
		section = "notifications"
	} else {
		i.result(m, d, results)
	}
	if len(m.Content) == 0 {
		m = tree.Plain("")
	}
	declareMessage(i, section, d.method, m, d.Cursor)
}

// params declares what a request carries.
func (i *draft) params(m *yaml.Node, d *definition) {
	p, ok := d.Path("properties", "params")
	if !ok {
		return
	}
	key := "params?"
	if slices.Contains(convert.RequiredOf(d.Cursor), "params") {
		key = "params"
	}
	tree.Set(m, key, i.expression(d.Name+"Params", p))
}

// result finds what a request answers: what the whole response says that is called after it, the type that is, or nothing.
func (i *draft) result(m *yaml.Node, d *definition, known results) {
	base := strings.TrimSuffix(d.Name, "Request")
	for _, suffix := range []string{"ResultResponse", "SuccessResponse", "Response"} {
		if r, ok := known.answers[base+suffix]; ok {
			tree.Set(m, "result", i.expression(base+"Answer", r))
			return
		}
	}
	for _, name := range []string{base + "Result", base + "Response", "EmptyResult"} {
		if other, ok := known.types[name]; ok {
			tree.Set(m, "result", tree.Text(i.conv.Names[other.Pointer]))
			return
		}
	}
	i.conv.Report.NoResult = append(i.conv.Report.NoResult, d.method)
}

// results are what requests may answer, by the names of definitions: what stands in whole responses, and types.
type results struct{ answers, types map[string]source.Cursor }

func (i *draft) resultsOf(all []*definition) results {
	known := results{map[string]source.Cursor{}, map[string]source.Cursor{}}
	for _, d := range slices.Backward(all) { // the first of a name counts
		if r, ok := d.Path("properties", "result"); ok && d.role == answer {
			known.answers[d.Name] = r
		}
		if d.isType {
			known.types[d.Name] = d.Cursor
		}
	}
	for _, d := range slices.Backward(all) {
		if r, ok := onlyAnswer(d, known); ok && d.role == envelope {
			known.answers[d.Name] = r
		}
	}
	return known
}

// onlyAnswer is the result in the one whole response that a union refers to, apart from errors.
func onlyAnswer(d *definition, known results) (result source.Cursor, ok bool) {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		members, _ := d.Get(keyword)
		for _, m := range members.Elements() {
			r, found := known.answers[path.Base(m.TextOf("$ref"))]
			if found && ok {
				return source.Cursor{}, false
			}
			if found {
				result, ok = r, true
			}
		}
	}
	return result, ok
}

// describeProtocol writes what the definitions say of the protocol as a whole.
func (i *draft) describeProtocol(all []*definition) {
	has := func(name string) bool {
		return slices.ContainsFunc(all, func(d *definition) bool { return d.Name == name })
	}
	if !has("JSONRPCMessage") {
		return
	}
	p := tree.Mapping()
	revision := i.revision()
	isMCP := i.doc.Body["methods"].Get("tools/call") != nil
	if isMCP {
		tree.Set(p, "name", tree.Text("mcp"))
	}
	switch {
	case revision != "":
		tree.Set(p, "revision", tree.Plain(revision))
	case isMCP:
		i.conv.Fault(i.conv.Resolver.Base, "name the file, or its folder, by the date of the revision, such as 2025-11-25.json",
			"these are the definitions of MCP, and do not say of which revision")
	}
	switch {
	case i.doc.Body["methods"].Get("initialize") != nil:
		tree.Set(p, "session", tree.Text("handshake"))
	case isMCP:
		tree.Set(p, "session", tree.Text("stateless"))
	}
	tree.Set(p, "batch", tree.Plain(map[bool]string{true: "true", false: "false"}[has("JSONRPCBatchRequest")]))
	tree.Set(p, "positional", tree.Plain("false"))
	if isMCP {
		if revision != "" {
			tree.Set(i.doc.Head, "package", tree.Text("mcp"+strings.ReplaceAll(revision, "-", "")))
		}
		tree.Set(i.doc.Head, "title", tree.Text("Model Context Protocol"))
	}
	tree.Set(i.doc.Head, "protocol", p)
}

var datePattern = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)

// revision is the date in the name of the file, or of its folder.
func (i *draft) revision() string {
	if date := datePattern.FindString(path.Base(i.file)); date != "" {
		return date
	}
	return datePattern.FindString(path.Base(path.Dir(i.file)))
}

// isError reports whether a definition is an error with a code of its own.
func isError(s source.Cursor) bool {
	if code, ok := errorPart(s, "code").Get("const"); ok && code.Kind == ir.Integer {
		return true
	}
	return false
}

// errorPart finds a property of an error: of the object itself, or of the error in a whole response, in whichever part of
// allOf says most of it.
func errorPart(s source.Cursor, name string) source.Cursor {
	if e, ok := s.Path("properties", "error"); ok {
		s = e
	} else if !s.Has("properties") || !slices.Contains(propertyNames(s), "message") {
		return source.Cursor{}
	}
	all, _ := s.Get("allOf")
	for _, part := range append([]source.Cursor{s}, all.Elements()...) {
		if p, ok := part.Path("properties", name); ok {
			return p
		}
	}
	return source.Cursor{}
}

// dataOf is the schema of an error's data; without members when there is none, or anything.
func dataOf(s source.Cursor) source.Cursor { return errorPart(s, "data") }

// errorType declares an error.
func (i *draft) errorType(d *definition) {
	m := tree.Mapping()
	if doc := d.TextOf("description"); doc != "" {
		tree.Set(m, "description", tree.Text(doc))
	}
	code, _ := errorPart(d.Cursor, "code").Get("const")
	tree.Set(m, "code", tree.Value(code.Value))
	if message, ok := errorPart(d.Cursor, "message").Get("const"); ok && convert.IsWord(message.Value) {
		tree.Set(m, "message", tree.Text(escapeMessage(message.Text)))
	}
	if data := dataOf(d.Cursor); len(convert.WithoutWords(data.Value).Fields) > 0 {
		tree.Set(m, "data", i.payload(d.Name+"Data", data))
	}
	name := strings.TrimSuffix(tree.NameOf(d.Name), "Error")
	if name == "" {
		name = "Error"
	}
	i.declare("errors", i.freeName(name, d.Cursor, i.free("errors")), m, d.Cursor)
}
