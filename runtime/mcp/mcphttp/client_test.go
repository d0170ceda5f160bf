package mcphttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// inbox is what serves a client's server: it keeps notifications and answers questions.
type inbox struct {
	notes chan string
	hold  chan struct{} // answers wait for it; may be nil
}

func newInbox() *inbox { return &inbox{notes: make(chan string, 100)} }

func (*inbox) Protocol() runtime.Protocol        { return runtime.Protocol{OmitID: true} }
func (*inbox) Condition(runtime.Condition) error { return nil }
func (*inbox) Hooks() runtime.Hooks              { return runtime.Hooks{} }

func (b *inbox) Handle(ctx context.Context, c *runtime.Call) {
	for c.OptionalParams("") {
		c.Reader().Skip()
	}
	switch {
	case c.Answered():
	case c.IsNotification():
		b.notes <- c.Method()
	case c.Method() == "elicitation/create":
		if b.hold != nil {
			select {
			case <-b.hold:
			case <-ctx.Done():
				b.notes <- "cancelled"
			}
		}
		c.Return(append(c.Result(), `{"action":"accept","content":{"name":"Ada"}}`...))
	default:
		c.MethodNotFound("")
	}
}

// dial connects to url.
func dial(t *testing.T, url string, in runtime.Handler, o ClientOptions) *client {
	t.Helper()
	o.Runtime.Logger, o.CloseTimeout = quiet, 5*time.Minute
	conn, err := Dial(url, o)(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.(io.Closer).Close() })
	return conn.(*client)
}

// call calls a method, and returns the message that answers it.
func call(ctx context.Context, c *client, method, params string) (string, error) {
	id, err := c.NextID(1)
	if err != nil {
		return "", err
	}
	reply, err := c.Call(ctx, id, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}`, id, method, params))
	return string(reply), err
}

func statelessContext(method, name string, params ...protocol.Header) context.Context {
	return protocol.WithHeaders(context.Background(), append([]protocol.Header{
		{Name: "MCP-Protocol-Version", Value: "2026-07-28"}, {Name: "Mcp-Method", Value: method}, {Name: "Mcp-Name", Value: name},
	}, params...))
}

func handshakeContext() context.Context {
	return protocol.WithHeaders(context.Background(), []protocol.Header{{Name: "MCP-Protocol-Version", Value: "2025-11-25"}})
}

// open begins a session.
func open(t *testing.T, c *client) {
	t.Helper()
	reply, err := call(context.Background(), c, "initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}`)
	if err != nil || !strings.Contains(reply, `"result"`) {
		t.Fatal(reply, err)
	}
	if err := c.Notify(handshakeContext(), []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)); err != nil {
		t.Fatal(err)
	}
}

func TestClientStateless(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	in := newInbox()
	c := dial(t, s.HTTP.URL, in, ClientOptions{})
	params := func(tool string) string { return `{"name":"` + tool + `",` + statelessMeta + `,"progressToken":"p"}}` }
	reply, err := call(statelessContext("tools/call", "echo"), c, "tools/call", params("echo"))
	if err != nil || !strings.Contains(reply, `"result":{`) {
		t.Error(reply, err)
	}
	reply, err = call(statelessContext("tools/call", "count"), c, "tools/call", params("count"))
	if err != nil || !strings.Contains(reply, "counted") || len(in.notes) != 3 {
		t.Error(reply, err, len(in.notes))
	}
	reply, err = call(statelessContext("tools/call", "wrong"), c, "tools/call", params("echo"))
	if err != nil || !strings.Contains(reply, `"error":{"code":-32020`) {
		t.Error("the error of a 400 is an answer:", reply, err)
	}
	ctx, cancel := context.WithCancel(statelessContext("tools/call", "wait"))
	go func() {
		<-s.Begun
		cancel()
	}()
	if _, err = call(ctx, c, "tools/call", params("wait")); err != context.Canceled {
		t.Error(err)
	}
	if err := <-s.Cancelled; err != context.Canceled {
		t.Error(err)
	}
	c.Close()
	if _, err = call(statelessContext("tools/call", "echo"), c, "tools/call", params("echo")); !errors.Is(err, runtime.ErrClosed) {
		t.Error(err)
	}
}

