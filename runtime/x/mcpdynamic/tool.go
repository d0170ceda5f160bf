package mcpdynamic

import (
	"context"
	"errors"

	types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/conform"
	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/annotation"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// Tool is a tool that is added to a server (server/tools).
type Tool struct {
	Name        string // 1 to 128 letters, digits, _, - and .
	Title       string // for people; empty means none
	Description string // for models; empty means none

	// InputSchema is the JSON Schema of the arguments: draft 2020-12, type object at the root, references to # and #/$defs/NAME only, patterns of RE2. Null
	// means a tool without arguments. Properties may have x-mcp-header.
	InputSchema runtime.Raw

	// OutputSchema is the JSON Schema of the structured content. Null means none.
	OutputSchema runtime.Raw

	// Members is an object with other members of the entry in the list, such as annotations, icons, _meta and execution: with a taskSupport of optional or
	// required, calls run as tasks (see [mcp.Options.Tasks], which is necessary then). The fields above replace its members, unless they are empty. If they
	// change nothing, the entry is listed word for word as it stands here. Null means none.
	Members runtime.Raw

	// Unchecked leaves the checking of arguments and results to Call, for instance because another server does it. The schemas may then have what this
	// package does not know, and are only passed on. Tools that run as tasks only are then called without a task, too.
	Unchecked bool

	// Call is called with the arguments, which are an object. The value that it returns writes the complete result: a [*mcp.CallToolResult], a [Raw], or
	// what [Structured] and [Text] return. Its errors are answered as those of generated handlers: a [mcp.ToolError] for the model, a [runtime.Coder] as an
	// error of the protocol, a [*violation.Error] as invalid arguments. It may use all functions of package mcp that take its context.
	Call func(ctx context.Context, arguments runtime.Raw) (runtime.Appender, error)
}

// tool is a Tool that was checked.
type tool struct {
	Tool
	listing.Entry
	input, output *conform.Schema // nil means that it is not checked
	headers       []mcpgen.ToolHeader
	generation    uint64 // see [listing.Source]
	tasks         string // taskSupport; empty, or another value than optional and required, means that it does not run as a task
}

func (t *tool) definition() listing.Entry { return t.Entry }

// AddTools adds tools, all of them or nothing. The error says which one is invalid, or that there is one with
// its name, in the schema or in the set. Subscribers get one notification.
func (s *Set) AddTools(all ...Tool) error { return s.ReplaceTools(nil, all...) }

// RemoveTools removes tools. Names that were not added are ignored. Calls in flight continue.
func (s *Set) RemoveTools(names ...string) error { return s.ReplaceTools(names) }

// ReplaceTools removes tools by their names and adds others in one step, see [Set.AddTools]. If the
// list is the same as before, subscribers get no notification.
func (s *Set) ReplaceTools(remove []string, add ...Tool) error {
	return replace(s, listing.Tools, remove, add, newTool)
}

// newTool checks a tool.
func newTool(t Tool) (entry, error) {
	if err := checkName(listing.Tools, t.Name); err != nil {
		return nil, err
	}
	if t.Call == nil {
		return nil, invalid(listing.Tools, t.Name, errors.New("it has no Call"))
	}
	made := &tool{Tool: t}
	b := appendFields(t.Name, t.Title, t.Description)
	input := t.InputSchema
	if input.IsNull() && wire.PeekAt([]byte(t.Members.String())).In("inputSchema").Kind() == wire.Invalid {
		input = JSON(noArguments)
	}
	b = appendRaw(b, "inputSchema", input)
	b = appendRaw(b, "outputSchema", t.OutputSchema)
	text, err := withMembers(b, t.Members, &types.Tool{})
	if err == nil {
		made.tasks, _ = wire.PeekAt(text).In("execution").In("taskSupport").Text()
		made.Entry = listing.Entry{Key: t.Name, JSON: text, ForApps: protocol.ForApps(wire.PeekAt(text))}
		err = made.compile()
	}
	if err != nil {
		return nil, invalid(listing.Tools, t.Name, err)
	}
	return made, nil
}

const noArguments = `{"type":"object","additionalProperties":false}`

// compile checks the schemas of the tool.
func (t *tool) compile() (err error) {
	p := wire.PeekAt(t.JSON)
	input, output := p.In("inputSchema"), p.In("outputSchema")
	if t.headers, err = annotation.HeadersOf(t.Name, input); err != nil {
		return err
	}
	if t.Unchecked {
		return nil
	}
	if t.input, err = conform.New(string(input.JSON())); err != nil {
		return errors.Join(errors.New("inputSchema"), err)
	}
	if output.Kind() != wire.Invalid {
		if t.output, err = conform.New(string(output.JSON())); err != nil {
			return errors.Join(errors.New("outputSchema"), err)
		}
	}
	return nil
}

// Generation implements [mcp.Dynamic].
func (s *Set) Generation(name string) uint64 {
	if t, ok := s.lookup(listing.Tools, name).(*tool); ok {
		return t.generation
	}
	return 0
}

// Headers implements [mcp.Dynamic].
func (s *Set) Headers(name string) []mcpgen.ToolHeader {
	if t, ok := s.lookup(listing.Tools, name).(*tool); ok {
		return t.headers
	}
	return nil
}

// KeepTasks implements [mcp.Dynamic].
func (s *Set) KeepTasks() { s.keepsTasks = true }

// Task implements [mcp.Dynamic].
func (s *Set) Task(name string) (required, declared bool) {
	t, ok := s.lookup(listing.Tools, name).(*tool)
	return ok && t.tasks == "required" && !t.Unchecked, ok && t.runsAsTask()
}

func (t *tool) runsAsTask() bool { return t.tasks == "optional" || t.tasks == "required" }

// ForApps implements [mcp.Dynamic].
func (s *Set) ForApps(name string) bool {
	t, ok := s.lookup(listing.Tools, name).(*tool)
	return ok && t.Entry.ForApps
}

// CallTool implements [mcp.Dynamic].
func (s *Set) CallTool(ctx context.Context, c *mcp.ToolCall) bool {
	t, ok := s.lookup(listing.Tools, c.Name()).(*tool)
	if !ok {
		return false
	}
	var arguments runtime.Raw
	for c.Arguments() {
		arguments = c.Reader().Raw()
		if t.input != nil {
			t.input.Check(c.Violations(), "", arguments.String())
		}
	}
	if c.Answered() {
		return true
	}
	result, err := t.Call(ctx, arguments)
	if err != nil {
		fail(c, err)
		return true
	}
	t.answer(c, result)
	return true
}

// fail answers with the error of a tool.
func fail(c *mcp.ToolCall, err error) {
	if broken, ok := err.(*violation.Error); ok {
		c.RejectArguments(broken)
		return
	}
	c.Fail(err)
}

// answer answers with a result, after checking it.
func (t *tool) answer(c *mcp.ToolCall, result runtime.Appender) {
	if result == nil {
		c.ReturnEmpty()
		return
	}
	raw, err := rawOf(result)
	if err == nil {
		err = t.check(runtime.Raw(raw))
	}
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnWhole(raw)
}

// rawOf returns what a result writes, after checking it.
func rawOf(result runtime.Appender) (Raw, error) {
	if raw, ok := result.(Raw); ok {
		return raw, nil // it was checked when it was made
	}
	text, err := wire.Marshal(result)
	if err != nil {
		return Raw{}, err
	}
	raw, err := wire.ParseRaw(text)
	return Raw(raw), err
}

// check returns why a result does not fit the output schema, if it does not. A result with isError has none.
func (t *tool) check(result runtime.Raw) error {
	if t.output == nil {
		return nil
	}
	p := wire.PeekAt([]byte(result.String()))
	if string(p.In("isError").JSON()) == "true" {
		return nil
	}
	structured := p.In("structuredContent")
	if structured.Kind() == wire.Invalid {
		return &outputError{t.Name, "it has no structuredContent"}
	}
	var vs violation.List
	t.output.Check(&vs, "/structuredContent", string(structured.JSON()))
	if vs.Len() > 0 {
		return &outputError{t.Name, (&violation.Error{Violations: vs.All(), Dropped: vs.Dropped()}).Error()}
	}
	return nil
}

// outputError means that a tool has returned a result that does not fit its schema. The client gets an internal error, the log its reason.
type outputError struct{ tool, reason string }

func (e *outputError) Error() string {
	return "the result of the tool " + e.tool + " does not fit its outputSchema: " + e.reason
}

// RPCError implements [runtime.Coder].
func (e *outputError) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: runtime.CodeInternalError, Message: "Internal error", Severity: "error"}
}
