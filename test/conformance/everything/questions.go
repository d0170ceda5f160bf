package everything

import (
	"context"
	"strconv"

	"github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	conformance "github.com/rpcgen-go/rpcgen/test/conformance/rpc"
)

// form asks for text, a field a name.
func form(message string, names ...string) mcp.ElicitRequestFormParams {
	properties := make(map[string]mcp20260728.PrimitiveSchemaDefinition, len(names))
	for _, name := range names {
		properties[name] = &mcp20260728.StringSchema{}
	}
	return formOf(message, properties, names)
}

func formOf(message string, properties map[string]mcp20260728.PrimitiveSchemaDefinition, required []string) mcp.ElicitRequestFormParams {
	return mcp.ElicitRequestFormParams{Message: message,
		RequestedSchema: mcp20260728.ElicitRequestFormParamsRequestedSchema{Properties: properties, Required: required}}
}

// said returns what the user has written into a field; nothing when the user has not accepted.
func said(r mcp.ElicitResult, name string) string {
	s, ok := r.Content[name].(mcp20260728.ElicitResultContentValueString)
	if !ok {
		return "nothing"
	}
	return string(s)
}

// question is what a model is asked.
func question(s string) mcp.CreateMessageRequestParams {
	return mcp.CreateMessageRequestParams{MaxTokens: 100,
		Messages: []mcp.SamplingMessage{{Role: mcp20260728.RoleUser, Content: text(s)}}}
}

// reply returns the text of what a model has answered.
func reply(r mcp.CreateMessageResult) string {
	if t, ok := r.Content.(*mcp.TextContent); ok {
		return t.Text
	}
	return "no text"
}

// answer returns what a tool answers with that asked first.
func answer(s string, err error) (mcp.CallToolResult, error) {
	if err != nil {
		return mcp.CallToolResult{}, err
	}
	return result(text(s)), nil
}

func (*server) TestSampling(ctx context.Context, in conformance.TestSamplingInput) (mcp.CallToolResult, error) {
	r, err := mcp.Sample(ctx, "response", question(in.Prompt))
	return answer("LLM response: "+reply(r), err)
}

func (*server) TestMissingCapability(ctx context.Context) (mcp.CallToolResult, error) {
	r, err := mcp.Sample(ctx, "response", question("Is there a model?"))
	return answer("LLM response: "+reply(r), err)
}

func (*server) TestElicitation(ctx context.Context, in conformance.TestElicitationInput) (mcp.CallToolResult, error) {
	f, err := conformance.AskTestElicitationProfile(ctx, in)
	return answer("The user is "+f.Username+" at "+f.Email+".", err)
}

func (*server) TestElicitationSep1034Defaults(ctx context.Context) (mcp.CallToolResult, error) {
	f, err := conformance.AskTestElicitationSep1034DefaultsDefaults(ctx)
	return answer(f.Name+", "+strconv.FormatInt(int64(f.Age), 10)+", is "+string(f.Status)+".", err)
}

func (*server) TestElicitationSep1330Enums(ctx context.Context) (mcp.CallToolResult, error) {
	r, err := mcp.Elicit(ctx, "choices", choices())
	return answer("The user chose "+said(r, "untitledSingle")+".", err)
}

func (*server) TestStreamingElicitation(ctx context.Context) (mcp.CallToolResult, error) {
	f, err := conformance.AskTestStreamingElicitationProceed(ctx)
	return answer("Go on: "+strconv.FormatBool(f.Ok)+".", err)
}

func (*server) TestInputRequiredResultElicitation(ctx context.Context) (mcp.CallToolResult, error) {
	f, err := conformance.AskTestInputRequiredResultElicitationUserName(ctx)
	return answer("Hello, "+f.Name+"!", err)
}

func (*server) TestInputRequiredResultSampling(ctx context.Context) (mcp.CallToolResult, error) {
	r, err := mcp.Sample(ctx, "capital_question", question("What is the capital of France?"))
	return answer("LLM response: "+reply(r), err)
}

func (*server) TestInputRequiredResultListRoots(ctx context.Context) (mcp.CallToolResult, error) {
	r, err := mcp.Roots(ctx, "client_roots")
	return answer("The client has "+strconv.Itoa(len(r.Roots))+" roots.", err)
}

func (*server) TestInputRequiredResultRequestState(ctx context.Context) (mcp.CallToolResult, error) {
	f, err := conformance.AskTestInputRequiredResultRequestStateConfirm(ctx)
	return answer("state-ok, and the user said "+strconv.FormatBool(f.Ok), err)
}

func (*server) TestInputRequiredResultTamperedState(ctx context.Context) (mcp.CallToolResult, error) {
	f, err := conformance.AskTestInputRequiredResultTamperedStateConfirm(ctx)
	return answer("state-ok, and the user said "+strconv.FormatBool(f.Ok), err)
}

func (*server) TestInputRequiredResultMultipleInputs(ctx context.Context) (mcp.CallToolResult, error) {
	ask := mcp.Ask(ctx)
	name := ask.Elicit("user_name", form("What is your name?", "name"))
	greeting := ask.Sample("greeting", question("Greet somebody."))
	roots := ask.Roots("client_roots")
	if err := ask.Wait(); err != nil {
		return mcp.CallToolResult{}, err
	}
	return answer(reply(greeting.Result())+" "+said(name.Result(), "name")+", of "+strconv.Itoa(len(roots.Result().Roots))+" roots", nil)
}

func (*server) TestInputRequiredResultMultiRound(ctx context.Context) (mcp.CallToolResult, error) {
	first, err := conformance.AskTestInputRequiredResultMultiRoundStep1(ctx)
	if err != nil {
		return mcp.CallToolResult{}, err
	}
	second, err := conformance.AskTestInputRequiredResultMultiRoundStep2(ctx)
	return answer(first.Name+" likes "+second.Color+".", err)
}

// TestInputRequiredResultCapabilities asks in ways that the client knows.
func (*server) TestInputRequiredResultCapabilities(ctx context.Context) (mcp.CallToolResult, error) {
	ask, can := mcp.Ask(ctx), mcp.ClientOf(ctx).Capabilities
	if can.Sampling() {
		ask.Sample("capital_question", question("What is the capital of France?"))
	}
	if can.Elicitation() {
		ask.Elicit("user_name", form("What is your name?", "name"))
	}
	return answer("The client has answered what it can.", ask.Wait())
}
