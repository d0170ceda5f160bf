package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/schema/notation"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// tool is an entry of the list of a server.
type tool struct {
	mcpclient.Tool
	raw runtime.Raw // as the server sent it
}

// input returns the schema of what the tool takes.
func (t *tool) input() schema {
	return schemaOf(wire.PeekAt([]byte(t.raw.String())).In("inputSchema").JSON())
}

// taskSupport returns whether calls run as tasks: optional, required, or anything else for never.
func (t *tool) taskSupport() string {
	support, _ := wire.PeekAt([]byte(t.raw.String())).In("execution").In("taskSupport").Text()
	return support
}

// Tools lists the tools of a server: with asJSON as a JSON array of what the server says of them.
func Tools(ctx context.Context, s *Server, t Terminal, asJSON bool) (err error) {
	c, err := s.connect(ctx, t)
	if err != nil {
		return err
	}
	defer func() { err = closingError(t, err, c.Close()) }()
	tools, bad, err := list(ctx, c)
	if err != nil {
		return err
	}
	note(t.Err, bad)
	if asJSON {
		return printJSON(t.Out, appendTools(nil, tools))
	}
	who, err := about(ctx, c)
	if err != nil {
		return err
	}
	fmt.Fprintln(t.Out, text.Line(introduction(who, c)))
	for i := range tools {
		if err := printTool(t.Out, &tools[i]); err != nil {
			return err
		}
	}
	return nil
}

// about returns what a server says of itself; in the stateless era it has to be asked.
func about(ctx context.Context, c *mcpclient.Client) (mcpclient.ServerInfo, error) {
	if who := c.Server(); who.Name != "" {
		return who, nil
	}
	return c.Discover(ctx)
}

