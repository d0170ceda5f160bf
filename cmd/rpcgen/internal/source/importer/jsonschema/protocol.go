package jsonschema

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// sideOf says who sends the members of the unions that MCP names by side.
var sideOf = map[string]string{
	"ClientRequest": "client", "ClientNotification": "client",
	"ServerRequest": "server", "ServerNotification": "server",
	"AgentRequest": "server", "AgentNotification": "server", // ACP: the agent is what serves
}

// protocol declares the methods, notifications and errors of classified definitions, and what it knows of the protocol.
func (i *reader) protocol(all []*draft.Definition) {
	i.senders = i.findSenders(all)
	results := i.resultsOf(all)
	messages(i, all, draft.Request, results)
	messages(i, all, draft.Notification, results)
	for _, d := range all {
		switch d.Role {
		case draft.Side:
			i.d.Conv.Report.Sides = append(i.d.Conv.Report.Sides, d.Name)
		case draft.ErrorObject:
			i.errorType(d)
		case draft.Answer, draft.Envelope:
			if !d.IsType {
				i.d.Conv.Report.Envelopes = append(i.d.Conv.Report.Envelopes, d.Name)
			}
		}
	}
	i.describeProtocol(all)
}

// findSenders maps each method to the sides whose unions name it. A union of one member is written as a copy of it.
func (i *reader) findSenders(all []*draft.Definition) map[string][]string {
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
				m, _ = i.d.Conv.Resolve(m)
			}
			method := methodOf(m)
			if method == "" && len(sent) > 1 {
				i.d.Conv.Report.Ignore(m.Pointer) // it is not a request, and no notification
			}
			if method != "" && !slices.Contains(senders[method], from) {
				senders[method] = append(senders[method], from)
			}
		}
	}
	return senders
}

// messages declares the requests or the notifications of definitions; a copy of one declares nothing.
func messages(i *reader, all []*draft.Definition, is draft.Role, results results) {
	seen := map[string]bool{}
	for _, d := range all {
		if d.Role == is && !seen[d.Method] {
			seen[d.Method] = true
			i.method(d, results)
		}
	}
}

// method declares a request or a notification.
func (i *reader) method(d *draft.Definition, results results) {
	m := tree.Mapping()
	tree.SetSome(m, "description", tree.Text(d.TextOf("description")))
	switch from := i.senders[d.Method]; {
	case len(from) == 2:
		tree.Set(m, "from", tree.Text("both"))
	case len(from) == 1 && from[0] == "server":
		tree.Set(m, "from", tree.Text("server"))
	case len(from) == 0 && d.IsType:
		tree.Set(m, "from", tree.Text("server")) // it asks within a result, and results are what servers send
		tree.Set(m, "embedded", tree.Plain("true"))
	}
	i.params(m, d)
	section := "methods"
	if d.Role == draft.Notification {
		section = "notifications"
	} else {
		i.result(m, d, results)
	}
	draft.DeclareMessage(i.d, section, d.Method, tree.NilIfEmpty(m), d.Cursor)
}

// params declares what a request carries.
func (i *reader) params(m *yaml.Node, d *draft.Definition) {
	p, ok := d.Path("properties", "params")
	if !ok {
		return
	}
	key := "params?"
	if slices.Contains(convert.RequiredOf(d.Cursor), "params") {
		key = "params"
	}
	tree.Set(m, key, i.d.Expression(d.Name+"Params", p))
}

// result finds what a request answers: what the whole response says that is called after it, the type that is, or nothing.
func (i *reader) result(m *yaml.Node, d *draft.Definition, known results) {
	base := strings.TrimSuffix(d.Name, "Request")
	for _, suffix := range []string{"ResultResponse", "SuccessResponse", "Response"} {
		if r, ok := known.answers[base+suffix]; ok {
			tree.Set(m, "result", i.d.Expression(base+"Answer", r))
			return
		}
	}
	for _, name := range []string{base + "Result", base + "Response", "EmptyResult"} {
		if other, ok := known.types[name]; ok {
			tree.Set(m, "result", tree.Text(i.d.Conv.Names[other.Pointer]))
			return
		}
	}
	i.d.Conv.Report.NoResult = append(i.d.Conv.Report.NoResult, d.Method)
}

// results are what requests may answer, by the names of definitions: what stands in whole responses, and types.
type results struct{ answers, types map[string]source.Cursor }

