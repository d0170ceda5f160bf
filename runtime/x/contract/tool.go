package contract

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// tool is a tool of an MCP server, or a method of another one.
type tool struct {
	name                              string
	entry                             *jsontree.Value // of the list; nil for a method
	method                            *Method         // nil for a tool
	input                             *values.Schema  // nil if it cannot be compiled
	output                            *values.Schema  // nil without one
	readOnly, destructive, idempotent bool
	mirrored                          map[string]string // headers, by the argument that they repeat
	asTask                            bool              // it runs as a task only
	scoped                            bool              // callers need scopes

	control  string          // arguments of a call that succeeded; "" without one
	size     int             // of the answer of control
	pace     time.Duration   // that the call of control took
	slow     string          // arguments of a call that can be cancelled: it took more than 200 ms, and of these about a second; "" without one
	slowness time.Duration   // that it took
	worked   []string        // arguments of the first calls that succeeded
	tried    map[string]bool // arguments, and whether they were tried as a control that differs in one known place
	stats    Tool
	refusals map[string]int // by the words of the answer
	learned  map[string][]string
	pathlike map[string]bool // arguments that are paths, by what their descriptions and refusals say
	hangs    int
	asking   string // arguments of the first call in which the user was asked; "" without one
	spent    time.Duration
	took     []time.Duration // each call that succeeded
	longest  time.Duration   // of a call; 0 without a limit
	hidden   []string        // texts that no answer may show
}

// writes reports whether calls of the tool may change something.
func (t *tool) writes() bool { return !t.readOnly }

// Matches reports whether one of the patterns fits a name; * is any letters.
func Matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		fits, _ := regexp.MatchString(`(?s)^`+strings.ReplaceAll(regexp.QuoteMeta(p), `\*`, `.*`)+`$`, name) // a quoted pattern has no error
		return fits
	})
}

// mostPages limits a walk through pages.
const mostPages = 1000

// callParams is the beginning of the params of tools/call.
func callParams(name, args string) string {
	return `{"name":` + string(jsontree.AppendText(nil, name)) + `,"arguments":` + args
}

// request is that of a call, and the name of the tool, which is also a header.
func (t *tool) request(args string) (method, name, params string) {
	if t.method == nil {
		return "tools/call", t.name, callParams(t.name, args) + "}"
	}
	if v := t.listedParams(args); v != nil {
		args = jsontree.NewArray(v.Parts()).JSON()
	}
	return t.name, "", args
}

// listedParams is the part of an object of arguments that a list of params has: those before the first one left out; nil if params are not a list.
func (t *tool) listedParams(args string) *jsontree.Value {
	v, err := jsontree.Parse([]byte(args))
	if t.method == nil || t.method.Positional == nil || err != nil || v.Kind != jsontree.Object {
		return nil
	}
	out := &jsontree.Value{Kind: jsontree.Object}
	for _, name := range t.method.Positional {
		one := v.In(name)
		if one == nil {
			break
		}
		out = out.With(name, one)
	}
	return out
}

// responses answers the questions of a server that speaks without a handshake.
func (s *session) responses(asked *jsontree.Value) *jsontree.Value {
	out := &jsontree.Value{Kind: jsontree.Object}
	for _, name := range asked.Names() {
		out = out.With(name, s.response(asked.In(name).In("method").Str(), asked.In(name).In("params")))
	}
	return out
}

// response answers a question: a form is filled in, a model says something, and URLs are not opened.
func (s *session) response(method string, params *jsontree.Value) *jsontree.Value {
	parse := func(text string) *jsontree.Value {
		v, _ := jsontree.Parse([]byte(text))
		return v
	}
	switch method {
	case "ping":
		return parse(`{}`)
	case "roots/list":
		return parse(`{"roots":[]}`)
	case "sampling/createMessage":
		if !params.In("messages").Is(jsontree.Array) || !params.In("maxTokens").Is(jsontree.Number) {
			s.mu.Lock()
			s.find("Content", "sampling", "a request of a model has no list `messages`, or no `maxTokens`: "+clip(params.Shown(), 100))
			s.mu.Unlock()
		}
		return parse(`{"role":"assistant","content":{"type":"text","text":"Yes."},"model":"none","stopReason":"endTurn"}`)
	case "elicitation/create":
		action := s.question()
		form := params.In("requestedSchema")
		if form != nil {
			s.asksFor(form)
		}
		if action != "" {
			return parse(`{"action":"` + action + `"}`)
		}
		if form == nil {
			return parse(`{"action":"decline"}`)
		}
		compiled, err := values.Compile([]byte(form.JSON()))
		if err != nil {
			return parse(`{"action":"decline"}`)
		}
		content, ok := compiled.Full(values.FromBytes(nil))
		if !ok {
			return parse(`{"action":"decline"}`)
		}
		filled := parse(string(content))
		properties := form.In("properties")
		for _, name := range properties.Names() { // a user who accepts means yes
			if properties.In(name).In("type").Str() == "boolean" {
				filled = filled.With(name, parse("true"))
			}
		}
		return parse(`{"action":"accept","content":` + filled.JSON() + `}`)
	}
	return nil
}

