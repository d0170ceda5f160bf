package mock

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// mocker serves a service.
type mocker struct {
	behaviour
	vary bool
	log  io.Writer
	set  *mcpdynamic.Set
	srv  *mcp.Server // nil for a service of JSON-RPC

	mu      sync.RWMutex
	service *service
	methods map[string][]*method // by their names on the wire
}

// newMocker returns a mocker of a service.
func newMocker(s *service, b behaviour, vary bool, log io.Writer) (*mocker, error) {
	m := &mocker{behaviour: b, vary: vary, log: log, service: s}
	if s.mcp {
		m.set = mcpdynamic.New(mcpdynamic.Options{Watch: m.watch})
		m.srv = mcp.NewServer(declarations{m, s}, mcp.Options{
			Dynamic: m.set, Tasks: mcptask.New(mcptask.Options{}), Middleware: []mcp.Middleware{m.logRequests}, Logger: slog.New(slog.NewTextHandler(log,
				&slog.HandlerOptions{Level: slog.LevelWarn})),
		})
	}
	return m, m.replace(s)
}

// replace begins to serve another service of the same name. Either all of it is served, or, if there is an error, the one before.
func (m *mocker) replace(s *service) error {
	m.mu.Lock()
	old := m.service
	m.mu.Unlock()
	if old != s { // the four lists are replaced one after the other: a fault in the last one is found here
		if _, err := newMocker(s, m.behaviour, m.vary, io.Discard); err != nil {
			return err
		}
	}
	methods := make(map[string][]*method)
	for _, o := range s.methods {
		one, err := m.newMethod(o)
		if err != nil {
			return fmt.Errorf("the method %s: %w", o.name, err)
		}
		methods[o.declared.OnWire()] = append(methods[o.declared.OnWire()], one)
	}
	if m.set != nil {
		if err := m.list(old, s); err != nil {
			return err
		}
	}
	m.mu.Lock()
	if old != nil {
		s.keep(old)
	}
	m.service, m.methods = s, methods
	m.mu.Unlock()
	return nil
}

// list replaces the entries of the lists of the server.
func (m *mocker) list(old, s *service) (err error) {
	var callable []mcpdynamic.Tool
	for _, o := range s.lists[tools] {
		t, err := m.tool(o)
		if err != nil {
			return fmt.Errorf("the tool %s: %w", o.name, err)
		}
		callable = append(callable, t)
	}
	for list, what := range [...]string{"resource", "resource template"} {
		for _, o := range s.lists[resources+list] {
			if o.answers, err = newAnswers(o.output, m.vary); err != nil {
				return fmt.Errorf("the %s %s: %w", what, o.name, err)
			}
		}
	}
	var was [4][]string
	if old != nil {
		for i := range was {
			was[i] = old.keys(i)
		}
	}
	if err := m.set.ReplaceTools(was[tools], callable...); err != nil {
		return err
	}
	if err := m.set.ReplaceResources(was[resources], ir.Each(s.lists[resources], func(o *operation) mcpdynamic.Resource {
		return mcpdynamic.Resource{URI: text(o.entry, "uri"), Name: text(o.entry, "name"), Members: raw(o.entry), Read: m.reader(o)}
	})...); err != nil {
		return err
	}
	if err := m.set.ReplaceTemplates(was[resourceTemplates], ir.Each(s.lists[resourceTemplates], func(o *operation) mcpdynamic.Template {
		return mcpdynamic.Template{URITemplate: text(o.entry, "uriTemplate"), Name: text(o.entry, "name"), Members: raw(o.entry), Read: m.reader(o)}
	})...); err != nil {
		return err
	}
	return m.set.ReplacePrompts(was[prompts], ir.Each(s.lists[prompts], m.prompt)...)
}

// keys returns what tells the entries of a list apart.
func (s *service) keys(list int) []string {
	return ir.Each(s.lists[list], func(o *operation) string { return cmp.Or(text(o.entry, keyOf[list]), o.name) })
}

// text returns a member of a JSON object that is a string.
func text(object, member string) string {
	value, _ := wire.PeekAt([]byte(object)).In(member).Text()
	return value
}

func raw(text string) runtime.Raw { return runtime.RawOf([]byte(text)) }