// Document returns what a server says of itself and lists, as the JSON that an import reads: {"serverInfo": ..., "instructions": ...,
// "capabilities": ..., "tools": ..., "resources": ..., "resourceTemplates": ..., "prompts": ...}. Lists other than that of tools that the server
// offers and does not give are left out, with a line on t.Err.
//
// Lists in several pages are read twice: if they change meanwhile, entries may be missing, and that is an error.
func Document(ctx context.Context, s *Server, t Terminal) (b []byte, err error) {
	pages := make(map[string]int)
	c, err := s.connect(ctx, t, func(next mcpclient.Handler) mcpclient.Handler {
		return func(ctx context.Context, q *mcpclient.Request) error {
			if strings.HasSuffix(q.Method(), "/list") {
				pages[q.Method()]++
			}
			return next(ctx, q)
		}
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(s.explainEnd(err), c.Close()) }()
	if b, err = readDocument(ctx, c, t); err != nil {
		return nil, err
	}
	for _, n := range pages {
		if n == 1 {
			continue
		}
		again, err := readDocument(ctx, c, t)
		if err == nil && !bytes.Equal(b, again) {
			err = errors.New("the lists of the server have changed while they were read, so entries may be missing: import it again")
		}
		return b, err
	}
	return b, nil
}

// readDocument reads a Document from a client.
func readDocument(ctx context.Context, c *mcpclient.Client, t Terminal) (b []byte, err error) {
	who, err := about(ctx, c)
	if err != nil {
		return nil, err
	}
	var tools []tool
	if who.Capabilities.Has("tools") || !who.Capabilities.Has("resources") && !who.Capabilities.Has("prompts") {
		var bad []error
		if tools, bad, err = list(ctx, c); err != nil {
			return nil, err
		}
		note(t.Err, bad)
	}
	b = append(append([]byte(`{"serverInfo":`), who.Implementation.String()...), `,"instructions":`...)
	b = wire.AppendString(b, who.Instructions)
	b = append(append(b, `,"capabilities":`...), who.Capabilities.JSON().String()...)
	b = appendTools(append(b, `,"tools":`...), tools)
	for _, one := range []struct{ capability, member string }{{"resources", "resources"}, {"resources", "resourceTemplates"}, {"prompts", "prompts"}} {
		if !who.Capabilities.Has(one.capability) {
			continue
		}
		entries, err := listOf(ctx, c, one.member)
		if err != nil {
			if refused, ok := errors.AsType[*runtime.Error](err); !ok || refused.Code != runtime.CodeMethodNotFound {
				fmt.Fprintf(t.Err, "the server offers %s, and does not list them: %v\n", one.member, err)
			}
			continue
		}
		b = append(append(append(b, `,"`...), one.member...), `":`...)
		b = wire.AppendSlice(b, entries, func(e *runtime.Raw, b []byte) []byte { return append(b, e.String()...) })
	}
	return append(b, '}'), nil
}

// listOf returns the entries of a list as the server sent them.
func listOf(ctx context.Context, c *mcpclient.Client, member string) ([]runtime.Raw, error) {
	var all []runtime.Raw
	for entry, err := range mcpclient.Entries(ctx, c, member) {
		switch {
		case err != nil:
			return nil, err
		case len(all) == mostTools:
			return nil, fmt.Errorf("there are more than %d", mostTools)
		}
		all = append(all, entry)
	}
	return all, nil
}

// appendTools appends tools as the server sent them.
func appendTools(b []byte, tools []tool) []byte {
	return wire.AppendSlice(b, tools, func(t *tool, b []byte) []byte { return append(b, t.raw.String()...) })
}

// mostTools limits how many tools a server may list: more than a person can read, and less than it takes to fill the memory.
const mostTools = 10_000

// list returns the tools of a server that are valid, and an error for each other one.
func list(ctx context.Context, c *mcpclient.Client) (all []tool, bad []error, err error) {
	for entry, err := range mcpclient.Entries(ctx, c, "tools") {
		switch {
		case err != nil:
			return nil, nil, err
		case len(all)+len(bad) == mostTools:
			return nil, nil, fmt.Errorf("the server lists more than %d tools", mostTools)
		}
		one := tool{raw: entry}
		if err := wire.UnmarshalCopy([]byte(entry.String()), &one.Tool); err != nil {
			name, _ := wire.PeekAt([]byte(entry.String())).In("name").Text()
			bad = append(bad, &badToolError{name, err})
			continue
		}
		all = append(all, one)
	}
	return all, bad, nil
}

// badToolError means that a server lists a tool which is not valid.
type badToolError struct {
	name string
	err  error
}

func (e *badToolError) Error() string {
	return fmt.Sprintf("the server lists a tool %q that is not valid: %v", e.name, e.err)
}

func (e *badToolError) Unwrap() error { return e.err }

// note says which tools are left out.
func note(out io.Writer, bad []error) {
	for _, err := range bad {
		fmt.Fprintf(out, "%s; it is left out\n", text.Line(err.Error()))
	}
}

// printTool prints a tool and its input, newline-separated.
func printTool(out io.Writer, tool *tool) error {
	fmt.Fprintf(out, "\n%s", text.Line(tool.Name))
	about, _ := tool.Description.Get() // models read it, and not the title
	if about, _, _ = strings.Cut(strings.TrimSpace(about), "\n"); about == "" {
		about, _ = tool.Title.Get()
	}
	if about != "" {
		fmt.Fprintf(out, "  %s", text.Line(about))
	}
	switch support := tool.taskSupport(); support {
	case "optional", "required":
		fmt.Fprintf(out, " (task: %s)", support)
	}
	_, err := io.WriteString(out, "\n"+notation.Rows(tool.input().rows()))
	return err
}

// printJSON prints JSON for people.
func printJSON(out io.Writer, v json.RawMessage) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = out.Write(append(b, '\n'))
	return err
}

// Open connects to the server for a program that does not ask a person.
func (s *Server) Open(ctx context.Context, errors io.Writer) (*mcpclient.Client, error) {
	return s.connect(ctx, Terminal{In: strings.NewReader(""), Out: io.Discard, Err: errors})
}

// About returns the name and version of a server, and its revision of the protocol.
func About(ctx context.Context, c *mcpclient.Client) (string, error) {
	who, err := about(ctx, c)
	return introduction(who, c), err
}

// introduction is the name and version of a server, if it gives them, and the revision.
func introduction(who mcpclient.ServerInfo, c *mcpclient.Client) string {
	name := cmp.Or(strings.TrimSpace(who.Name+" "+who.Version), "a server without a name")
	return fmt.Sprintf("%s, revision %s", name, c.Revision())
}

