package everything

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	conformance "github.com/rpcgen-go/rpcgen/test/conformance/rpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// inBothEras runs a test with a typed client of either era, in memory and in a bubble of synctest: a client that polls misses no step of a task. Beside has what
// the server tells beside.
func inBothEras(t *testing.T, test func(t *testing.T, c *conformance.Client, beside *hearing)) {
	for name, era := range map[string]mcp.Era{"handshake": mcp.Handshake, "stateless": mcp.Stateless} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				beside := &hearing{}
				o := beside.options()
				o.Era = era
				conn := connectAt(t, New(mcp.Options{Logger: quiet}), o)
				defer conn.Close()
				test(t, conformance.NewClient(conn), beside)
			})
		})
	}
}

// hearing is a client that answers whatever it is asked, and keeps what it is told.
type hearing struct {
	form     string // the content of every form that is sent off, an object
	progress []float64
	logged   []string
	schemas  []string // of the forms
}

func (h *hearing) options() mcpclient.Options {
	return mcpclient.Options{
		Logger: quiet, LogLevel: "debug",
		OnElicit: func(ctx context.Context, _ mcp.ElicitRequestFormParams) (r mcp.ElicitResult, err error) {
			h.schemas = append(h.schemas, mcpclient.QuestionFrom(ctx).Params.String())
			err = wire.UnmarshalCopy([]byte(`{"action":"accept","content":`+h.form+`}`), &r)
			return r, err
		},
		OnSample: func(context.Context, mcp.CreateMessageRequestParams) (mcp.CreateMessageResult, error) {
			return mcp.CreateMessageResult{Role: mcp20260728.RoleAssistant, Model: "m", Content: text("Paris")}, nil
		},
		OnRoots: func(context.Context) (mcp.ListRootsResult, error) {
			return mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///home"}}}, nil
		},
		OnProgress: func(_ context.Context, p mcpclient.ProgressReport) { h.progress = append(h.progress, p.Done) },
		OnLog:      func(_ context.Context, m mcpclient.LogMessage) { h.logged = append(h.logged, m.Data.String()) },
	}
}

// contentKinds are the kinds of blocks.
func contentKinds(r mcp.CallToolResult) string {
	var kinds []string
	for _, block := range r.Content {
		b, err := wire.Marshal(block.(wire.Appender))
		kind, _ := wire.PeekAt(b).In("type").Text()
		if err != nil {
			kind = err.Error()
		}
		kinds = append(kinds, kind)
	}
	return strings.Join(kinds, " ")
}

func TestContent(t *testing.T) {
	inBothEras(t, func(t *testing.T, c *conformance.Client, _ *hearing) {
		for want, call := range map[string]func(context.Context) (mcp.CallToolResult, error){
			"text": c.TestSimpleText, "image": c.TestImageContent, "audio": c.TestAudioContent, "resource": c.TestEmbeddedResource,
			"text image resource": c.TestMultipleContentTypes,
		} {
			r, err := call(t.Context())
			if err != nil || contentKinds(r) != want {
				t.Errorf("got %s, %v; want %s", contentKinds(r), err, want)
			}
		}
	})
}

func TestErrors(t *testing.T) {
	inBothEras(t, func(t *testing.T, c *conformance.Client, _ *hearing) {
		if err := c.TestErrorHandling(t.Context()); !errors.As(err, new(*conformance.IntendedError)) {
			t.Error("the intended error is", err)
		}
		person := conformance.Person{Phone: runtime.Some("1")}
		_, err := c.JSONSchema202012Tool(t.Context(), person)
		if e, ok := errors.AsType[*conformance.UnreachableError](err); !ok || e.Missing != "email" {
			t.Error("a person without a method needs an address:", err)
		}
		person.ContactMethod = runtime.Some(conformance.PersonContactMethodPhone)
		if _, err = c.JSONSchema202012Tool(t.Context(), person); err != nil {
			t.Error(err)
		}
	})
}

func TestReports(t *testing.T) {
	inBothEras(t, func(t *testing.T, c *conformance.Client, beside *hearing) {
		if _, err := c.TestToolWithProgress(t.Context()); err != nil || len(beside.progress) != 3 || beside.progress[2] != 100 {
			t.Error(err, beside.progress)
		}
		if _, err := c.TestToolWithLogging(t.Context()); err != nil || len(beside.logged) != 3 || !strings.Contains(beside.logged[0], "started") {
			t.Error(err, beside.logged)
		}
		if r, err := c.TestReconnection(t.Context()); err != nil || contentKinds(r) != "text" {
			t.Error(err)
		}
	})
}