func TestClientSession(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{Retry: 10 * time.Millisecond})
	in := newInbox()
	c := dial(t, s.HTTP.URL, in, ClientOptions{})
	open(t, c)
	if reply, err := call(handshakeContext(), c, "tools/call", `{"name":"ask"}`); err != nil || !strings.Contains(reply, "hello Ada") {
		t.Error(reply, err)
	}
	if reply, err := call(handshakeContext(), c, "tools/call", `{"name":"leave"}`); err != nil || !strings.Contains(reply, "while you were out") {
		t.Error(reply, err)
	}
	s.Server.ToolsChanged()
	if note := <-in.notes; note != "notifications/tools/list_changed" {
		t.Error(note)
	}
	ctx, cancel := context.WithCancel(handshakeContext())
	go func() {
		<-s.Begun
		cancel()
	}()
	if _, err := call(ctx, c, "tools/call", `{"name":"wait"}`); err != context.Canceled {
		t.Error(err)
	}
	var cancelled *mcp.CancelledError
	if err := <-s.Cancelled; !errors.As(err, &cancelled) {
		t.Error(err)
	}
	c.Close()
	await.Until(t, "no session", func() bool { return s.handler.sessions.find(c.session, "") == nil })
}

// TestClientSessionOver: the server forgets the session, and another one is begun over the same connection.
func TestClientSessionOver(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	c := dial(t, s.HTTP.URL, nil, ClientOptions{})
	open(t, c)
	s.handler.sessions.find(c.session, "").Close()
	if _, err := call(handshakeContext(), c, "ping", "{}"); !errors.Is(err, ErrSessionOver) {
		t.Error(err)
	}
	open(t, c)
	if reply, err := call(handshakeContext(), c, "ping", "{}"); err != nil {
		t.Error(reply, err)
	}
}

// TestClientCloseMidCall: Close ends everything that is in flight.
func TestClientCloseMidCall(t *testing.T) {
	s := newSite(t, newWorkshop(), Options{})
	in := newInbox()
	in.hold = make(chan struct{})
	c := dial(t, s.HTTP.URL, in, ClientOptions{})
	open(t, c)
	failed := make(chan error)
	for _, tool := range []string{"wait", "ask"} {
		go func() {
			_, err := call(handshakeContext(), c, "tools/call", `{"name":"`+tool+`"}`)
			failed <- err
		}()
	}
	<-s.Begun
	await.Until(t, "the server asks", func() bool { return len(c.places) == 1 })
	c.Close()
	for range 2 {
		if err := <-failed; !errors.Is(err, runtime.ErrClosed) {
			t.Error(err)
		}
	}
}

// TestClientElsewhere: a response on the separate stream answers its call.
func TestClientElsewhere(t *testing.T) {
	asked := make(chan struct{})
	s := play(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == "GET":
			sendStream(w, "")
			w.(http.Flusher).Flush()
			select {
			case <-asked:
			case <-r.Context().Done():
			}
			sendStream(w, "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"a\":1}}\n\n")
		case strings.Contains(body, "initialize"):
			if strings.Contains(body, `"id"`) {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
			} else {
				w.WriteHeader(202)
			}
		default:
			sendStream(w, "id: 1\nretry: 60000\ndata:\n\n")
			w.(http.Flusher).Flush()
			close(asked)
			<-r.Context().Done()
		}
	})
	c := dial(t, s.URL, nil, ClientOptions{})
	open(t, c)
	if reply, err := call(handshakeContext(), c, "tools/list", "{}"); err != nil || !strings.Contains(reply, `{"a":1}`) {
		t.Error(reply, err)
	}
}

// TestClientFailures: whatever a server answers, the call ends, and the error says what it was.
func TestClientFailures(t *testing.T) {
	long := strings.Repeat("x", 2<<10)
	for name, c := range map[string]struct {
		status           int
		kind, body, want string
	}{
		"error with the id":    {400, typeJSON, `{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"no"}}`, ""},
		"error without an id":  {400, typeJSON, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"no session"}}`, "400 Bad Request: no session (code -32600)"},
		"error with id null":   {400, typeJSON, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"old","data":1}}`, "400 Bad Request: old (code -32000)"},
		"text":                 {500, "text/plain", "oops\n", "500 Internal Server Error: oops"},
		"nothing":              {404, "", "", "404 Not Found"},
		"accepted":             {202, "", "", "answered 202 Accepted without a response: the body is empty"},
		"no JSON":              {200, typeJSON, "{", `without a response: application/json that begins with "{"`},
		"other id":             {200, typeJSON, `{"jsonrpc":"2.0","id":2,"result":{}}`, `{\"jsonrpc\":\"2.0\",\"id\":2,`},
		"an array":             {200, typeJSON, "[]", `without a response: application/json that begins with "[]"`},
		"a login page":         {200, "text/html; charset=utf-8", "\n<title>Log in\u202e\x1b[1m</title>\n\t<form>", `answered 200 OK without a response: text/html that begins with "<title>Log in [1m</title> <form>"`},
		"a long page":          {200, "text/html", "<p>" + strings.Repeat("x", 900), strings.Repeat("x", 90) + `..."`},
		"too large":            {200, typeJSON, long, "over the limit of 1024"},
		"stream, no end":       {200, typeStream, "data: {}\n\n", "cut"},
		"stream, error":        {200, typeStream, "data: {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"no\"}}\n\n", "no (code -32600)"},
		"stream, no JSON":      {200, typeStream, "data: {\n\ndata: 7\n\n", "cut"},
		"stream, large event":  {200, typeStream, "data: " + long + "\n\n", "over the limit of 1024"},
		"stream, other id":     {200, typeStream, "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n\n", "cut"},
		"the id by its value":  {200, typeJSON, `{"jsonrpc":"2.0","id":1.0,"result":{}}`, ""},
		"stream, the same":     {200, typeStream, "data: {\"jsonrpc\":\"2.0\",\"id\":1e0,\"result\":{}}\n\n", ""},
		"stream, a method":     {200, typeStream, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"result\":{}}\n\n", ""}, // package gen refuses it
		"stream, a good event": {200, typeStream, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := play(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
				w.Header().Set("Content-Type", c.kind)
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			})
			conn := dial(t, s.URL, nil, ClientOptions{Runtime: runtime.Options{MaxMessage: 1 << 10}})
			_, err := call(handshakeContext(), conn, "ping", "{}")
			_, tooLarge := errors.AsType[*frame.TooLargeError](err)
			if (err == nil) != (c.want == "") || tooLarge != strings.Contains(name, "large") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
		})
	}
}

