package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
)

// Options choose what is added. The zero value adds everything.
type Options = mount.Options

// Add adds tools, resources, templates and prompts of from to server, all of them or nothing: the entries are
// listed as from lists them, and the calls reach its handlers with their arguments as they came. The error
// names what cannot be added. Handlers see the client of the call, and its user as [mcp.PrincipalFrom] if the
// SDK has verified a token. Without one, a call over HTTP may be one of any caller, for credentials of a backend, too; a
// call over a transport of the program's own counts as one of the person who runs it.
//
// What server offers already is read by a session over memory, so its middleware sees one.
func Add(server *sdk.Server, from *mcp.Server, o Options) error {
	a := adapter{mount.New(from)}
	err := a.mounted.Add(o, func() (func(mount.Kind, string) bool, error) {
		all, err := offers(server)
		return func(kind mount.Kind, name string) bool { return all[kind][name] }, err
	}, func(e mount.Entry) (func(), error) { return a.add(server, e) })
	if err != nil {
		return fmt.Errorf("gosdk: %w", err)
	}
	return nil
}

// adapter makes handlers of the SDK that call a server.
type adapter struct{ mounted *mount.Server }

// add reads an entry and returns a function that adds it.
func (a adapter) add(server *sdk.Server, e mount.Entry) (func(), error) {
	switch e.Kind {
	case mount.Tool:
		t := new(sdk.Tool)
		var schemas struct {
			Input  json.RawMessage `json:"inputSchema"`
			Output json.RawMessage `json:"outputSchema"`
		}
		if err := errors.Join(json.Unmarshal(e.Text, t), json.Unmarshal(e.Text, &schemas)); err != nil {
			return nil, err
		}
		t.InputSchema = schemas.Input // as it is: the SDK's own type has no order of members
		if schemas.Output != nil {
			t.OutputSchema = schemas.Output
		}
		return func() { server.AddTool(t, a.callTool) }, nil
	case mount.Resource:
		r := new(sdk.Resource)
		return func() { server.AddResource(r, a.readResource) }, json.Unmarshal(e.Text, r)
	case mount.Template:
		r := new(sdk.ResourceTemplate)
		return func() { server.AddResourceTemplate(r, a.readResource) }, json.Unmarshal(e.Text, r)
	default:
		p := new(sdk.Prompt)
		return func() { server.AddPrompt(p, a.getPrompt) }, json.Unmarshal(e.Text, p)
	}
}

func (a adapter) callTool(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	result := new(sdk.CallToolResult)
	params := mount.Params{Name: r.Params.Name, Arguments: r.Params.Arguments, RequestState: r.Params.RequestState}
	raw, err := call(ctx, a, "tools/call", params, r.Params.Meta, r, r.Params.InputResponses, result)
	if err != nil {
		return nil, err
	}
	var structured struct {
		Content json.RawMessage `json:"structuredContent"`
	}
	if err := json.Unmarshal(raw, &structured); err != nil {
		return nil, err
	}
	if structured.Content != nil {
		result.StructuredContent = structured.Content // with all digits, and members in their order
	}
	return result, nil
}

func (a adapter) readResource(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	result := new(sdk.ReadResourceResult)
	params := mount.Params{URI: r.Params.URI, RequestState: r.Params.RequestState}
	_, err := call(ctx, a, "resources/read", params, r.Params.Meta, r, r.Params.InputResponses, result)
	if err != nil {
		return nil, err
	}
	return result, nil
}

func (a adapter) getPrompt(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	params := mount.Params{Name: r.Params.Name, RequestState: r.Params.RequestState}
	if err := mount.Marshal(map[*json.RawMessage]any{&params.Arguments: r.Params.Arguments}); err != nil {
		return nil, err
	}
	result := new(sdk.GetPromptResult)
	_, err := call(ctx, a, "prompts/get", params, r.Params.Meta, r, r.Params.InputResponses, result)
	if err != nil {
		return nil, err
	}
	return result, nil
}

// request is what the requests of the SDK have in common.
type request interface {
	GetSession() sdk.Session
	ProtocolVersion() string
	GetExtra() *sdk.RequestExtra
	ClientInfo() *sdk.Implementation
	ClientCapabilities() *sdk.ClientCapabilities
}

// call calls the server for a request of the SDK, and reads the result into result. It returns the result as it came, too.
func call(ctx context.Context, a adapter, method string, params mount.Params, meta sdk.Meta, r request, answers sdk.InputResponseMap,
	result any) (json.RawMessage, error) {
	session, _ := r.GetSession().(*sdk.ServerSession)
	extra := r.GetExtra()
	c := mount.Client{Notify: notifier(ctx, session), Remote: extra != nil && (extra.Header != nil || extra.TokenInfo != nil)} // SSE is known by the context
	if len(answers) == 0 {
		answers = nil
	}
	if err := mount.Marshal(map[*json.RawMessage]any{
		&c.Info: r.ClientInfo(), &c.Capabilities: r.ClientCapabilities(), &c.Meta: meta, &params.InputResponses: answers,
	}); err != nil {
		return nil, err
	}
	if extra != nil && extra.TokenInfo != nil && extra.TokenInfo.UserID != "" {
		ctx = principal.WithScopes(mcp.WithPrincipal(ctx, extra.TokenInfo.UserID), extra.TokenInfo.Scopes...)
	}
	raw, err := a.callServer(ctx, method, params, c)
	for range mostRounds {
		if err != nil || session == nil || r.ProtocolVersion() >= mcp.Revision20260728 {
			break
		}
		asked, askedErr := questions(raw)
		if askedErr != nil || len(asked.Requests) == 0 {
			err = askedErr
			break
		}
		if params.InputResponses, err = ask(ctx, session, asked.Requests); err != nil {
			break
		}
		params.RequestState = asked.State
		raw, err = a.callServer(ctx, method, params, c)
	}
	if err != nil {
		return nil, err
	}
	return raw, json.Unmarshal(raw, result)
}

// callServer calls the server, and returns its errors as those of the SDK.
func (a adapter) callServer(ctx context.Context, method string, params mount.Params, c mount.Client) (json.RawMessage, error) {
	raw, err := a.mounted.Call(ctx, method, params, c)
	if answered, ok := errors.AsType[*runtime.Error](err); ok {
		wire := &jsonrpc.Error{Code: answered.Code, Message: answered.Message}
		if answered.HasData {
			wire.Data = json.RawMessage(answered.Data.String())
		}
		return nil, wire
	}
	return raw, err
}

// notifier passes notifications on to the client of a session. Errors are those of the connection, which the SDK finds itself.
func notifier(ctx context.Context, session *sdk.ServerSession) func(string, json.RawMessage) {
	if session == nil {
		return nil
	}
	return func(method string, params json.RawMessage) {
		switch method {
		case "notifications/progress":
			var p sdk.ProgressNotificationParams
			if json.Unmarshal(params, &p) == nil {
				_ = session.NotifyProgress(ctx, &p)
			}
		case "notifications/message":
			var p sdk.LoggingMessageParams
			if json.Unmarshal(params, &p) == nil {
				_ = session.Log(ctx, &p)
			}
		}
	}
}
