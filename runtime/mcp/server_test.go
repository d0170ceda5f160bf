package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

func TestMain(m *testing.M) { leak.Main(m) }

// dispatch answers a message outside of sessions.
func dispatch(ctx context.Context, h runtime.Handler, msg string) string {
	return string(runtime.NewDispatcher(h, runtime.Options{Logger: shop.Quiet, CallContext: true}).Dispatch(ctx, nil, []byte(msg)))
}

// request returns a stateless request; params are its members except _meta, each followed by a comma.
func request(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + statelessMeta + `}}`
}

const search = `"name":"search_items","arguments":{"query":"x"},`

// TestMiddleware: it stands around every request in order, sees what it is, changes the context, and may answer itself.
func TestMiddleware(t *testing.T) {
	var seen []string
	type key struct{}
	note := func(name string) mcp.Middleware {
		return func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, q *mcp.Request) error {
				seen = append(seen, name+" "+q.Method()+" "+q.Name()+" "+q.Era().String()+" "+q.Revision())
				err := next(context.WithValue(ctx, key{}, name), q)
				if err != nil {
					seen = append(seen, name+" saw: "+err.Error())
				}
				return err
			}
		}
	}
	refuse := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			if ctx.Value(key{}) != "inner" || mcp.RequestFrom(ctx) != q {
				t.Error("the context of a middleware does not reach the next")
			}
			if q.Name() == "report" {
				return runtime.Answer(9, "Forbidden", runtime.Raw{})
			}
			return next(ctx, q)
		}
	}
	o := mcp.Options{Logger: shop.Quiet, Middleware: []mcp.Middleware{note("outer"), note("inner"), refuse}}
	srv := mcp.NewServer(&shop.Shop{}, o)
	for _, c := range []struct{ msg, answer, seen string }{
		{request("tools/call", search), `"structuredContent"`, "outer tools/call search_items stateless 2026-07-28,inner tools/call search_items stateless 2026-07-28"},
		{request("tools/call", `"name":"report",`), `"code":9`, "outer tools/call report stateless 2026-07-28,inner tools/call report stateless 2026-07-28,inner saw: Forbidden (code 9),outer saw: Forbidden (code 9)"},
		{request("tools/call", `"name":"place_order","arguments":{"sku":"GONE"},`), `"isError":true`, "outer tools/call place_order stateless 2026-07-28,inner tools/call place_order stateless 2026-07-28,inner saw: GONE is out of stock,outer saw: GONE is out of stock"},
		{request("nothing", ""), `-32601`, ""},
		{request("tools/list", ""), `"tools"`, "outer tools/list  stateless 2026-07-28,inner tools/list  stateless 2026-07-28"},
	} {
		seen = nil
		if got := dispatch(t.Context(), srv, c.msg); !strings.Contains(got, c.answer) {
			t.Errorf("%s\n  got %s, want %s in it", c.msg, got, c.answer)
		}
		if got := strings.Join(seen, ","); got != c.seen {
			t.Errorf("%s\n  saw  %s\n  want %s", c.msg, got, c.seen)
		}
	}
}

// TestLogged: every request is logged at the level debug, without arguments and results.
func TestLogged(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: log})
	dispatch(t.Context(), srv, request("tools/call", `"name":"search_items","arguments":{"query":"secret"},`))
	text := out.String()
	for _, want := range []string{"served a request", "method=tools/call", "name=search_items", "revision=2026-07-28", "took="} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not logged: %s", want, text)
		}
	}
	if strings.Contains(text, "secret") {
		t.Error("arguments are logged:", text)
	}
}

// TestFailureIsLogged: what a client is not told is in the log.
func TestFailureIsLogged(t *testing.T) {
	var out bytes.Buffer
	srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))})
	answer := dispatch(t.Context(), srv, request("tools/call", `"name":"misbehave","arguments":{"how":"error"},`))
	if strings.Contains(answer, "1234") || !strings.Contains(out.String(), "1234") {
		t.Errorf("answered %s, logged %s", answer, &out)
	}
}