// TestClientFailuresRepeatNoSecrets: also a body that is not a response may show the request.
func TestClientFailuresRepeatNoSecrets(t *testing.T) {
	s := play(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "you are "+r.Header.Get("Authorization"))
	})
	conn := dial(t, s.URL, nil, ClientOptions{Header: http.Header{"Authorization": {"Bearer a-long-token-of-ann"}}})
	if _, err := call(handshakeContext(), conn, "ping", "{}"); err == nil || !strings.Contains(err.Error(), `"you are Bearer [secret]"`) {
		t.Error(err)
	}
}

// TestClientGivesUp: a server that is gone is not tried for ever.
func TestClientGivesUp(t *testing.T) {
	tries := 0
	s := play(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if r.Method == "POST" {
			sendStream(w, "id: 1\nretry: 1\ndata:\n\n")
			return
		}
		tries++
		w.WriteHeader(502)
	})
	c := dial(t, s.URL, nil, ClientOptions{Reconnects: 2})
	var status *StatusError
	if _, err := call(handshakeContext(), c, "ping", "{}"); !errors.As(err, &status) || status.Status != 502 || tries != 2 {
		t.Error(err, tries)
	}
}

func TestClientToken(t *testing.T) {
	s := newAuthSite(t)
	var heard []*Challenge
	token := "old"
	c := dial(t, s.HTTP.URL, nil, ClientOptions{Token: func(_ context.Context, refused *Challenge) (string, error) {
		if refused != nil {
			heard = append(heard, refused)
			token = "ada"
		}
		return token, nil
	}})
	reply, err := call(statelessContext("tools/call", "whoami"), c, "tools/call", `{"name":"whoami",`+statelessMeta+`}}`)
	if err != nil || !strings.Contains(reply, "ada from ada") || len(heard) != 1 {
		t.Fatal(reply, err, heard)
	}
	got := heard[0]
	if got.Status != 401 || got.Error != "invalid_token" || strings.Join(got.Scopes, " ") != "tools:list" ||
		got.ResourceMetadata != "https://mcp.example.com/.well-known/oauth-protected-resource/mcp" {
		t.Errorf("%+v", got)
	}
	none := dial(t, s.HTTP.URL, nil, ClientOptions{})
	var status *StatusError
	_, err = call(statelessContext("tools/call", "whoami"), none, "tools/call", `{"name":"whoami",`+statelessMeta+`}}`)
	if !errors.As(err, &status) || status.Challenge == nil || status.Challenge.Error != "" {
		t.Error(err)
	}
}

func TestChallenge(t *testing.T) {
	for value, want := range map[string]string{
		`Bearer`: `{401  []  }`,
		`Bearer error="invalid_token", error_description="it \"expired\", sorry", scope="a b"`: `{401  [a b] invalid_token it "expired", sorry}`,
		`bearer resource_metadata=https://x.example , scope=a`:                                 `{401 https://x.example [a]  }`,
		`Basic realm="x"`:      `{401  []  }`,
		`Bearer error="cut`:    `{401  [] cut }`,
		`Bearer ,,=,"x", y=""`: `{401  []  }`,
	} {
		resp := &http.Response{StatusCode: 401, Header: http.Header{"Www-Authenticate": {value}}}
		if got := fmt.Sprint(*challengeOf(resp)); got != want {
			t.Errorf("%s\n  got %s\n want %s", value, got, want)
		}
	}
}

