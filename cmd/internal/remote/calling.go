package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Call is one call of a tool.
type Call struct {
	Tool      string
	Words     []string // name=value
	Arguments string   // JSON, in the place of words; empty if there is none
	AsJSON    bool     // print the whole result
	AsTask    bool     // run as a task although the tool does not require it

	// Timeout is how long the call may take; a person who is asked meanwhile has a time of their own. Zero means that there is no limit.
	Timeout time.Duration
}

// ErrFailed says that the tool has failed. What it says about that was printed.
var ErrFailed = errors.New("the tool failed")

// Run calls the tool and prints what it returns. The error is a [*UsageError] when the call makes no sense; then nothing was called.
func (call *Call) Run(ctx context.Context, s *Server, t Terminal) (err error) {
	t.clock = cmp.Or(t.clock, new(patience))
	c, err := s.connect(ctx, t)
	if err != nil {
		return err
	}
	defer func() { err = closingError(t, err, c.Close()) }()
	tools, bad, err := list(ctx, c)
	if err != nil {
		return err
	}
	for _, err := range bad {
		if named, ok := errors.AsType[*badToolError](err); ok && named.name == call.Tool {
			return err
		}
	}
	tool, err := find(tools, call.Tool)
	if err != nil {
		return &UsageError{err}
	}
	arguments, err := call.arguments(tool)
	if err != nil {
		return &UsageError{fmt.Errorf("the arguments of %s:\n%w", call.Tool, err)}
	}
	result, err := call.send(ctx, s, t, c, tool, arguments)
	if err != nil {
		return explainMissing(err, call.Tool, t.Interactive)
	}
	return call.print(t, &result)
}