// TestReservedCodes: handlers answer with no code that is reserved, whatever they try (basic, Error Codes).
func TestReservedCodes(t *testing.T) {
	srv := newServer("")
	standard := []int64{-32700, -32600, -32601, -32602, -32603}
	for code := int64(-32800); code < -31900; code++ {
		want := code
		if -32768 <= code && code <= -32000 && !slices.Contains(standard, code) {
			want = runtime.CodeInternalError
		}
		if got := srv.Hooks().MapError(runtime.ErrorObject{Code: code}).Code; got != want {
			t.Errorf("%d is answered as %d, want %d", code, got, want)
		}
	}
	for _, kind := range []when.Kind{when.Timeout, when.Overloaded, when.RateLimited} {
		coder, ok := errors.AsType[runtime.Coder](srv.Condition(runtime.Condition{Kind: kind}))
		if !ok || coder.RPCError().Code < 0 {
			t.Errorf("condition %d has no code of its own", kind)
		}
	}
}

// TestReservedOnPurpose: a code that the schema reserves on purpose is answered as it is, and its neighbours are not.
func TestReservedOnPurpose(t *testing.T) {
	own := &conditionOf{runtime.Answer(-32002, "there is no such tool", runtime.Raw{})}
	srv := mcp.NewServer(&shop.Shop{Own: own, Change: func(info *mcp.Info) { info.ReservedCodes = []int64{-32002, -32113} }}, mcp.Options{Logger: shop.Quiet})
	for code, want := range map[int64]int64{-32002: -32002, -32113: -32113, -32001: runtime.CodeInternalError, -32022: runtime.CodeInternalError} {
		if got := srv.Hooks().MapError(runtime.ErrorObject{Code: code}).Code; got != want {
			t.Errorf("%d is answered as %d, want %d", code, got, want)
		}
	}
	if answer := dispatch(t.Context(), srv, request("tools/call", `"name":"nothing",`)); !strings.Contains(answer, `"code":-32002,"message":"there is no such tool"`) {
		t.Error(answer)
	}
}

// conditionOf answers every condition with one error.
type conditionOf struct{ err error }

func (c *conditionOf) Handle(_ context.Context, call *runtime.Call) { call.MethodNotFound("") }
func (c *conditionOf) Protocol() runtime.Protocol                   { return runtime.Protocol{} }
func (c *conditionOf) Condition(runtime.Condition) error            { return c.err }
func (c *conditionOf) Hooks() runtime.Hooks                         { return runtime.Hooks{} }

// TestFeatures: experimental features and extensions are declared in both eras.
func TestFeatures(t *testing.T) {
	settings, text := shop.Raw(`{"most":3}`), shop.Raw(`"no object"`)
	srv := mcp.NewServer(&shop.Shop{}, mcp.Options{
		Logger: shop.Quiet, Experimental: map[string]runtime.Raw{"x": {}},
		Extensions: map[string]runtime.Raw{"com.example/notes": settings, "com.example/a": text},
	})
	const want = `"experimental":{"x":{}},`
	const extensions = `"extensions":{"com.example/a":{},"com.example/notes":{"most":3}}`
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	for _, msg := range []string{request("server/discover", ""), initialize} {
		if answer := dispatch(t.Context(), srv.Open(nil), msg); !strings.Contains(answer, want) || !strings.Contains(answer, extensions) {
			t.Error(answer)
		}
	}
}

// openMethods declare errors for requests before and after the handshake.
type openMethods struct{ shop.OwnMethods }

func (openMethods) Condition(c runtime.Condition) error {
	switch c.Kind {
	case when.NotInitialized:
		return runtime.Answer(71, c.Method+" comes before initialize", runtime.Raw{})
	case when.AlreadyInitialized:
		return runtime.Answer(72, "a second "+c.Method, runtime.Raw{})
	}
	return nil
}

