package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
)

// Options choose what is added. The zero value adds everything.
type Options = mount.Options

// Add adds tools, resources, templates and prompts of from to s, all of them or nothing: the entries are listed
// as from lists them, and the calls reach its handlers with their arguments as they came. The error names what
// cannot be added. Handlers see the client of the call, and the user that [mcp.WithPrincipal] has put into the
// context of the request. Without one, a call over HTTP may be one of any caller, for credentials of a backend, too; a call
// over a transport of the program's own counts as one of the person who runs it.
func Add(s *server.MCPServer, from *mcp.Server, o Options) error {
	a := adapter{mount.New(from)}
	err := a.mounted.Add(o, func() (func(mount.Kind, string) bool, error) { return hasEntry(s), nil },
		func(e mount.Entry) (func(), error) { return a.add(s, e) })
	if err != nil {
		return fmt.Errorf("mcpgo: %w", err)
	}
	return nil
}

// hasEntry reports whether a server has an entry. Its templates are not listed by a method of their own.
func hasEntry(s *server.MCPServer) func(mount.Kind, string) bool {
	tools, resources, prompts := s.ListTools(), s.ListResources(), s.ListPrompts()
	templates := map[string]bool{}
	answer := s.HandleMessage(context.Background(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}`))
	if r, ok := answer.(sdk.JSONRPCResponse); ok {
		if list, ok := r.Result.(sdk.ListResourceTemplatesResult); ok {
			for _, t := range list.ResourceTemplates {
				templates[t.URITemplate.Raw()] = true
			}
		}
	}
	return func(kind mount.Kind, name string) bool {
		switch kind {
		case mount.Tool:
			return tools[name] != nil
		case mount.Resource:
			return resources[name] != nil
		case mount.Template:
			return templates[name]
		}
		return prompts[name] != nil
	}
}

// adapter makes handlers of mcp-go that call a server.
type adapter struct{ mounted *mount.Server }

// add reads an entry and returns a function that adds it.
func (a adapter) add(s *server.MCPServer, e mount.Entry) (func(), error) {
	switch e.Kind {
	case mount.Tool:
		var t sdk.Tool
		var schemas struct {
			Input  json.RawMessage `json:"inputSchema"`
			Output json.RawMessage `json:"outputSchema"`
		}
		if err := errors.Join(json.Unmarshal(e.Text, &t), json.Unmarshal(e.Text, &schemas)); err != nil {
			return nil, err
		}
		t.InputSchema, t.RawInputSchema = sdk.ToolInputSchema{}, schemas.Input // as they are: the types of mcp-go have no order of members
		t.OutputSchema, t.RawOutputSchema = sdk.ToolOutputSchema{}, schemas.Output
		return func() { s.AddTool(t, a.callTool) }, nil
	case mount.Resource:
		var r sdk.Resource
		err := json.Unmarshal(e.Text, &r)
		return func() { s.AddResource(r, a.readResource) }, err
	case mount.Template:
		var r sdk.ResourceTemplate
		err := json.Unmarshal(e.Text, &r)
		return func() { s.AddResourceTemplate(r, a.readResource) }, err
	default:
		var p sdk.Prompt
		err := json.Unmarshal(e.Text, &p)
		return func() { s.AddPrompt(p, a.getPrompt) }, err
	}
}

func (a adapter) callTool(ctx context.Context, r sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	raw, err := a.call(ctx, "tools/call", mount.Params{Name: r.Params.Name, Arguments: r.Params.RawArguments}, r.Header, r.Params.Meta,
		r.Params.MultiRoundTripParams)
	if err != nil {
		return nil, err
	}
	result := new(sdk.CallToolResult)
	return result, json.Unmarshal(raw, result)
}

var errAsks = errors.New("the resource asks the client, and mcp-go cannot pass that on: ask in a tool or a prompt")

func (a adapter) readResource(ctx context.Context, r sdk.ReadResourceRequest) ([]sdk.ResourceContents, error) {
	raw, err := a.call(ctx, "resources/read", mount.Params{URI: r.Params.URI}, r.Header, r.Params.Meta, r.Params.MultiRoundTripParams)
	if err != nil {
		return nil, err
	}
	result, err := sdk.ParseReadResourceResult(&raw)
	if err != nil {
		return nil, err
	}
	if result.NeedsInput() {
		return nil, errAsks
	}
	return result.Contents, nil
}

func (a adapter) getPrompt(ctx context.Context, r sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	p := mount.Params{Name: r.Params.Name}
	if err := mount.Marshal(map[*json.RawMessage]any{&p.Arguments: r.Params.Arguments}); err != nil {
		return nil, err
	}
	raw, err := a.call(ctx, "prompts/get", p, r.Header, r.Params.Meta, r.Params.MultiRoundTripParams)
	if err != nil {
		return nil, err
	}
	return sdk.ParseGetPromptResult(&raw)
}

// call calls the server for a request of mcp-go.
func (a adapter) call(ctx context.Context, method string, p mount.Params, header http.Header, meta *sdk.Meta,
	round sdk.MultiRoundTripParams) (json.RawMessage, error) {
	c := mount.Client{Notify: notifier(ctx), Remote: len(header) > 0} // which mcp-go has of HTTP alone
	info, capabilities := client(ctx)
	if len(round.InputResponses) == 0 {
		round.InputResponses = nil
	}
	if err := mount.Marshal(map[*json.RawMessage]any{
		&c.Info: info, &c.Capabilities: capabilities, &c.Meta: meta, &p.InputResponses: round.InputResponses,
	}); err != nil {
		return nil, err
	}
	p.RequestState = round.RequestState
	raw, err := a.mounted.Call(ctx, method, p, c)
	if answered, ok := errors.AsType[*runtime.Error](err); ok {
		return nil, errors.New(text(answered)) // errors of handlers have no code and no data in mcp-go
	}
	return raw, err
}

// text is the message of an error, with its detail if there is one.
func text(e *runtime.Error) string {
	if !e.HasData {
		return e.Message
	}
	var data struct {
		Detail string `json:"detail"`
	}
	if json.Unmarshal([]byte(e.Data.String()), &data) != nil || data.Detail == "" {
		return e.Message
	}
	return e.Message + ": " + data.Detail
}

// client returns what is known of the client of a request: what the request says in revision 2026-07-28, else what the session has.
func client(ctx context.Context) (info *sdk.Implementation, capabilities *sdk.ClientCapabilities) {
	if said := server.RequestProtocolInfoFromContext(ctx); said != nil && said.Modern {
		return said.ClientInfo, said.ClientCapabilities
	}
	session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if !ok {
		return nil, nil
	}
	i, c := session.GetClientInfo(), session.GetClientCapabilities()
	if i.Name != "" {
		info = &i
	}
	return info, &c
}

// notifier passes notifications on to the client of a request. Errors are those of the connection, which mcp-go finds itself.
func notifier(ctx context.Context) func(string, json.RawMessage) {
	s := server.ServerFromContext(ctx)
	if s == nil || server.ClientSessionFromContext(ctx) == nil {
		return nil
	}
	return func(method string, params json.RawMessage) {
		switch method {
		case "notifications/progress":
			var p map[string]any
			if json.Unmarshal(params, &p) == nil {
				_ = s.SendNotificationToClient(ctx, method, p)
			}
		case "notifications/message":
			var n sdk.LoggingMessageNotification
			if json.Unmarshal(params, &n.Params) == nil {
				n.Method = method
				_ = s.SendLogMessageToClient(ctx, n)
			}
		}
	}
}