// TestQuestions: what is asked is one thing, in whichever era it is.
func TestQuestions(t *testing.T) {
	inBothEras(t, func(t *testing.T, c *conformance.Client, beside *hearing) {
		for _, q := range []struct {
			name, form, want string
			call             func(context.Context) (mcp.CallToolResult, error)
		}{
			{"defaults", `{}`, "John Doe, 30, is active.", c.TestElicitationSep1034Defaults},
			{"enums", `{"untitledSingle":"option2"}`, "The user chose option2.", c.TestElicitationSep1330Enums},
			{"proceed", `{"ok":true}`, "Go on: true.", c.TestStreamingElicitation},
			{"elicitation", `{"name":"Ann"}`, "Hello, Ann!", c.TestInputRequiredResultElicitation},
			{"sampling", `{}`, "LLM response: Paris", c.TestInputRequiredResultSampling},
			{"roots", `{}`, "The client has 1 roots.", c.TestInputRequiredResultListRoots},
			{"state", `{"ok":true}`, "state-ok, and the user said true", c.TestInputRequiredResultRequestState},
			{"tampered", `{"ok":false}`, "state-ok, and the user said false", c.TestInputRequiredResultTamperedState},
			{"several", `{"name":"Ann"}`, "Paris Ann, of 1 roots", c.TestInputRequiredResultMultipleInputs},
			{"rounds", `{"name":"Ann","color":"red"}`, "Ann likes red.", c.TestInputRequiredResultMultiRound},
			{"capabilities", `{"name":"Ann"}`, "The client has answered what it can.", c.TestInputRequiredResultCapabilities},
			{"missing", `{}`, "LLM response: Paris", c.TestMissingCapability},
		} {
			beside.form = q.form
			r, err := q.call(t.Context())
			if err != nil || len(r.Content) != 1 || r.Content[0].(*mcp.TextContent).Text != q.want {
				t.Errorf("%s: %v, %v", q.name, contentText(r), err)
			}
		}
		if enums := beside.schemas[1]; !strings.Contains(enums, `"enumNames":["Option One"`) || !strings.Contains(enums, `"anyOf":[{"const":"value1","title":"First Choice"}`) {
			t.Error(enums)
		}
		r, err := c.TestSampling(t.Context(), conformance.TestSamplingInput{Prompt: "?"})
		if err != nil || contentText(r) != "LLM response: Paris" {
			t.Error(contentText(r), err)
		}
	})
}

func contentText(r mcp.CallToolResult) string {
	var all strings.Builder
	for _, block := range r.Content {
		if t, ok := block.(*mcp.TextContent); ok {
			all.WriteString(t.Text)
		}
	}
	return all.String()
}

func TestResources(t *testing.T) {
	inBothEras(t, func(t *testing.T, c *conformance.Client, _ *hearing) {
		if s, err := c.ReadStaticText(t.Context()); err != nil || s == "" {
			t.Error(s, err)
		}
		if b, err := c.ReadStaticBinary(t.Context()); err != nil || !strings.HasPrefix(string(b), "\x89PNG") {
			t.Error(b, err)
		}
		if d, err := c.ReadData(t.Context(), conformance.DataParams{ID: "a b/c"}); err != nil || d.ID != "a b/c" || !d.TemplateTest {
			t.Error(d, err)
		}
	})
}

func TestPrompts(t *testing.T) {
	inBothEras(t, func(t *testing.T, c *conformance.Client, beside *hearing) {
		beside.form = `{"context":"tests"}`
		for want, get := range map[string]func() (mcp.GetPromptResult, error){
			"This is a simple prompt for testing.": func() (mcp.GetPromptResult, error) { return c.TestSimplePrompt(t.Context()) },
			"Prompt with arguments: arg1='1', arg2='2'": func() (mcp.GetPromptResult, error) {
				return c.TestPromptWithArguments(t.Context(), conformance.TestPromptWithArgumentsArguments{Arg1: "1", Arg2: "2"})
			},
			"Please analyze the image above.": func() (mcp.GetPromptResult, error) { return c.TestPromptWithImage(t.Context()) },
			"Please process the embedded resource above.": func() (mcp.GetPromptResult, error) {
				return c.TestPromptWithEmbeddedResource(t.Context(), conformance.TestPromptWithEmbeddedResourceArguments{ResourceURI: "test://x"})
			},
			"This is about tests.": func() (mcp.GetPromptResult, error) { return c.TestInputRequiredResultPrompt(t.Context()) },
		} {
			r, err := get()
			if err != nil || len(r.Messages) == 0 {
				t.Error(want, err)
				continue
			}
			last, ok := r.Messages[len(r.Messages)-1].Content.(*mcp.TextContent)
			if !ok || last.Text != want {
				t.Errorf("got %v, want %s", last, want)
			}
		}
	})
}