// TestHandshakeConditions: an error of the schema answers for requests before the handshake, and for a second one.
func TestHandshakeConditions(t *testing.T) {
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, revisions := range [][]string{{"2025-11-25"}, nil} {
		s := &shop.Shop{Own: openMethods{}, Change: func(info *mcp.Info) { info.Revisions = revisions }}
		session := mcp.NewServer(s, mcp.Options{Logger: shop.Quiet}).Open(nil)
		for _, step := range [][2]string{
			{list, `{"code":71,"message":"tools/list comes before initialize"}`}, {initialize, `"result"`},
			{initialize, `{"code":72,"message":"a second initialize"}`}, {list, `"result"`},
		} {
			if answer := dispatch(t.Context(), session, step[0]); !strings.Contains(answer, step[1]) {
				t.Errorf("%v: %s is answered %s", revisions, step[0], answer)
			}
		}
	}
}

// TestPrincipal: what was handed out to one principal is of no use to another, nor to another process.
func TestPrincipal(t *testing.T) {
	ask := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"place_order","arguments":{"sku":"A","x":[1.0,{"b":1,"a":2}]},` +
		`"inputResponses":{"confirm":{"action":"accept","content":{"name":"Ann"}}},"requestState":"%","_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`
	first := strings.Replace(strings.Replace(ask, `"requestState":"%",`, "", 1), `"confirm":{"action":"accept","content":{"name":"Ann"}}`, "", 1)
	srv := newServer("")
	ann, bob := mcp.WithPrincipal(t.Context(), "ann"), mcp.WithPrincipal(t.Context(), "bob")
	state := stateMember.FindStringSubmatch(dispatch(ann, srv, first))[1]
	again := strings.Replace(ask, "%", state, 1)
	for _, c := range []struct {
		name string
		ctx  context.Context
		srv  *mcp.Server
		msg  string
		want string
	}{
		{"the same", ann, srv, again, `"orderedBy":"Ann"`},
		{"equal arguments", ann, srv, strings.Replace(again, `[1.0,{"b":1,"a":2}]`, `[1, {"a":2,"b":1}]`, 1), `"orderedBy":"Ann"`},
		{"other arguments", ann, srv, strings.Replace(again, `"b":1`, `"b":3`, 1), "-32602"},
		{"another principal", bob, srv, again, "-32602"},
		{"no principal", t.Context(), srv, again, "-32602"},
		{"a process with the same key", ann, newServer(""), again, `"orderedBy":"Ann"`},
		{"a process with a key of its own", ann, mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet}), again, "-32602"},
		{"no signature", ann, srv, strings.Replace(ask, "%", strings.Split(state, ".")[0], 1), "-32602"},
		{"nothing", ann, srv, strings.Replace(ask, "%", "", 1), "-32602"},
	} {
		if got := dispatch(c.ctx, c.srv, c.msg); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s in it", c.name, got, c.want)
		}
	}
}

// TestClientOf: a handler gets the description of its client.
func TestClientOf(t *testing.T) {
	var got mcp.Caller
	var traced string
	look := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			got = mcp.ClientOf(ctx)
			traced, _ = q.Meta("traceparent")
			return next(ctx, q)
		}
	}
	srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet, Middleware: []mcp.Middleware{look}})
	dispatch(t.Context(), srv, `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"_meta":{"traceparent":"00-1","io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"2","title":"C"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}},"sampling":{"tools":{}}}}}}`)
	if got.Name != "c" || got.Version != "2" || got.Title != "C" || got.Revision != "2026-07-28" || got.Era != mcp.Stateless || traced != "00-1" {
		t.Errorf("got %+v, %s", got, traced)
	}
	c := got.Capabilities
	if c.Elicitation() || !c.ElicitationURL() || !c.Sampling() || c.Roots() || !c.Has("sampling", "tools") || c.JSON() != shop.Raw(`{"elicitation":{"url":{}},"sampling":{"tools":{}}}`) {
		t.Error("capabilities are", c.JSON())
	}
	if mcp.ClientOf(t.Context()).Era != 0 {
		t.Error("there is a client outside of requests")
	}
}

