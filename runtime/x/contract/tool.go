package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
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

// toolOf reads an entry of tools/list.
func (r *runner) toolOf(entry *jsontree.Value) *tool {
	t := &tool{name: entry.In("name").Str(), entry: entry, destructive: true}
	hints := entry.In("annotations")
	t.readOnly, t.idempotent = hints.In("readOnlyHint").True(), hints.In("idempotentHint").True()
	if h := hints.In("destructiveHint"); h != nil {
		t.destructive = h.True()
	}
	t.destructive = t.destructive && !t.readOnly
	t.asTask = entry.In("execution").In("taskSupport").Str() == "required"
	if in := entry.In("inputSchema"); in != nil {
		t.input = r.compile(in)
		properties := in.In("properties")
		for _, name := range properties.Names() {
			if header := properties.In(name).In("x-mcp-header").Str(); header != "" {
				if t.mirrored == nil {
					t.mirrored = map[string]string{}
				}
				t.mirrored[name] = "Mcp-Param-" + header
			}
		}
	}
	if out := entry.In("outputSchema"); out != nil {
		t.output = r.compile(out)
		if t.output != nil {
			t.output.Formats = false
		}
	}
	r.prepare(t)
	return t
}

// methodOf makes a method a tool.
func (r *runner) methodOf(m *Method) *tool {
	t := &tool{name: m.Name, method: m, readOnly: m.ReadOnly, idempotent: m.Idempotent}
	for _, s := range []struct {
		text []byte
		to   **values.Schema
	}{{m.Params, &t.input}, {m.Result, &t.output}} {
		if v, err := jsontree.Parse(s.text); err == nil {
			*s.to = r.compile(v)
		}
	}
	if m.Params == nil {
		t.input, _ = values.Compile([]byte(`{"type":"object"}`))
	}
	r.prepare(t)
	return t
}

// compile compiles a schema. It returns nil for one that is wrong, which the check Schema reports.
func (r *runner) compile(v *jsontree.Value) *values.Schema {
	s, err := values.Compile([]byte(v.JSON()))
	if err != nil {
		return nil
	}
	s.Profile, s.Formats = r.o.Profile, r.o.Formats
	return s
}

// prepare decides whether the tool is called.
func (r *runner) prepare(t *tool) {
	t.tried, t.refusals, t.learned = map[string]bool{}, map[string]int{}, map[string][]string{}
	t.stats.Name, t.hidden, t.longest = t.name, r.o.Secrets, r.o.MaxTime
	t.findPaths()
	if t.input != nil {
		t.input.Supply = func(c *values.Choices, name string) (string, bool) { return r.supply(t, c, name) }
	}
	named := r.o.Include != nil && Matches(r.o.Include, t.name)
	switch {
	case r.o.Include != nil && !named:
		t.stats.Skipped = "it is not included"
	case Matches(r.o.Exclude, t.name):
		t.stats.Skipped = "it is excluded"
	case t.input == nil:
		t.stats.Skipped = "its input schema cannot be read"
	case t.asTask:
		t.stats.Skipped = "it runs as a task only"
	case t.writes() && !r.o.Writes && !(named && t.method != nil):
		t.stats.Skipped = "it writes"
		if t.method != nil {
			t.stats.Skipped = "it may write, for it is not idempotent"
		}
	case t.destructive && !r.o.Destructive && r.o.Writes:
		t.stats.Skipped = "it destroys"
	}
}

// Matches reports whether one of the patterns fits a name; * is any letters.
func Matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		first, rest, open := strings.Cut(p, "*")
		if !open {
			return p == name
		}
		left, ok := strings.CutPrefix(name, first)
		parts := strings.Split(rest, "*")
		last := len(parts) - 1
		for _, part := range parts[:last] {
			i := strings.Index(left, part)
			if ok = ok && i >= 0; !ok {
				return false
			}
			left = left[i+len(part):]
		}
		return ok && strings.HasSuffix(left, parts[last])
	})
}

// list reads the tools of a session, all pages.
func (r *runner) list(ctx context.Context, s *session) ([]*jsontree.Value, error) {
	entries, _, err := r.pages(ctx, s, "tools/list", "tools")
	return entries, err
}

// mostPages limits a walk through pages.
const mostPages = 1000