// tool returns a tool as the server serves it.
func (m *mocker) tool(o *operation) (mcpdynamic.Tool, error) {
	var err error
	if o.answers, err = newAnswers(o.output, m.vary); err != nil {
		return mcpdynamic.Tool{}, fmt.Errorf("outputSchema: %w", err)
	}
	input, err := newJudge(cmp.Or(o.input, `{"type":"object"}`))
	if err != nil {
		return mcpdynamic.Tool{}, fmt.Errorf("inputSchema: %w", err)
	}
	return mcpdynamic.Tool{Name: o.name, Members: raw(o.entry), Unchecked: true, Call: func(ctx context.Context, arguments runtime.Raw) (runtime.Appender, error) {
		if broken := input.check(arguments.String()); len(broken) > 0 {
			return nil, &violation.Error{Violations: broken}
		}
		return m.callTool(ctx, o, arguments.String())
	}}, nil
}

// callTool answers a call whose arguments fit.
func (m *mocker) callTool(ctx context.Context, o *operation, args string) (runtime.Appender, error) {
	for _, ask := range o.asks {
		if err := m.ask(ctx, ask, args); err != nil {
			return nil, err
		}
	}
	const reports = 3
	for i := range reports {
		if err := mcp.Progress(ctx, float64(i+1), reports, ""); err != nil {
			return nil, err
		}
	}
	r := o.answers.request(o.name, args)
	if err := m.obeyDirective(ctx, o, r, args); err != nil {
		return nil, err
	}
	result, err := m.result(o, r, args)
	if err != nil {
		return nil, err
	}
	if o.output == "" {
		return mcpdynamic.Text(asText(o, args)), nil
	}
	return mcpdynamic.Structured(mcpdynamic.Raw(raw(result))), nil
}

// result returns the result of an operation: an entry or a list of a collection, if it has to do with one.
func (m *mocker) result(o *operation, r request, args string) (string, error) {
	result, err := o.answers.result(m.seed, r, args)
	if err != nil {
		return "", err
	}
	m.mu.RLock()
	state, ok := m.service.states[o.name]
	m.mu.RUnlock()
	if !ok {
		return result, nil
	}
	result, err = state.result(result, args, o.answers.fits)
	switch {
	case err != errMissing:
		return result, err
	case state.Missing != "":
		return "", m.raise(o, state.Missing, r, args)
	case o.entry != "":
		return "", toolError{failedName, err.Error(), ""}
	}
	return "", invalidParams(err)
}

// reset empties the collections, but for what there is at the start.
func (m *mocker) reset() {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, s := range m.service.states {
		if err := s.reset(); err != nil {
			fmt.Fprintln(m.log, "rpcgen mock:", err)
		}
	}
	fmt.Fprintln(m.log, "rpcgen mock: the collections are as they were at the start")
}

// The names by which a request asks for an error or a latency: a string in _meta, or a header.
const (
	askedMeta   = "rpcgen/mock"
	askedHeader = "Rpcgen-Mock"
)

// obeyDirective waits as long as a request of MCP asks for, and returns the error that it or the command line does, if one does.
func (m *mocker) obeyDirective(ctx context.Context, o *operation, r request, args string) error {
	said := ""
	if q := mcp.RequestFrom(ctx); q != nil {
		said, _ = q.Meta(askedMeta)
		if h := q.HTTP(); said == "" && h != nil {
			said = h.Get(askedHeader)
		}
	}
	a, err := parseAsked(said)
	if err != nil {
		return invalidParams(err)
	}
	return m.demand(ctx, o, r, a, args)
}

func invalidParams(err error) error {
	return codeError{runtime.ErrorObject{Code: runtime.CodeInvalidParams, Message: err.Error()}}
}

// form is what a user has filled in.
type form struct{ runtime.Raw }

// DecodeJSON implements [wire.Decoder].
func (f *form) DecodeJSON(r *wire.Reader) { f.Raw = r.Raw() }

// ask asks the user what the tool asks.
func (m *mocker) ask(ctx context.Context, ask *ir.Ask, args string) error {
	if ask.Form == nil {
		return nil
	}
	schema, err := jsonschema.ExportForm(ask.Form)
	if err != nil {
		return err
	}
	return mcp.ElicitForm(ctx, ask.Name, cmp.Or(fillMessage(ask.Message, args), ask.Name), string(schema), new(form))
}

// reader returns what reads a resource.
func (m *mocker) reader(o *operation) func(ctx context.Context, uri string) (runtime.Appender, error) {
	return func(ctx context.Context, uri string) (runtime.Appender, error) {
		r := o.answers.request(o.name, string(wire.AppendString(nil, uri)))
		if err := m.obeyDirective(ctx, o, r, ""); err != nil {
			return nil, err
		}
		content := "The content of " + uri + "."
		if o.content == contentJSON {
			var err error
			if content, err = o.answers.result(m.seed, r, ""); err != nil {
				return nil, err
			}
		}
		b := wire.AppendString([]byte(`{"contents":[{"uri":`), uri)
		if kind := cmp.Or(text(o.entry, "mimeType"), o.mimeType); kind != "" {
			b = wire.AppendString(append(b, `,"mimeType":`...), kind)
		}
		if o.content == contentBlob {
			b = wire.AppendString(append(b, `,"blob":`...), base64.StdEncoding.EncodeToString([]byte(content)))
		} else {
			b = wire.AppendString(append(b, `,"text":`...), content)
		}
		return mcpdynamic.Raw(raw(string(append(b, "}]}"...)))), nil
	}
}