// TestPeek shows what transports learn of messages.
func TestPeek(t *testing.T) {
	for msg, want := range map[string]protocol.Preview{
		request("tools/list", ""):             {Method: "tools/list", HasID: true, HasMeta: true, Version: "2026-07-28"},
		`{"method":"x","params":{"_meta":1}}`: {Method: "x", HasMeta: true},
		`{"id":1,"result":{}}`:                {HasID: true},
		`[{"method":"x"}]`:                    {},
		`{"method":`:                          {},
		``:                                    {},
	} {
		if got := protocol.Peek([]byte(msg)); got != want {
			t.Errorf("%s: got %+v, want %+v", msg, got, want)
		}
	}
}

// TestOver: what a handler does after it has returned says nothing to the client.
func TestOver(t *testing.T) {
	var kept context.Context
	keep := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			kept = ctx
			return next(ctx, q)
		}
	}
	srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet, Middleware: []mcp.Middleware{keep}})
	conn := &listening{}
	msg := strings.Replace(request("tools/call", search), `"_meta":{`, `"_meta":{"progressToken":1,"io.modelcontextprotocol/logLevel":"debug",`, 1)
	dispatch(transport.WithPeer(t.Context(), conn), srv, msg)
	if err := mcp.Progress(kept, 1, 0, ""); err != mcp.ErrOver {
		t.Error("progress:", err)
	}
	if err := mcp.Log(kept, "error", "", shop.Raw("1")); err != mcp.ErrOver {
		t.Error("log:", err)
	}
	if _, err := mcp.Roots(kept, "where"); err == nil {
		t.Error("a question was asked")
	}
	if conn.heard() != nil {
		t.Error("sent", conn.heard())
	}
}

// TestOutside: the functions for handlers do no harm elsewhere.
func TestOutside(t *testing.T) {
	ctx := t.Context()
	if err := mcp.Progress(ctx, 1, 0, ""); err != nil {
		t.Error(err)
	}
	if err := mcp.Log(ctx, "error", "", shop.Raw("1")); err != nil {
		t.Error(err)
	}
	if err := mcp.Log(ctx, "loud", "", shop.Raw("1")); err == nil {
		t.Error("there is a level loud")
	}
	mcp.Logger(ctx).Error("dropped")
	if _, err := mcp.Roots(ctx, "where"); err == nil {
		t.Error("a question was asked")
	}
}

// TestOneWay: a stateless client is sent no requests, from whichever handler.
func TestOneWay(t *testing.T) {
	var peer runtime.Conn
	look := func(mcp.Handler) mcp.Handler {
		return func(ctx context.Context, _ *mcp.Request) error {
			peer = runtime.PeerFrom(ctx)
			return nil
		}
	}
	srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet, Middleware: []mcp.Middleware{look}})
	conn := &listening{}
	dispatch(transport.WithPeer(t.Context(), conn), srv, request("tools/list", ""))
	if _, err := peer.Call(t.Context(), 1, []byte("{}")); err == nil {
		t.Error("a request was sent")
	}
	if _, err := peer.CallBatch(t.Context(), 1, 1, []byte("[]")); err == nil {
		t.Error("a batch was sent")
	}
	if err := peer.Notify(t.Context(), []byte("{}")); err != nil || len(conn.heard()) != 1 {
		t.Error("a notification was not sent:", err)
	}
}

// TestUnknownRevision: a server of a revision that there is not is a mistake of its author.
func TestUnknownRevision(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the server was made")
		}
	}()
	mcp.NewServer(&shop.Shop{Change: func(i *mcp.Info) { i.Revisions = []string{"2020-01-01"} }}, mcp.Options{})
}