// TestMirror: headers say what the message does, encoded where they cannot.
func TestMirror(t *testing.T) {
	for value, want := range map[string]string{
		"us-west1": "us-west1", "us west 1": "us west 1", "": "", "42": "42", "=?base64?SGVsbG8=": "=?base64?SGVsbG8=",
		"Hello, 世界": "=?base64?SGVsbG8sIOS4lueVjA==?=", " padded ": "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2": "=?base64?bGluZTEKbGluZTI=?=", "\tindented": "=?base64?CWluZGVudGVk?=",
		"=?base64?literal?=": "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
	} {
		if got := encodeValue(value); got != want {
			t.Errorf("%q: got %s, want %s", value, got, want)
		}
	}
	s := play(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Content-Type", typeJSON)
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
	c := dial(t, s.URL, nil, ClientOptions{Header: http.Header{"X-Tenant": {"7"}}})
	ctx := statelessContext("tools/call", "größe", protocol.Header{Name: "Mcp-Param-Region", Value: " eu"}, protocol.Header{Name: "Mcp-Param-Empty"})
	if _, err := call(ctx, c, "tools/call", "{}"); err != nil {
		t.Fatal(err)
	}
	got := s.heard[0].Header
	for name, want := range map[string]string{
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "=?base64?Z3LDtsOfZQ==?=",
		"Mcp-Param-Region": "=?base64?IGV1?=", "Mcp-Param-Empty": "", "X-Tenant": "7", "Content-Type": typeJSON,
		"Accept": "application/json, text/event-stream",
	} {
		if values := got[name]; len(values) != 1 || values[0] != want {
			t.Error(name, values)
		}
	}
}

// TestClientRedirects: messages are not sent on to another server.
func TestClientRedirects(t *testing.T) {
	other := play(t, func(http.ResponseWriter, *http.Request, string) { t.Error("the message was sent on") })
	var s *script
	s = play(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		switch r.URL.Path {
		case "/moved":
			w.Header().Set("Content-Type", typeJSON)
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		case "/here":
			http.Redirect(w, r, s.URL+"/moved", http.StatusPermanentRedirect)
		default:
			http.Redirect(w, r, other.URL, http.StatusPermanentRedirect)
		}
	})
	if _, err := call(handshakeContext(), dial(t, s.URL+"/here", nil, ClientOptions{}), "ping", "{}"); err != nil {
		t.Error(err)
	}
	var status *StatusError
	if _, err := call(handshakeContext(), dial(t, s.URL, nil, ClientOptions{}), "ping", "{}"); !errors.As(err, &status) || status.Status != 308 {
		t.Error(err)
	}
}

func TestDialURL(t *testing.T) {
	for _, url := range []string{"", "localhost:80", "ftp://localhost", "http://", "http://a b"} {
		if _, err := Dial(url, ClientOptions{})(context.Background(), nil); err == nil {
			t.Error(url)
		}
	}
}

// TestErrorWithoutID keeps the data of an error.
func TestErrorWithoutID(t *testing.T) {
	e := web.ErrorWithoutID([]byte(`{"jsonrpc":"2.0","error":{"code":-32022,"message":"m","data":{"supported":[]}}}`))
	if e == nil || e.Code != -32022 || string(wire.AppendRaw(nil, e.Data)) != `{"supported":[]}` {
		t.Error(e)
	}
}

// TestClientRepeatsAnswers: a message that has no response is sent again when the server says that it is not available at present; it is not
// sent again after other failures.
func TestClientRepeatsAnswers(t *testing.T) {
	for status, want := range map[int]int32{http.StatusServiceUnavailable: 2, http.StatusTooManyRequests: 2, http.StatusInternalServerError: 1} {
		var posts atomic.Int32
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if posts.Add(1) > 1 {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(status)
		}))
		conn, err := Dial(s.URL, ClientOptions{})(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		err = conn.Notify(handshakeContext(), []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
		if got := posts.Load(); got != want || (err == nil) != (want == 2) {
			t.Errorf("%d: sent %d times, %v", status, got, err)
		}
		conn.(io.Closer).Close()
		s.Close()
	}
}

// TestStatusOverloaded: a 503 without a response of MCP, as a balancer gives it, is an overload too, which clients may wait out.
func TestStatusOverloaded(t *testing.T) {
	for status, want := range map[int]bool{503: true, 500: false, 429: false} {
		if err := fmt.Errorf("calling: %w", &StatusError{Status: status}); errors.Is(err, protocol.ErrOverloaded) != want {
			t.Error(err)
		}
	}
}
