package mcpclient_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// TestClientFaults: an invalid result is an error that says what is wrong, and the next call works.
func TestClientFaults(t *testing.T) {
	for rest, want := range map[string]string{
		`"result":[`:                         "not JSON",
		`"result":5`:                         "/: expected object",
		`"result":null`:                      "object",
		`"result":{"content":5}`:             "/content",
		`"result":{"content":[]}}{`:          "",
		`"result":{"content":[5]}`:           "/content/0",
		`"result":{},"error":{}`:             "both a result and an error",
		`"error":"no"`:                       "no",
		`"error":{"code":-1,"message":"no"}`: "no (code -1)",
		`"result":{"resultType":"complete"}`: "content",
	} {
		s := &script{answer: func(_ string, params wire.Peek) string {
			if params.Has("arguments") {
				return done
			}
			return rest
		}}
		c, err := mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Stateless})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), "x", shop.Raw("null")); err == nil || want != "/: expected object" && !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n  got  %v\n  want %s", rest, err, want)
		}
		if _, err := c.CallTool(t.Context(), "x", shop.Raw("{}")); err != nil {
			t.Errorf("%s: the next call fails: %v", rest, err)
		}
		c.Close()
	}
}

// TestNoContent: structured content without other content is a result, as Structured and CallTool have it.
func TestNoContent(t *testing.T) {
	for _, rest := range []string{`{"structuredContent":{"a":1}}`, `{"content":null,"structuredContent":{"a":1},"resultType":"complete"}`} {
		s := &script{answer: func(string, wire.Peek) string { return `"result":` + rest }}
		if got, err := call(t, s, mcpclient.Options{Era: mcp.Stateless}); got != `{"a":1}` || err != nil {
			t.Errorf("%s\n  got %s, %v", rest, got, err)
		}
	}
}

// TestEndlessList: a server that always has another page is left after MaxPages of them.
func TestEndlessList(t *testing.T) {
	pages := 0
	s := &script{answer: func(string, wire.Peek) string {
		pages++
		return `"result":{"prompts":[{"name":"p"}],"nextCursor":"` + strconv.Itoa(pages) + `"}`
	}}
	c, err := mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Stateless, MaxPages: 5})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var last error
	prompts := 0
	for _, err := range c.ListPrompts(t.Context()) {
		prompts++
		last = err
	}
	if prompts != 6 || !strings.Contains(text(last), "the list has more than 5 pages") {
		t.Errorf("%d prompts, %v", prompts, last)
	}
}

// TestLongList: a list is left at the page with which it has more than MaxListBytes, whatever its pages and cursors hold.
func TestLongList(t *testing.T) {
	const page = 1000
	for name, result := range map[string]string{
		"entries": `{"prompts":[{"name":"` + strings.Repeat("x", page) + `"}],"nextCursor":"%d"}`,
		"cursors": `{"prompts":[],"nextCursor":"` + strings.Repeat("x", page) + `%d"}`,
		"unknown": `{"prompts":[],"other":"` + strings.Repeat("x", page) + `","nextCursor":"%d"}`,
	} {
		pages := 0
		s := &script{answer: func(string, wire.Peek) string {
			pages++
			return `"result":` + strings.ReplaceAll(result, "%d", strconv.Itoa(pages))
		}}
		c, err := mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Stateless, MaxListBytes: 4 * (page + 100)})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for range 2 { // each list has the limit to itself
			pages = 0
			var last error
			for _, err := range c.ListPrompts(t.Context()) {
				last = err
			}
			if pages != 5 || !strings.Contains(text(last), "the list has more than 4400 bytes") {
				t.Errorf("%s: %d pages, %v", name, pages, last)
			}
			pages = 0
			for _, err := range mcpclient.Entries(t.Context(), c, "prompts") {
				last = err
			}
			if pages != 5 || !strings.Contains(text(last), "the list has more than 4400 bytes") {
				t.Errorf("entries, %s: %d pages, %v", name, pages, last)
			}
		}
	}
}

