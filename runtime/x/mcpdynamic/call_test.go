package mcpdynamic_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// TestTyped calls a tool whose arguments and result have generated types.
func TestTyped(t *testing.T) {
	srv, set := newServer(mcpdynamic.Options{}, mcp.Options{})
	err := set.AddTools(mcpdynamic.Tool{
		Name:         "paint",
		InputSchema:  mcpdynamic.JSON(`{"type":"object"}`), // the type says more
		OutputSchema: mcpdynamic.JSON(`{"type":"object","properties":{"cents":{"maximum":5}}}`),
		Call: mcpdynamic.Typed(func(_ context.Context, in toolbox.Item) (*toolbox.Item, error) {
			in.Name += "!"
			return &in, nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	connections(t, srv, func(t *testing.T, connect func(mcpclient.Options) *mcpclient.Client) {
		c := connect(mcpclient.Options{})
		result, err := c.CallTool(t.Context(), "paint", mcpdynamic.JSON(`{"sku":"ABC-1234","name":"pot","cents":5}`))
		const want = `{"sku":"ABC-1234","name":"pot!","cents":5}`
		if structured, _ := result.StructuredContent.Get(); err != nil || structured.String() != want || textOf(result) != want {
			t.Errorf("got %v, %v", result, err)
		}
		result, err = c.CallTool(t.Context(), "paint", mcpdynamic.JSON(`{"sku":"no","name":"pot","cents":5}`))
		if err != nil || !result.IsError.Or(false) || !strings.Contains(textOf(result), "/sku") {
			t.Errorf("got %v, %v, want the violation of /sku", result, err)
		}
		var internal *runtime.Error
		_, err = c.CallTool(t.Context(), "paint", mcpdynamic.JSON(`{"sku":"ABC-1234","name":"pot","cents":6}`))
		if !errors.As(err, &internal) || internal.Code != runtime.CodeInternalError {
			t.Errorf("got %v, want an internal error: the result does not fit the outputSchema", err)
		}
	})
}

// TestOutcomes returns results and errors of every kind.
func TestOutcomes(t *testing.T) {
	srv, set := newServer(mcpdynamic.Options{}, mcp.Options{})
	outcomes := map[string]struct {
		result runtime.Appender
		err    error
		want   string
	}{
		"raw":      {mcpdynamic.Raw(mcpdynamic.JSON(`{"content":[{"type":"text","text":"a"}],"x":1,"_meta":{"k":2}}`)), nil, `"x":1`},
		"failure":  {mcpdynamic.Raw(mcpdynamic.JSON(`{"content":[],"isError":true}`)), nil, `"isError":true`},
		"nothing":  {nil, nil, `"content":[]`},
		"declared": {nil, &toolbox.TooManyError{}, `"name":"TooMany"`},
		"coder":    {nil, runtime.Answer(17, "no", mcpdynamic.JSON(`[1]`)), `"code":17,"message":"no","data":[1]`},
		"other":    {nil, errors.New("confidential"), `The tool failed.`},
		"array":    {mcpdynamic.Raw(mcpdynamic.JSON(`[]`)), nil, `The tool failed.`},
	}
	for name, o := range outcomes {
		err := set.AddTools(mcpdynamic.Tool{Name: name, Call: func(context.Context, runtime.Raw) (runtime.Appender, error) { return o.result, o.err }})
		if err != nil {
			t.Fatal(err)
		}
		answer := runtime.NewDispatcher(srv, runtime.Options{}).Dispatch(t.Context(), nil,
			[]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
		if !strings.Contains(string(answer), o.want) || strings.Contains(string(answer), "confidential") {
			t.Errorf("%s: got %s, want %s", name, answer, o.want)
		}
	}
}

// TestContext uses the functions of package mcp in an added tool: progress, log and a question.
func TestContext(t *testing.T) {
	srv, set := newServer(mcpdynamic.Options{}, mcp.Options{})
	err := set.AddTools(mcpdynamic.Tool{Name: "ask", Call: func(ctx context.Context, _ runtime.Raw) (runtime.Appender, error) {
		mcp.Progress(ctx, 1, 2, "step")
		mcp.Log(ctx, "error", "ask", mcpdynamic.JSON(`"logged"`))
		roots, err := mcp.Roots(ctx, "roots")
		if err != nil {
			return nil, err
		}
		return mcpdynamic.Text(roots.Roots[0].URI), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	connections(t, srv, func(t *testing.T, connect func(mcpclient.Options) *mcpclient.Client) {
		logged, progress := make(chan string, 8), make(chan string, 8)
		c := connect(mcpclient.Options{
			LogLevel: "error", OnLog: func(_ context.Context, m mcpclient.LogMessage) { logged <- m.Data.String() },
			OnProgress: func(_ context.Context, p mcpclient.ProgressReport) { progress <- p.Message },
			OnRoots: func(context.Context) (mcp.ListRootsResult, error) {
				return mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///home"}}}, nil
			},
		})
		result, err := c.CallTool(t.Context(), "ask", runtime.Raw{})
		if err != nil || textOf(result) != "file:///home" {
			t.Errorf("got %v, %v", result, err)
		}
		wait(t, logged, `"logged"`)
		wait(t, progress, "step")
	})
}

// TestResources reads resources and templates that were added, and gets prompts.
func TestResources(t *testing.T) {
	srv, set := newServer(mcpdynamic.Options{}, mcp.Options{})
	read := func(_ context.Context, uri string) (runtime.Appender, error) {
		if strings.HasSuffix(uri, "none") {
			return nil, mcp.ErrNotFound
		}
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{&mcp.TextResourceContents{URI: uri, Text: "read " + uri}}}, nil
	}
	prompt := mcpdynamic.Prompt{
		Name: "greet", Arguments: mcpdynamic.JSON(`[{"name":"who","required":true}]`),
		Get: func(_ context.Context, arguments map[string]string) (runtime.Appender, error) {
			return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "hi " + arguments["who"]}}}}, nil
		},
		Complete: func(_ context.Context, argument string, c mcp.Completing) ([]string, error) {
			return []string{argument + c.Value}, nil
		},
	}
	template := mcpdynamic.Template{URITemplate: "test://t/{a}/{+b}.txt", Name: "t", Read: read}
	err := errors.Join(set.AddResources(mcpdynamic.Resource{URI: "test://a", Name: "a", MIMEType: "text/plain", Read: read}), set.ReplaceTemplates(nil, template), set.AddPrompts(prompt))
	if err != nil {
		t.Fatal(err)
	}
	connections(t, srv, func(t *testing.T, connect func(mcpclient.Options) *mcpclient.Client) {
		c := connect(mcpclient.Options{})
		for uri, ok := range map[string]bool{"test://a": true, "test://t/x/y/z.txt": true, "test://t/x/none": false, "test://t/x y/z.txt": false, "test://t//z.txt": false, "test://b": false, "test://t/%zz/z.txt": false} {
			result, err := c.ReadResource(t.Context(), uri)
			if ok != (err == nil) || ok && result.Contents[0].(*mcp.TextResourceContents).Text != "read "+uri {
				t.Errorf("%s: %v, %v", uri, result, err)
			}
		}
		got, err := c.GetPrompt(t.Context(), "greet", map[string]string{"who": "ann"})
		if err != nil || got.Messages[0].Content.(*mcp.TextContent).Text != "hi ann" {
			t.Errorf("got %v, %v", got, err)
		}
		if _, err := c.GetPrompt(t.Context(), "greet", nil); err == nil || !strings.Contains(err.(*runtime.Error).Data.String(), "/arguments/who") {
			t.Errorf("got %v, want the missing argument", err)
		}
		completion, err := c.CompletePrompt(t.Context(), "greet", "who", "x", nil)
		if err != nil || len(completion.Values) != 1 || completion.Values[0] != "whox" {
			t.Errorf("got %v, %v", completion, err)
		}
	})
	for want, err := range map[string]error{
		"absolute URI (RFC 3986), such": set.AddResources(mcpdynamic.Resource{URI: "nothing", Name: "a", Read: read}),
		"there is one":                  set.AddResources(mcpdynamic.Resource{URI: "test://a", Name: "a", Read: read}),
		"the schema":                    set.AddResources(mcpdynamic.Resource{URI: "shop://readme", Name: "a", Read: read}),
		"absolute URI":                  set.AddResources(mcpdynamic.Resource{URI: "test://a\nb", Name: "a", Read: read}),
		"8192":                          set.AddResources(mcpdynamic.Resource{URI: "test://" + strings.Repeat("a", 9000), Name: "a", Read: read}),
		"it has no Read":                set.AddResources(mcpdynamic.Resource{URI: "test://b", Name: "b"}),
		"{name}, {+name}":               set.ReplaceTemplates(nil, mcpdynamic.Template{URITemplate: "test://{?a}", Name: "b", Read: read}),
		"it has no Get":                 set.AddPrompts(mcpdynamic.Prompt{Name: "a"}),
		"/arguments/0":                  set.AddPrompts(mcpdynamic.Prompt{Name: "a", Get: prompt.Get, Arguments: mcpdynamic.JSON(`[{}]`)}),
		"prompt \"hello\"":              set.AddPrompts(mcpdynamic.Prompt{Name: "hello", Get: prompt.Get}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
