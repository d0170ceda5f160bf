package mcpclient_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// TestClientIsAsked: what a server of the handshake era asks by requests, and what it is answered.
func TestClientIsAsked(t *testing.T) {
	const form = `{"message":"?","requestedSchema":{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string","title":"A","oneOf":[{"const":"x","title":"X"}],"default":"x"},` +
		`"l":{"type":"array","items":{"anyOf":[{"const":"y","title":"Y"}]},"default":["y"]},"o":{"type":"string","enum":["z"],"enumNames":["Z"],"default":"z"}}}}`
	for asked, want := range map[string]string{
		`"method":"ping"`:                                `"result":{}`,
		`"method":"roots/list"`:                          `"result":{"roots":[{"uri":"file:///home"}]}`,
		`"method":"elicitation/create","params":` + form: `"result":{"action":"accept","content":{"a":"x","b":"B","l":["y"],"o":"z"}}`,
		`"method":"elicitation/create","params":{"mode":"url","message":"?","url":"https://x.example","elicitationId":"7"}`: `"result":{"action":"decline"}`,
		`"method":"elicitation/create","params":{"message":5}`:                                                              `"code":-32602`,
		`"method":"sampling/createMessage","params":{"messages":[],"maxTokens":5}`:                                          `"result":{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"}`,
		`"method":"sampling/createMessage","params":{"messages":[],"maxTokens":6}`:                                          `"code":-32603`,
		`"method":"sampling/createMessage","params":{"messages":[],"maxTokens":7}`:                                          `"code":7`,
		`"method":"tools/list"`: `"code":-32601`,
	} {
		s := &script{answer: func(method string, _ wire.Peek) string {
			if method == "initialize" {
				return shaken
			}
			return done
		}}
		o := answering()
		o.OnElicit = func(ctx context.Context, _ mcp.ElicitRequestFormParams) (r mcp.ElicitResult, err error) {
			if q := mcpclient.QuestionFrom(ctx); q.Params.String() != form || q.Method != "elicitation/create" {
				t.Errorf("the question is %v", q)
			}
			return r, r.UnmarshalJSON([]byte(`{"action":"accept","content":{"b":"B"}}`))
		}
		o.OnElicitURL = func(_ context.Context, p mcp.ElicitRequestURLParams) (mcp.ElicitResult, error) {
			if p.URL != "https://x.example" {
				t.Error(p.URL)
			}
			return mcp.ElicitResult{Action: "decline"}, nil
		}
		o.OnSample = func(_ context.Context, p mcp.CreateMessageRequestParams) (r mcp.CreateMessageResult, err error) {
			switch p.MaxTokens {
			case 6:
				return r, nil // an answer that breaks the rules
			case 7:
				return r, runtime.Answer(7, "Seven", runtime.Raw{})
			}
			return mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "hi"}}, nil
		}
		o.Era = mcp.Handshake
		synctest.Test(t, func(t *testing.T) {
			c, err := mcpclient.Connect(t.Context(), s.dial, o)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			s.conn.WriteFrame([]byte(`{"jsonrpc":"2.0","id":"s","` + asked[1:] + `}`))
			synctest.Wait()
			if len(s.said) != 1 || !strings.Contains(s.said[0], want) || !strings.Contains(s.said[0], `"id":"s"`) {
				t.Errorf("%s\n  got  %s\n  want %s", asked, s.said, want)
			}
		})
	}
}

// TestClientQuestionIsCancelled: the context of its handler is cancelled, and nothing is answered.
func TestClientQuestionIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answer: func(string, wire.Peek) string { return shaken }}
		o := answering()
		var cause string
		o.Era = mcp.Handshake
		o.OnRoots = func(ctx context.Context) (mcp.ListRootsResult, error) {
			<-ctx.Done()
			cause = context.Cause(ctx).Error()
			return mcp.ListRootsResult{}, ctx.Err()
		}
		c, err := mcpclient.Connect(t.Context(), s.dial, o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		s.conn.WriteFrame([]byte(`{"jsonrpc":"2.0","id":"s","method":"roots/list"}`))
		synctest.Wait()
		s.conn.WriteFrame([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s","reason":"bored"}}`))
		synctest.Wait()
		if cause != "the request was cancelled: bored" || s.said != nil {
			t.Errorf("it ended with %q, and said %s", cause, s.said)
		}
	})
}

// TestClientTells: what a client of the handshake era says by itself, and hears.
func TestClientTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answer: func(method string, _ wire.Peek) string {
			if method == "initialize" {
				return shaken
			}
			return `"result":{}`
		}}
		var complete []string
		o := answering()
		o.Era = mcp.Handshake
		o.OnElicitationComplete = func(_ context.Context, id string) { complete = append(complete, id) }
		c, err := mcpclient.Connect(t.Context(), s.dial, o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.RootsChanged(t.Context()); err != nil {
			t.Error(err)
		}
		if err := c.SetLevel(t.Context(), "warn"); err == nil || !strings.Contains(err.Error(), `no log level "warn", but one of debug`) {
			t.Errorf("got %v", err)
		}
		if err := c.SetLevel(t.Context(), "warning"); err != nil {
			t.Error(err)
		}
		s.conn.WriteFrame([]byte(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"7"}}`))
		synctest.Wait()
		if s.methods() != "initialize notifications/initialized notifications/roots/list_changed logging/setLevel" || !slices.Equal(complete, []string{"7"}) {
			t.Errorf("said %s, heard %q", s.methods(), complete)
		}
	})
}

// TestClientServerCancelsSubscription: a stateless server may end it by a notification alone.
func TestClientServerCancelsSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		s.answer = func(method string, params wire.Peek) string {
			if method == "subscriptions/listen" {
				if got := string(params.In("notifications").JSON()); got != `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}` {
					t.Errorf("it listens to %s", got)
				}
				s.conn.WriteFrame([]byte(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":` +
					`{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{"toolsListChanged":true}}}`))
			}
			return ""
		}
		c, err := mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Stateless})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		l, err := c.Listen(t.Context(), mcpclient.Changes{Tools: true, Prompts: true, Resources: true})
		if err != nil || !l.Agreed.Tools || l.Agreed.Prompts || l.Err() != nil {
			t.Fatal(l, err)
		}
		s.conn.WriteFrame([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}`))
		<-l.Done()
		if l.Err() != nil {
			t.Error(l.Err())
		}
	})
}