// TestClientListFaults: an invalid element is reported and the others are listed; cursors that
// repeat end the list.
func TestClientListFaults(t *testing.T) {
	s := &script{answer: func(method string, _ wire.Peek) string {
		if method == "tools/list" {
			return `"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b"},{"name":"c","inputSchema":{"type":"object"}}]}`
		}
		return `"result":{"prompts":[{"name":"p"}],"nextCursor":"again"}`
	}}
	c, err := mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Stateless})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var got []string
	for tool, err := range c.ListTools(t.Context()) {
		got = append(got, tool.Name+" "+text(err))
	}
	const want = `a |b the response to tools/list b: the result does not fit the schema: /inputSchema: required: expected member "inputSchema"|c `
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
	got = nil
	for prompt, err := range c.ListPrompts(t.Context()) {
		got = append(got, prompt.Name+" "+text(err))
	}
	if strings.Join(got, "|") != `p |p | the response to prompts/list: the cursor "again" was repeated` {
		t.Errorf("got %q", got)
	}
}

// TestNoRevision: an answer to initialize without a protocolVersion is refused with words that say so.
func TestNoRevision(t *testing.T) {
	for _, version := range []string{"", `"protocolVersion":20251125,`} {
		s := &script{answer: func(string, wire.Peek) string {
			return `"result":{` + version + `"capabilities":{},"serverInfo":{"name":"s","version":"1"}}`
		}}
		_, err := mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Handshake})
		if err == nil || !strings.Contains(err.Error(), "the response to initialize: it names no protocolVersion") {
			t.Errorf("%s: %v", version, err)
		}
	}
}

// TestEmptyCursor: the page after an empty cursor is asked for (2026-07-28, server/utilities/pagination), and an empty cursor that is repeated ends the list. In
// sessions it ends the list, as servers of earlier revisions mean it.
func TestEmptyCursor(t *testing.T) {
	for era, want := range map[mcp.Era]string{mcp.Stateless: `first |second | the response to prompts/list: the cursor "" was repeated`, mcp.Handshake: "first "} {
		s := &script{answer: func(method string, params wire.Peek) string {
			name := "first"
			if method == "initialize" {
				return `"result":{"protocolVersion":"2025-11-25","capabilities":{"prompts":{}},"serverInfo":{"name":"s","version":"1"}}`
			}
			if cursor, ok := params.In("cursor").Text(); ok && cursor == "" {
				name = "second"
			}
			return `"result":{"prompts":[{"name":"` + name + `"}],"nextCursor":""}`
		}}
		c, err := mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Logger: shop.Quiet, Era: era})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for prompt, err := range c.ListPrompts(t.Context()) {
			got = append(got, prompt.Name+" "+text(err))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: got %q, want %q", era, got, want)
		}
		c.Close()
	}
}

// TestClientClose: it ends calls and subscriptions, and may be called again.
func TestClientClose(t *testing.T) {
	eras(t, func(t *testing.T, _ mcp.Era, change func(*mcp.Info)) {
		synctest.Test(t, func(t *testing.T) {
			srv := mcp.NewServer(&shop.Shop{Change: change}, mcp.Options{Logger: shop.Quiet})
			defer srv.Close()
			c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), mcpclient.Options{Logger: shop.Quiet})
			if err != nil {
				t.Fatal(err)
			}
			s, err := c.Listen(t.Context(), mcpclient.Changes{Tools: true, URIs: []string{"shop://logo"}})
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := c.CallTool(context.Background(), "misbehave", shop.Raw(`{"how":"wait"}`))
				ended <- err
			}()
			synctest.Wait()
			for range 2 {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
			if err := <-ended; !errors.Is(err, runtime.ErrClosed) {
				t.Errorf("the call ends with %v", err)
			}
			<-s.Done()
			if _, err := c.Listen(t.Context(), mcpclient.Changes{}); c.Era() == mcp.Stateless && !errors.Is(err, runtime.ErrClosed) {
				t.Errorf("got %v", err)
			}
		})
	})
}