// pages reads all pages of a list. The cursors are those that led to them.
func (r *runner) pages(ctx context.Context, s *session, method, member string) (entries []*jsontree.Value, cursors []string, err error) {
	cursor, more := "", false
	for {
		params := ""
		if more {
			params = `{"cursor":` + string(jsontree.AppendText(nil, cursor)) + `}`
		}
		a := s.request(ctx, method, params, r.o.Timeout)
		all := a.result().In(member)
		if !all.Is(jsontree.Array) {
			return entries, cursors, fmt.Errorf("%s: %s", method, a.says())
		}
		entries = append(entries, all.Parts()...)
		next := a.result().In("nextCursor")
		if next != nil && !next.Is(jsontree.Text) {
			return entries, cursors, fmt.Errorf("%s: the nextCursor is %s, and not a text", method, clip(next.JSON(), 40))
		}
		cursor = next.Str()
		if more = next != nil && (cursor != "" || s.revision == protocol.Revision20260728); !more { // sessions may end a list with an empty cursor
			return entries, cursors, nil
		}
		if slices.Contains(cursors, cursor) {
			return entries, cursors, fmt.Errorf("%s: the cursor %s comes again within one walk", method, clip(cursor, 60))
		}
		if cursors = append(cursors, cursor); len(cursors) > mostPages {
			return entries, cursors, fmt.Errorf("%s: there are more than %d pages", method, mostPages)
		}
	}
}

// invoke calls the tool in a session, and answers what the server asks.
func (r *runner) invoke(ctx context.Context, s *session, t *tool, args string, most time.Duration) (got *answer) {
	r.pause()
	s.record(t, args)
	if s.mute && !s.watched {
		most = min(most, time.Second)
	}
	defer func() { s.mute = s.mute || got.outcome == silent }()
	if t.method != nil {
		return s.request(ctx, t.name, t.params(args), most)
	}
	var headers map[string]string
	if t.mirrored != nil && s.revision == protocol.Revision20260728 {
		headers = map[string]string{}
		if v, err := jsontree.Parse([]byte(args)); err == nil {
			for name, header := range t.mirrored {
				if arg := v.In(name); arg != nil && arg.Kind != jsontree.Null && arg.Kind != jsontree.Array && arg.Kind != jsontree.Object {
					headers[header] = arg.Text
				}
			}
		}
	}
	params := callParams(t.name, args)
	for round := 0; ; round++ {
		a := s.requestNamed(ctx, "tools/call", t.name, params+"}", most, headers)
		asked := a.result().In("inputRequests")
		if a.outcome != answered || asked == nil || round == 3 {
			return a
		}
		params = callParams(t.name, args) + `,"inputResponses":` + r.responses(s, asked).JSON()
		if state := a.result().In("requestState"); state != nil {
			params += `,"requestState":` + state.JSON()
		}
	}
}

// callParams is the beginning of the params of tools/call.
func callParams(name, args string) string {
	return `{"name":` + string(jsontree.AppendText(nil, name)) + `,"arguments":` + args
}

// params are those of a method.
func (t *tool) params(args string) string {
	v := t.listed(args)
	if v == nil {
		return args
	}
	return jsontree.NewArray(v.Parts()).JSON()
}

// listed is the part of an object of arguments that a list of params has: those before the first one that is left out. It is nil if params are not a list.
func (t *tool) listed(args string) *jsontree.Value {
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
func (r *runner) responses(s *session, asked *jsontree.Value) *jsontree.Value {
	out := &jsontree.Value{Kind: jsontree.Object}
	for _, name := range asked.Names() {
		out = out.With(name, r.response(s, asked.In(name).In("method").Str(), asked.In(name).In("params")))
	}
	return out
}

// response answers a question: a form is filled in, a model says something, and URLs are not opened.
func (r *runner) response(s *session, method string, params *jsontree.Value) *jsontree.Value {
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
func (r *runner) reply(s *session, method string, id, params *jsontree.Value) {
	out := `"error":{"code":-32601,"message":"Method not found"}`
	if v := r.response(s, method, params); v != nil {
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
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\uFFFD")
	if letters := []rune(s); len(letters) > most {
		return string(letters[:most]) + "..."
	}
	return s
}