func (i *reader) resultsOf(all []*draft.Definition) results {
	known := results{map[string]source.Cursor{}, map[string]source.Cursor{}}
	for _, d := range slices.Backward(all) { // the first of a name counts
		if r, ok := d.Path("properties", "result"); ok && d.Role == draft.Answer {
			known.answers[d.Name] = r
		}
		if d.IsType {
			known.types[d.Name] = d.Cursor
		}
	}
	for _, d := range slices.Backward(all) {
		if r, ok := onlyAnswer(d, known); ok && d.Role == draft.Envelope {
			known.answers[d.Name] = r
		}
	}
	return known
}

// onlyAnswer is the result in the one whole response that a union refers to, apart from errors.
func onlyAnswer(d *draft.Definition, known results) (result source.Cursor, ok bool) {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		for _, m := range d.ElementsOf(keyword) {
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
func (i *reader) describeProtocol(all []*draft.Definition) {
	has := func(name string) bool {
		return slices.ContainsFunc(all, func(d *draft.Definition) bool { return d.Name == name })
	}
	if !has("JSONRPCMessage") {
		return
	}
	p := tree.Mapping()
	revision := i.revision()
	isMCP := i.d.Doc.Body["methods"].Get("tools/call") != nil
	if isMCP {
		tree.Set(p, "name", tree.Text("mcp"))
	}
	switch {
	case revision != "":
		tree.Set(p, "revision", tree.Plain(revision))
	case isMCP:
		i.d.Conv.Fault(i.d.Conv.Resolver.Base, "say --revision, or name the file, or its folder, by the date of the revision, such as 2025-11-25.json",
			"these are the definitions of MCP, and do not say of which revision")
	}
	switch {
	case i.d.Doc.Body["methods"].Get("initialize") != nil:
		tree.Set(p, "session", tree.Text("handshake"))
	case isMCP:
		tree.Set(p, "session", tree.Text("stateless"))
	}
	tree.Set(p, "batch", tree.Plain(map[bool]string{true: "true", false: "false"}[has("JSONRPCBatchRequest")]))
	tree.Set(p, "positional", tree.Plain("false"))
	if isMCP {
		if revision != "" {
			tree.Set(i.d.Doc.Head, "package", tree.Text("mcp"+strings.ToLower(notInNames.ReplaceAllString(revision, ""))))
		}
		tree.Set(i.d.Doc.Head, "title", tree.Text("Model Context Protocol"))
	}
	tree.Set(i.d.Doc.Head, "protocol", p)
}

var (
	revisionPattern = regexp.MustCompile(`\d{4}-\d{2}-\d{2}|^draft\b`)
	notInNames      = regexp.MustCompile(`[^A-Za-z0-9]`)
)

// revision is what was said of it, or the date, or draft, in the name of the file or of its folder.
func (i *reader) revision() string {
	return cmp.Or(i.d.Revision, revisionPattern.FindString(path.Base(i.d.File)), revisionPattern.FindString(path.Base(path.Dir(i.d.File))))
}

// isError reports whether a definition is an error with a code of its own.
func isError(s source.Cursor) bool {
	code, ok := errorPart(s, "code").Get("const")
	return ok && code.Kind == ir.Integer
}

// errorPart finds a property of an error: of the object itself, or of the error in a whole response, in whichever part of allOf says most of it.
func errorPart(s source.Cursor, name string) source.Cursor {
	if e, ok := s.Path("properties", "error"); ok {
		s = e
	} else if !s.Has("properties") || !slices.Contains(draft.PropertyNames(s), "message") {
		return source.Cursor{}
	}
	for _, part := range append([]source.Cursor{s}, s.ElementsOf("allOf")...) {
		if p, ok := part.Path("properties", name); ok {
			return p
		}
	}
	return source.Cursor{}
}

// dataOf is the schema of an error's data; without members when there is none, or anything.
func dataOf(s source.Cursor) source.Cursor { return errorPart(s, "data") }

// errorType declares an error.
func (i *reader) errorType(d *draft.Definition) {
	m := tree.Mapping()
	tree.SetSome(m, "description", tree.Text(d.TextOf("description")))
	code, _ := errorPart(d.Cursor, "code").Get("const")
	tree.Set(m, "code", tree.Value(code.Value))
	if message, ok := errorPart(d.Cursor, "message").Get("const"); ok && convert.IsWord(message.Value) {
		tree.Set(m, "message", tree.Text(draft.EscapeMessage(message.Text)))
	}
	if data := dataOf(d.Cursor); len(jsonschema.WithoutWords(data.Value).Fields) > 0 {
		tree.Set(m, "data", i.d.Payload(d.Name+"Data", data))
	}
	name := cmp.Or(strings.TrimSuffix(tree.NameOf(d.Name), "Error"), "Error")
	i.d.Declare("errors", i.d.FreeName(name, d.Cursor, i.d.Doc.Body["errors"]), m, d.Cursor)
}