// TestClientSubscriptionEnds: with the server, and with the connection.
func TestClientSubscriptionEnds(t *testing.T) {
	eras(t, func(t *testing.T, era mcp.Era, change func(*mcp.Info)) {
		synctest.Test(t, func(t *testing.T) {
			srv := mcp.NewServer(&shop.Shop{Change: change}, mcp.Options{Logger: shop.Quiet})
			c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), mcpclient.Options{Logger: shop.Quiet})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			s, err := c.Listen(t.Context(), mcpclient.Changes{Tools: true})
			if err != nil {
				t.Fatal(err)
			}
			srv.Close()
			if era == mcp.Handshake {
				c.Close()
			}
			<-s.Done()
			if want := era == mcp.Handshake; errors.Is(s.Err(), runtime.ErrClosed) != want {
				t.Errorf("it ends with %v", s.Err())
			}
		})
	})
}

// TestClientDropsRequests: a stateless server may not ask by requests, so that they are not answered.
func TestClientDropsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		s.answer = func(string, wire.Peek) string {
			s.conn.WriteFrame([]byte(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`))
			s.conn.WriteFrame([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
			s.conn.WriteFrame([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":99,"progress":1}}`))
			s.conn.WriteFrame([]byte(`{"jsonrpc":"2.0","method":"notifications/nonsense","params":{}}`))
			return done
		}
		o := answering()
		o.Era = mcp.Stateless
		o.OnListChanged = func(context.Context, mcpclient.List) { t.Error("a change was reported without a subscription") }
		o.OnProgress = func(context.Context, mcpclient.ProgressReport) { t.Error("of no call") }
		if got, err := call(t, s, o); got != "true" || err != nil {
			t.Errorf("got %s, %v", got, err)
		}
		time.Sleep(time.Second)
		if s.methods() != "tools/call" {
			t.Errorf("the server heard %s", s.methods())
		}
	})
}

// TestClientMeta: what a context says goes along, the last word of a key counts.
func TestClientMeta(t *testing.T) {
	var got string
	s := &script{answer: func(_ string, params wire.Peek) string {
		got = string(params.In("_meta").In("traceparent").JSON()) + string(params.In("_meta").In("tracestate").JSON())
		return done
	}}
	c, err := mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Stateless})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx := mcpclient.WithMeta(mcpclient.WithMeta(mcpclient.WithMeta(t.Context(), "traceparent", shop.Raw(`"a"`)), "tracestate", shop.Raw(`"b"`)), "traceparent", shop.Raw(`"c"`))
	if _, err := c.CallTool(ctx, "x", shop.Raw("null")); err != nil || got != `"c""b"` {
		t.Errorf("sent %s, %v", got, err)
	}
}

// TestExtensionFaults: extensions that cannot be declared are reported before there is a connection.
func TestExtensionFaults(t *testing.T) {
	settings, err := wire.ParseRaw([]byte(`[]`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"com.example/a": "not an object", "io.modelcontextprotocol/tasks": "must not have"} {
		dial := func(context.Context, runtime.Handler) (runtime.Conn, error) {
			t.Error("it has connected")
			return nil, errors.New("no server")
		}
		_, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{Extensions: map[string]runtime.Raw{name: settings}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestCloseOfSubscriptions: a server that does not answer that a client unsubscribes keeps it for ten seconds, whatever the number of resources.
func TestCloseOfSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answer: func(method string, _ wire.Peek) string {
			switch method {
			case "initialize":
				return shaken
			case "resources/unsubscribe":
				return ""
			}
			return `"result":{}`
		}}
		c, err := mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Handshake})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		l, err := c.Listen(t.Context(), mcpclient.Changes{URIs: []string{"shop://a", "shop://b"}})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		if err := l.Close(); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if took := time.Since(begin); took != 10*time.Second {
			t.Error(took)
		}
	})
}