// send calls the tool, and waits for its result as long as the call may take.
func (call *Call) send(ctx context.Context, s *Server, t Terminal, c *mcpclient.Client, tool *tool, args runtime.Raw) (result mcp.CallToolResult, err error) {
	if call.Timeout > 0 {
		limited, stop := t.clock.limit(ctx, call.Timeout, fmt.Errorf("there is no result after %s, and the call was cancelled: give the tool longer with "+
			"--timeout", call.Timeout))
		defer stop()
		ctx = limited
	}
	if call.AsTask || tool.taskSupport() == "required" {
		result, err = runTask(ctx, s, t, c, call.Tool, args)
	} else {
		result, err = c.CallTool(ctx, call.Tool, args)
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	return result, err
}

// closingError returns the error of a command whose connection was closed. How a server ends makes no error of what it has answered: a line says it.
func closingError(t Terminal, err, end error) error {
	if end != nil && (err == nil || errors.Is(err, ErrFailed)) {
		fmt.Fprintf(t.Err, "the server has answered, and did not end in order: %v\n", end)
		return err
	}
	return errors.Join(err, end)
}

// runTask calls a tool as a task and waits for its result. If ctx ends before, the task is cancelled.
func runTask(ctx context.Context, s *Server, t Terminal, c *mcpclient.Client, tool string, arguments runtime.Raw) (result mcp.CallToolResult, err error) {
	task, err := c.StartTool(ctx, tool, arguments)
	if err != nil {
		return result, err
	}
	if s.Verbose {
		for state, err := range task.Updates(ctx) {
			if err != nil {
				break // Run says it
			}
			fmt.Fprintln(t.Err, strings.TrimSpace("task "+task.ID()+" "+string(state.Status)+" "+state.Message))
		}
	}
	return task.Run(ctx)
}

// explainMissing says which capability a server misses, and why this client does not have it.
func explainMissing(err error, tool string, interactive bool) error {
	required := missingCapabilities(err)
	switch {
	case required.Kind() == wire.Invalid:
		return err
	case NeedsTask(err):
		return fmt.Errorf("%s runs as a task only: call it with --task: %w", tool, err)
	case required.Has("elicitation") && !interactive:
		return fmt.Errorf("%s asks something, and there is no terminal to ask at: %w", tool, err)
	case required.Has("sampling"):
		return fmt.Errorf("%s asks for a completion by a model, which this command does not have: %w", tool, err)
	case required.Has("roots"):
		return fmt.Errorf("%s asks for the folders of its client, and this command gives none: %w", tool, err)
	}
	return fmt.Errorf("%s needs a capability that this command does not have, %s: %w", tool, text.Line(string(required.JSON())), err)
}

// missingCapabilities returns the capabilities that a server says the client needs, or nothing.
func missingCapabilities(err error) wire.Peek {
	refused, ok := errors.AsType[*runtime.Error](err)
	if !ok || refused.Code != mcp.CodeMissingCapability {
		return wire.Peek{}
	}
	return wire.PeekAt([]byte(refused.Data.String())).In("requiredCapabilities")
}

// NeedsTask reports whether a call was refused because its tool runs as a task only (SEP-2663).
func NeedsTask(err error) bool {
	return missingCapabilities(err).In("extensions").Has("io.modelcontextprotocol/tasks")
}

// find returns the tool of a name.
func find(tools []tool, name string) (*tool, error) {
	var known []string
	for i := range tools {
		if tools[i].Name == name {
			return &tools[i], nil
		}
		known = append(known, tools[i].Name)
	}
	return nil, noSuch("tool", name, known)
}

// noSuch says that there is no tool or method of a name.
func noSuch(what, name string, known []string) error {
	if near := violation.Closest(name, known); near != "" {
		return fmt.Errorf("there is no %s %s; did you mean %s?", what, name, text.Line(near))
	}
	return fmt.Errorf("there is no %s %s; those that are there: %s", what, name, text.Line(strings.Join(known, ", ")))
}

// arguments returns what the tool is called with.
func (call *Call) arguments(tool *tool) (runtime.Raw, error) {
	if call.Arguments == "" {
		text, err := arguments(tool.input(), call.Words)
		if err != nil {
			return runtime.Raw{}, err
		}
		return wire.ParseRaw(text)
	}
	raw, err := wire.ParseRaw([]byte(call.Arguments))
	if err == nil && raw.Kind() != wire.Object {
		err = fmt.Errorf("expected an object, got %s", raw.Kind())
	}
	return raw, err
}

// print prints the result: structured content as JSON, else the text.
func (call *Call) print(t Terminal, result *mcp.CallToolResult) error {
	failed, _ := result.IsError.Get()
	out := t.Out
	if failed {
		out = t.Err
	}
	if err := call.printTo(out, result); err != nil {
		return err
	}
	if failed {
		return ErrFailed
	}
	return nil
}

func (call *Call) printTo(out io.Writer, result *mcp.CallToolResult) error {
	if call.AsJSON {
		return printJSON(out, result.AppendJSON(nil))
	}
	if structured, ok := result.StructuredContent.Get(); ok {
		return printJSON(out, []byte(structured.String()))
	}
	for _, block := range result.Content {
		fmt.Fprintln(out, blockText(block))
	}
	return nil
}

// blockText is a content block for people.
func blockText(block mcp.ContentBlock) string {
	switch b := block.(type) {
	case *mcp.TextContent:
		return b.Text
	case *mcp.ImageContent:
		return fmt.Sprintf("[image, %s, %d bytes]", b.MimeType, len(b.Data))
	case *mcp.AudioContent:
		return fmt.Sprintf("[audio, %s, %d bytes]", b.MimeType, len(b.Data))
	case *mcp.ResourceLink:
		return "[" + b.Name + "] " + b.URI
	case *mcp.EmbeddedResource:
		switch r := b.Resource.(type) {
		case *mcp.TextResourceContents:
			return r.Text
		case *mcp.BlobResourceContents:
			return fmt.Sprintf("[%s, %d bytes]", r.URI, len(r.Blob))
		}
	}
	text, err := json.Marshal(block)
	if err != nil {
		return "[" + err.Error() + "]"
	}
	return string(text)
}