// prompt returns a prompt as the server serves it.
func (m *mocker) prompt(o *operation) mcpdynamic.Prompt {
	return mcpdynamic.Prompt{
		Name: o.name, Arguments: runtime.RawOf(wire.PeekAt([]byte(o.entry)).In("arguments").JSON()), Members: raw(o.entry),
		Get: func(ctx context.Context, arguments map[string]string) (runtime.Appender, error) {
			args, err := json.Marshal(arguments) // sorts the names
			if err == nil {
				err = m.obeyDirective(ctx, o, request{operation: o.name, args: string(args)}, "")
			}
			if err != nil {
				return nil, err
			}
			b := wire.AppendString([]byte(`{"messages":[{"role":"user","content":{"type":"text","text":`), "The prompt "+o.name+" with "+string(args)+".")
			return mcpdynamic.Raw(raw(string(append(b, "}}]}"...)))), nil
		},
	}
}

// changing is how often resources change to which clients have subscribed.
const changing = 10 * time.Second

// watch lets a resource change as long as there are subscribers.
func (m *mocker) watch(uri string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		ticker := time.NewTicker(changing)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				m.srv.ResourceUpdated(uri)
			case <-ctx.Done():
				return
			}
		}
	}()
	return cancel
}

// logRequests prints a line for each request.
func (m *mocker) logRequests(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, q *mcp.Request) error {
		began := time.Now()
		err := next(ctx, q)
		m.line(strings.TrimSpace(q.Method()+" "+q.Name()), string(q.Arguments()), q.Failure(err) != nil, time.Since(began))
		return err
	}
}

// line prints a line about a request.
func (m *mocker) line(what, args string, failed bool, took time.Duration) {
	const most = 200
	if len(args) > most {
		args = strings.ToValidUTF8(args[:most], "") + "..."
	}
	outcome := "ok"
	if failed {
		outcome = "failed"
	}
	fmt.Fprintln(m.log, strings.Join(slices.DeleteFunc([]string{"rpcgen mock:", what, args, outcome, took.Round(time.Microsecond).String()},
		func(s string) bool { return s == "" }), " "))
}

// declarations are those of a server whose lists are all added.
type declarations struct {
	*mocker
	s *service
}

// Info implements [mcp.Declarations].
func (d declarations) Info() *mcp.Info {
	info := &mcp.Info{Name: d.s.name, Version: "0"}
	if s := d.s.server; s != nil {
		info = &mcp.Info{
			Name: s.Name, Version: cmp.Or(s.Version, "0"), Title: s.Title, Description: s.Doc, Website: s.Website, Instructions: s.Instructions,
			Revisions: s.Revisions, TTLMs: s.TTLMillis, Scope: s.Scope,
		}
	}
	for code := int64(-32099); code <= -32000; code++ { // a request may ask for any error
		info.ReservedCodes = append(info.ReservedCodes, code)
	}
	return info
}

// CallTool implements [mcp.Declarations]. All tools are added ones.
func (d declarations) CallTool(_ context.Context, c *mcp.ToolCall) { c.NotFound(d.namesOf(0)) }

// ReadResource implements [mcp.Declarations].
func (d declarations) ReadResource(_ context.Context, c *mcp.ResourceCall) { c.NotFound(d.namesOf(1)) }

// GetPrompt implements [mcp.Declarations].
func (d declarations) GetPrompt(_ context.Context, c *mcp.PromptCall) { c.NotFound(d.namesOf(3)) }

// Complete implements [mcp.Declarations].
func (declarations) Complete(_ context.Context, c *mcp.CompleteCall) { c.Return(nil) }

// namesOf returns what tells the entries of a list apart, newline-separated.
func (d declarations) namesOf(list int) string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return strings.Join(d.service.keys(list), "\n")
}

// Condition implements [mcp.Declarations].
func (declarations) Condition(runtime.Condition) error { return nil }

// Methods implements [mcp.Declarations].
func (d declarations) Methods() runtime.Handler {
	if len(d.s.methods) == 0 && len(d.s.states) == 0 {
		return nil
	}
	return methods{d.mocker}
}