// question keeps that the user was asked, and returns how the question is answered; "" accepts it.
func (s *session) question() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = true
	return s.action
}

// asks reports whether the user was asked since it was called last.
func (s *session) asks() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = false
	return asked
}

// reply answers a request of the server.
func (s *session) reply(method string, id, params *jsontree.Value) {
	out := `"error":{"code":-32601,"message":"Method not found"}`
	if v := s.response(method, params); v != nil {
		out = `"result":` + v.JSON()
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.send(ctx, []byte(`{"jsonrpc":"2.0","id":`+id.JSON()+`,`+out+`}`), s.headers(method, "")) // the server waits in vain if it has ended
	}()
}

// clip shortens a text to a number of letters, in one line.
func clip(s string, most int) string {
	return text.Clip(strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\uFFFD"), most)
}

// OpenRPC returns the methods of an OpenRPC document, and the title of the service. The methods are not known to be read-only: include those
// that may be called. Streams, which have x-items, are left out. They are nil only with an error. The error says what the document lacks.
func OpenRPC(document []byte) (methods []Method, title string, err error) {
	doc, err := jsontree.Parse(document)
	if err != nil {
		return nil, "", err
	}
	list, methods := doc.In("methods"), []Method{} // not nil, even if all are streams
	if !list.Is(jsontree.Array) {
		return nil, "", errors.New("the document has no list `methods`, as OpenRPC has it")
	}
	for i, entry := range list.Parts() {
		entry = resolve(doc, entry)
		if entry.In("x-items") != nil {
			continue // a stream, whose answer is not that of one call
		}
		m := Method{Name: entry.In("name").Str(), Idempotent: entry.In("x-idempotent").True(), Scoped: entry.In("x-scopes") != nil}
		m.ReadOnly = m.Idempotent || entry.In("x-read-only").True() // a second call does no more
		if m.Name == "" {
			return nil, "", fmt.Errorf("/methods/%d: the method has no name", i)
		}
		m.params(doc, entry)
		if result := resolve(doc, entry.In("result")); result.In("schema") != nil {
			m.Result = within(doc, result.In("schema"))
		}
		if all := entry.In("errors"); all.Is(jsontree.Array) {
			m.Errors = map[int64][]byte{}
			for _, e := range all.Parts() {
				e = resolve(doc, e)
				if code, ok := e.In("code").Float(); ok && e.In("data").Is(jsontree.Object) && e.In("x-data-schema").True() {
					m.Errors[int64(code)] = within(doc, e.In("data"))
				}
			}
		}
		methods = append(methods, m)
	}
	return methods, doc.In("info").In("title").Str(), nil
}

// params makes an object of the params of a method.
func (m *Method) params(doc, entry *jsontree.Value) {
	schema := &jsontree.Value{Kind: jsontree.Object}
	properties, required := &jsontree.Value{Kind: jsontree.Object}, &jsontree.Value{Kind: jsontree.Array}
	if list := entry.In("params"); list.Is(jsontree.Array) {
		for _, p := range list.Parts() {
			p = resolve(doc, p)
			name := p.In("name").Str()
			properties = properties.With(name, p.In("schema"))
			if p.In("required").True() {
				required.Items = append(required.Items, *jsontree.NewText(name))
			}
			m.Positional = append(m.Positional, name)
		}
	}
	if entry.In("paramStructure").Str() != "by-position" {
		m.Positional = nil
	}
	schema = schema.With("type", jsontree.NewText("object")).With("properties", properties).With("required", required)
	m.Params = within(doc, schema)
}

// within is a schema with the definitions of its document.
func within(doc, schema *jsontree.Value) []byte {
	out := schema
	if out.Kind == jsontree.Boolean {
		return []byte(out.JSON())
	}
	for _, name := range []string{"components", "definitions", "$defs"} {
		if doc.In(name) != nil && out.In(name) == nil {
			out = out.With(name, doc.In(name))
		}
	}
	return []byte(out.JSON())
}

// resolve follows the reference that stands for an object of the document.
func resolve(doc, v *jsontree.Value) *jsontree.Value {
	for range 8 {
		ref := v.In("$ref").Str()
		if len(ref) < 2 || ref[0] != '#' {
			return v
		}
		v = doc.At(ref[1:])
	}
	return v
}