// TestKeys: questions have keys, each one of its own.
func TestKeys(t *testing.T) {
	for _, keys := range [][2]string{{"", "a"}, {"a", "a"}} {
		var err error
		ask := func(mcp.Handler) mcp.Handler {
			return func(ctx context.Context, _ *mcp.Request) error {
				a := mcp.Ask(ctx)
				a.Roots(keys[0])
				a.Roots(keys[1])
				err = a.Wait()
				return err
			}
		}
		srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet, Middleware: []mcp.Middleware{ask}})
		dispatch(t.Context(), srv, request("tools/call", search))
		if err == nil || !strings.Contains(err.Error(), "key") {
			t.Errorf("%q: %v", keys, err)
		}
	}
}

// TestMayNotAsk: other methods than those that may be answered input_required ask nothing.
func TestMayNotAsk(t *testing.T) {
	ask := func(mcp.Handler) mcp.Handler {
		return func(ctx context.Context, _ *mcp.Request) error {
			_, err := mcp.Roots(ctx, "where")
			return err
		}
	}
	srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet, Middleware: []mcp.Middleware{ask}})
	msg := strings.Replace(request("tools/list", ""), `"io.modelcontextprotocol/clientCapabilities":{}`, `"io.modelcontextprotocol/clientCapabilities":{"roots":{}}`, 1)
	if got := dispatch(t.Context(), srv, msg); !strings.Contains(got, "-32603") {
		t.Error(got)
	}
}

// TestPipelined: a client that does not wait for the answer to its handshake is served all the same.
func TestPipelined(t *testing.T) {
	for range 50 {
		a, b := pipe.New(0)
		s := runtime.NewSession(t.Context(), b, newServer(""), runtime.Options{Logger: shop.Quiet})
		a.WriteFrame([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
		a.WriteFrame([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		a.WriteFrame([]byte(`{"jsonrpc":"2.0","id":2,"method":"prompts/list"}`))
		for range 2 {
			if msg, err := a.ReadFrame(); err != nil || !bytes.Contains(msg, []byte(`"result"`)) {
				t.Fatalf("%s %v", msg, err)
			}
		}
		a.Close()
		s.Wait()
	}
}

// TestRootsChanged: a session's client says that its roots are others, and is asked for them.
func TestRootsChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var roots mcp.ListRootsResult
		var err error
		srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet, OnRootsChanged: func(ctx context.Context) { roots, err = mcp.Roots(ctx, "roots") }})
		p := shop.NewPlayer(t, srv)
		p.Say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///new"}]}}`)
		p.Close()
		if err != nil || len(roots.Roots) != 1 || roots.Roots[0].URI != "file:///new" {
			t.Error(roots, err)
		}
	})
}

// TestVanish: a client that disappears during a call or a subscription leaves nothing in use.
func TestVanish(t *testing.T) {
	s := &shop.Shop{Waiting: make(chan struct{})}
	srv := mcp.NewServer(s, mcp.Options{Logger: shop.Quiet})
	a, b := pipe.New(0)
	session := runtime.NewSession(t.Context(), b, srv, runtime.Options{Logger: shop.Quiet})
	a.WriteFrame([]byte(request("tools/call", `"name":"misbehave","arguments":{"how":"wait"},`)))
	a.WriteFrame([]byte(strings.Replace(request("subscriptions/listen", `"notifications":{"toolsListChanged":true},`), `"id":1`, `"id":2`, 1)))
	<-s.Waiting
	if _, err := a.ReadFrame(); err != nil {
		t.Fatal(err)
	}
	a.Close()
	session.Wait()
	srv.ToolsChanged()
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// listening is a connection that records notifications.
type listening struct {
	runtime.Conn
	block chan struct{} // nil if nothing blocks

	mu   sync.Mutex
	msgs []string
}

func (l *listening) Notify(ctx context.Context, msg []byte) error {
	if l.block != nil {
		select {
		case <-l.block:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.msgs = append(l.msgs, string(msg))
	return nil
}

func (l *listening) heard() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.msgs)
}