// ToolListing is a tool as a server lists it.
type ToolListing struct {
	Name          string
	Input, Output []byte // JSON Schemas; Output is nil if there is none
	ReadOnly      bool   // it says that it changes nothing
	Destructive   bool   // it does not say that it only adds
	Tasks         bool   // it runs as tasks only
}

// ListTools returns the tools of a server, and says on out which are not valid and left out.
func ListTools(ctx context.Context, c *mcpclient.Client, out io.Writer) ([]ToolListing, error) {
	tools, bad, err := list(ctx, c)
	if err != nil {
		return nil, err
	}
	note(out, bad)
	all := make([]ToolListing, 0, len(tools))
	for i := range tools {
		p := wire.PeekAt([]byte(tools[i].raw.String()))
		hints := p.In("annotations")
		all = append(all, ToolListing{
			Name: tools[i].Name, Input: p.In("inputSchema").JSON(), Output: p.In("outputSchema").JSON(),
			ReadOnly:    string(hints.In("readOnlyHint").JSON()) == "true",
			Destructive: string(hints.In("destructiveHint").JSON()) != "false",
			Tasks:       tools[i].taskSupport() == "required",
		})
	}
	return all, nil
}

// Arguments returns the arguments, as JSON, that words of the form name=value stand for. What the schema requires and the words do not give is left out.
func Arguments(input []byte, words []string) ([]byte, error) {
	o, faults := collect(schemaOf(input), words)
	if faults != nil {
		return nil, &UsageError{faults[0]}
	}
	return o.appendJSON(nil), nil
}

// ToolLists is what a server says when it is asked for its tools.
type ToolLists struct {
	Name, Version string
	Tools         int
	Took          time.Duration // from the start of the program, or the first request, to the last page of the list
}

// ErrLogin says that a server requires a token, and was sent none.
var ErrLogin = errors.New("the server requires a login")

// mostProbing is how long a server may take to list its tools.
const mostProbing = 30 * time.Second

// Probe asks a server for its tools as a host does. A program that writes anything but messages to its standard output is an error, even where clients
// would overlook it.
func Probe(ctx context.Context, s Server) (f ToolLists, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, mostProbing, fmt.Errorf("there is no list of tools after %s", mostProbing))
	defer cancel()
	var output strict
	s.see, s.Wait = output.see, 2*mostProbing // ctx ends before
	began := time.Now()
	c, err := s.connect(ctx, Terminal{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	if err == nil {
		var tools []tool
		var bad []error
		if tools, bad, err = list(ctx, c); err == nil {
			err = errors.Join(bad...)
		}
		if err == nil {
			f.Tools, f.Took = len(tools), time.Since(began)
			who, fault := about(ctx, c)
			f.Name, f.Version, err = who.Name, who.Version, fault
		}
		err = errors.Join(err, c.Close())
	}
	if ended, ok := errors.AsType[*stdio.ExitError](err); ok { // rather than that the connection is closed
		err = ended
	}
	refused, ok := errors.AsType[*mcphttp.StatusError](err)
	switch cause := context.Cause(ctx); {
	case ok && refused.Status == http.StatusUnauthorized && !slices.ContainsFunc(s.Headers, isAuthorization):
		return f, ErrLogin
	case output.fault() != nil:
		return f, output.fault()
	case err != nil && cause != nil:
		return f, cause
	}
	return f, err
}

func isAuthorization(line string) bool {
	name, _, _ := strings.Cut(line, ":")
	return strings.EqualFold(strings.TrimSpace(name), "Authorization")
}

// strict looks for what is not a message of JSON-RPC.
type strict struct {
	mu    sync.Mutex
	first string
}

func (s *strict) see(sent bool, frame []byte) {
	if sent {
		return
	}
	if wire.Check(frame, wire.MaxDepth) == nil {
		p := wire.PeekAt(frame)
		if version, _ := p.In("jsonrpc").Text(); version == "2.0" || p.Kind() == wire.Array {
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == "" {
		const most = 80 // bytes that are shown
		s.first = text.Line(strings.ToValidUTF8(string(frame[:min(len(frame), most)]), "\uFFFD"))
	}
}

func (s *strict) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == "" {
		return nil
	}
	return fmt.Errorf("it writes %q to its standard output, which is for messages only: write to the standard error", s.first)
}
