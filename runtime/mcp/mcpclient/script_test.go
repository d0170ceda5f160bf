package mcpclient_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// script is a server that answers what the function returns: the rest of a response after its id,
// or nothing.
type script struct {
	answer func(method string, params wire.Peek) string

	mu    sync.Mutex
	heard []string // methods
	ids   []string
	said  []string // responses
	conn  *pipe.Conn
	limit time.Duration // of a call
}

// dial is an mcpclient.Dialer.
func (s *script) dial(_ context.Context, inbound runtime.Handler) (runtime.Conn, error) {
	a, b := pipe.New(0)
	s.conn = b
	go func() {
		for {
			msg, err := b.ReadFrame()
			if err != nil {
				return
			}
			m := wire.PeekAt(msg)
			method, _ := m.In("method").Text()
			id := string(m.In("id").JSON())
			s.mu.Lock()
			if method == "" {
				s.said = append(s.said, string(msg))
				s.mu.Unlock()
				continue
			}
			s.heard, s.ids = append(s.heard, method), append(s.ids, id)
			s.mu.Unlock()
			if rest := s.answer(method, m.In("params")); rest == "hang up" {
				b.Close()
			} else if rest != "" && id != "" {
				b.WriteFrame([]byte(`{"jsonrpc":"2.0","id":` + id + `,` + rest + `}`))
			}
		}
	}()
	return &scriptConn{runtime.NewSession(context.Background(), a, inbound, runtime.Options{Logger: shop.Quiet, CallTimeout: s.limit}), b}, nil
}

type scriptConn struct {
	*runtime.Session
	server *pipe.Conn
}

func (c *scriptConn) Close() error {
	c.Session.Close()
	c.server.Close()
	return c.Session.Wait()
}

func (s *script) methods() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.heard, " ")
}

// call connects to a script, calls the tool x with {"a":1}, and returns the structured content.
func call(t *testing.T, s *script, o mcpclient.Options) (string, error) {
	t.Helper()
	o.Logger = shop.Quiet
	c, err := mcpclient.Connect(t.Context(), s.dial, o)
	if err != nil {
		return "", err
	}
	defer c.Close()
	result, err := c.CallTool(t.Context(), "x", shop.Raw(`{"a":1}`))
	got, _ := result.StructuredContent.Get()
	return got.String(), err
}

const (
	done        = `"result":{"content":[],"structuredContent":true,"resultType":"complete"}`
	unsupported = `"error":{"code":-32022,"message":"Unsupported protocol version","data":{"requested":"2026-07-28","supported":`
	shaken      = `"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"old","version":"0"}}`
	discovered  = `"result":{"supportedVersions":["2026-07-28"],"capabilities":{},"resultType":"complete","ttlMs":0,"cacheScope":"private"}`
)

// TestClientRetriesVersions: once, with a version that the server says it supports, though it be the same.
func TestClientRetriesVersions(t *testing.T) {
	for name, supported := range map[string]string{"same": `["2026-07-28"]}}`, "more": `["2025-11-25","2026-07-28","2031-01-01"]}}`} {
		t.Run(name, func(t *testing.T) {
			refused := false
			s := &script{answer: func(_ string, params wire.Peek) string {
				version, _ := params.In("_meta").In("io.modelcontextprotocol/protocolVersion").Text()
				capabilities := params.In("_meta").In("io.modelcontextprotocol/clientCapabilities").Kind()
				who, _ := params.In("_meta").In("io.modelcontextprotocol/clientInfo").In("name").Text()
				if version != "2026-07-28" || capabilities != wire.Object || who != "rpcgen" {
					return `"error":{"code":-32602,"message":"no _meta"}`
				}
				if !refused {
					refused = true
					return unsupported + supported
				}
				return done
			}}
			got, err := call(t, s, mcpclient.Options{Era: mcp.Stateless})
			if got != "true" || err != nil || s.methods() != "tools/call tools/call" || s.ids[0] == s.ids[1] {
				t.Errorf("got %s, %v after %s %s", got, err, s.methods(), s.ids)
			}
		})
	}
	t.Run("never", func(t *testing.T) {
		s := &script{answer: func(string, wire.Peek) string { return unsupported + `["2026-07-28"]}}` }}
		if _, err := call(t, s, mcpclient.Options{Era: mcp.Stateless}); code(err) != mcp.CodeUnsupportedVersion || s.methods() != "tools/call tools/call" {
			t.Errorf("got %v after %s", err, s.methods())
		}
	})
	for _, supported := range []string{"null}}", "[]}}", "5}}"} {
		t.Run("unnamed "+supported, func(t *testing.T) {
			s := &script{answer: func(string, wire.Peek) string { return unsupported + supported }}
			_, err := call(t, s, mcpclient.Options{Era: mcp.Stateless})
			if got := fmt.Sprint(err); got != "mcp: the server supports none of the client's revisions, only others, which it does not name" {
				t.Error(got)
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		s := &script{answer: func(string, wire.Peek) string { return unsupported + `["2031-01-01"]}}` }}
		_, err := call(t, s, mcpclient.Options{})
		if e, ok := errors.AsType[*mcpclient.RevisionError](err); !ok || !slices.Equal(e.Supported, []string{"2031-01-01"}) || s.methods() != "server/discover" {
			t.Errorf("got %v after %s", err, s.methods())
		}
	})
}

// TestClientFindsEra: what is asked, and what becomes of the answer.
func TestClientFindsEra(t *testing.T) {
	const shake = "server/discover initialize notifications/initialized tools/call"
	for name, c := range map[string]struct {
		discover, initialize, methods string
	}{
		"modern":             {discovered, "", "server/discover tools/call"},
		"refusing":           {`"error":{"code":-32601,"message":"Method not found"}`, shaken, shake},
		"strict":             {`"error":{"code":-32602,"message":"first initialize"}`, shaken, shake},
		"anything":           {`"result":{}`, shaken, shake},
		"silent":             {"", shaken, shake},
		"mortal":             {"hang up", shaken, shake},
		"names old versions": {unsupported + `["2025-11-25"]}}`, shaken, shake},
		"supports others":    {`"result":{"supportedVersions":["2025-06-18"],"capabilities":{}}`, shaken, shake},
		"slow":               {"", unsupported + `["2026-07-28"]}}`, "server/discover initialize server/discover tools/call"},
		"slow, of go-sdk":    {"", `"error":{"code":0,"message":"duplicate \"initialize\" received"}`, "server/discover initialize server/discover tools/call"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				s := &script{answer: func(method string, _ wire.Peek) string {
					switch method {
					case "server/discover":
						if asked++; asked > 1 {
							return discovered
						}
						return c.discover
					case "initialize":
						return c.initialize
					}
					return done
				}}
				got, err := call(t, s, mcpclient.Options{})
				if got != "true" || err != nil || s.methods() != c.methods {
					t.Errorf("got %s, %v after %s", got, err, s.methods())
				}
			})
		})
	}
}

// TestClientGivesUp: errors say what was tried.
func TestClientGivesUp(t *testing.T) {
	s := &script{answer: func(string, wire.Peek) string { return `"error":{"code":-32601,"message":"Method not found"}` }}
	if _, err := call(t, s, mcpclient.Options{}); err == nil || !strings.Contains(err.Error(), "initialize: Method not found") {
		t.Errorf("got %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := &script{answer: func(string, wire.Peek) string { return "" }}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := mcpclient.Connect(ctx, s.dial, mcpclient.Options{Logger: shop.Quiet}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if s.methods() != "server/discover initialize" {
			t.Errorf("sent %s", s.methods())
		}
	})
}

// TestClientRounds: what a server asks in its result is answered in a new request, as far as it asks.
func TestClientRounds(t *testing.T) {
	const confirm = `"inputRequests":{"confirm":{"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":` +
		`{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},` +
		`"status":{"type":"string","enum":["active","inactive"],"default":"active"},"verified":{"type":"boolean","default":true},` +
		`"tags":{"type":"array","items":{"type":"string","enum":["a","b"]},"default":["a"]},"open":{"type":"string"}}}}}}`
	const said = `,"inputResponses":{"confirm":{"action":"accept","content":{"age":30,"name":"Ann","score":95.5,"status":"active","tags":["a"],"verified":true}}}`
	for name, c := range map[string]struct{ first, rest, err string }{
		"with state":    {`{"resultType":"input_required",` + confirm + `,"requestState":"{\"n\": 1}"}`, said + `,"requestState":"{\"n\": 1}"`, ""},
		"without state": {`{"resultType":"input_required",` + confirm + `}`, said, ""},
		"state alone":   {`{"resultType":"input_required","requestState":"s"}`, `,"requestState":"s"`, ""},
		"empty state":   {`{"resultType":"input_required","requestState":""}`, `,"requestState":""`, ""},
		"nothing":       {`{"resultType":"input_required"}`, "", "requires input but asks for none"},
		"unknown kind":  {`{"resultType":"task"}`, "", `a result of the unknown type "task"`},
		"undeclared":    {`{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}}`, "", "cannot be answered: Method not found"},
		"malformed":     {`{"resultType":"input_required","inputRequests":[]}`, "", "/inputRequests"},
	} {
		t.Run(name, func(t *testing.T) {
			rounds := 0
			s := &script{answer: func(_ string, params wire.Peek) string {
				rounds++
				if rounds == 1 {
					return `"result":` + c.first
				}
				if text := string(params.JSON()); !strings.HasSuffix(text, `"name":"x","arguments":{"a":1}`+c.rest+"}") {
					t.Errorf("the second round sends %s", text)
				}
				return done
			}}
			o := answering()
			o.Era, o.OnRoots = mcp.Stateless, nil
			got, err := call(t, s, o)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || rounds != 1 {
					t.Errorf("got %v after %d rounds, want %s", err, rounds, c.err)
				}
			} else if got != "true" || err != nil || s.ids[0] == s.ids[1] {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
	t.Run("for ever", func(t *testing.T) {
		s := &script{answer: func(string, wire.Peek) string { return `"result":{"resultType":"input_required","requestState":"s"}` }}
		_, err := call(t, s, mcpclient.Options{Era: mcp.Stateless, MaxRounds: 3})
		if err == nil || !strings.Contains(err.Error(), "asked too many times") || len(s.ids) != 4 {
			t.Errorf("got %v after %s", err, s.methods())
		}
	})
}

// TestClientWithoutResultType: it is complete, as a server of an earlier revision means it.
func TestClientWithoutResultType(t *testing.T) {
	s := &script{answer: func(string, wire.Peek) string { return `"result":{ "structuredContent":true,"content":[]}` }}
	if got, err := call(t, s, mcpclient.Options{Era: mcp.Stateless}); got != "true" || err != nil || s.methods() != "tools/call" {
		t.Errorf("got %s, %v after %s", got, err, s.methods())
	}
}

// TestClientCancels: the server is notified, unless the request must not be cancelled.
func TestClientCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told string
		s := &script{answer: func(method string, params wire.Peek) string {
			if method == "notifications/cancelled" {
				told = string(params.JSON())
			}
			return ""
		}}
		c, err := mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Stateless})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Hour, errors.New("the secret is 1234"))
		defer cancel()
		if _, err := c.CallTool(ctx, "x", shop.Raw("null")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if told != `{"requestId":1,"reason":"context deadline exceeded"}` {
			t.Errorf("the server was told %s", told)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := c.Listen(ctx, mcpclient.Changes{Tools: true}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if want := `{"requestId":2,"reason":"context canceled"}`; told != want {
			t.Errorf("the server was told %s", told)
		}
		s.limit = time.Minute
		if c, err = mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Stateless}); err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		told = ""
		if _, err := c.CallTool(t.Context(), "x", shop.Raw("null")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if told != `{"requestId":1,"reason":"context deadline exceeded"}` {
			t.Errorf("after the time of the connection, the server was told %s", told)
		}
	})
}

// TestClientBurst: 20,000 changes in a row are a few calls of the callback, and the response after them does not wait for more.
func TestClientBurst(t *testing.T) {
	for _, changed := range []string{`tools/list_changed"`, `resources/updated","params":{"uri":"x://a"}`} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{}
			s.answer = func(method string, _ wire.Peek) string {
				if method == "initialize" {
					return shaken
				}
				for range 20_000 {
					s.conn.WriteFrame([]byte(`{"jsonrpc":"2.0","method":"notifications/` + changed + `}`))
				}
				return done
			}
			told := 0
			o := mcpclient.Options{Logger: shop.Quiet, Era: mcp.Handshake, OnListChanged: func(context.Context, mcpclient.List) {
				told++
				time.Sleep(time.Second)
			}}
			o.OnResourceUpdated = func(ctx context.Context, _ string) { o.OnListChanged(ctx, "") }
			begin := time.Now()
			if got, err := call(t, s, o); got != "true" || err != nil {
				t.Errorf("got %s, %v", got, err)
			}
			if waited := time.Since(begin); told == 0 || told > 5 || waited > 5*time.Second {
				t.Errorf("%d calls of the callback, and the response after %v", told, waited)
			}
		})
	}
}

// forgetful is a connection to a server that forgets the session before one call.
type forgetful struct {
	runtime.Conn
	method string
	once   *sync.Once
}

func (f forgetful) Call(ctx context.Context, id int64, msg []byte) (reply []byte, err error) {
	if method, _ := wire.PeekAt(msg).In("method").Text(); method == f.method {
		f.once.Do(func() { err = fmt.Errorf("404: %w", mcpclient.ErrSessionOver) })
	}
	if err != nil {
		return nil, err
	}
	return f.Conn.Call(ctx, id, msg)
}

func (f forgetful) Close() error { return f.Conn.(interface{ Close() error }).Close() }

// TestClientBeginsAgain: after the end of a session the client begins a new one with the same
// subscriptions and log level, and reports the updates that it may have missed.
func TestClientBeginsAgain(t *testing.T) {
	s := &script{answer: func(method string, _ wire.Peek) string {
		if method == "initialize" {
			return `"result":{"protocolVersion":"2025-06-18","capabilities":{"logging":{}},"serverInfo":{"name":"old","version":"0"}}`
		}
		return done
	}}
	updates := make(chan string, 8)
	var once sync.Once
	dial := func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		conn, err := s.dial(ctx, inbound)
		return forgetful{conn, "tools/call", &once}, err
	}
	c, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Handshake, OnResourceUpdated: func(_ context.Context, uri string) { updates <- uri }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetLevel(t.Context(), "error"); err != nil {
		t.Error(err)
	}
	if _, err := c.Listen(t.Context(), mcpclient.Changes{URIs: []string{"a:b"}}); err != nil {
		t.Error(err)
	}
	if _, err := c.CallTool(t.Context(), "x", shop.Raw("null")); err != nil {
		t.Error(err)
	}
	if len(updates) != 1 || <-updates != "a:b" {
		t.Error("the update that may have been missed is not reported once")
	}
	const want = "initialize notifications/initialized logging/setLevel resources/subscribe " +
		"initialize notifications/initialized logging/setLevel resources/subscribe tools/call"
	if s.methods() != want {
		t.Errorf("sent %s", s.methods())
	}
}

// TestClientBeginsAgainLater: if a new session cannot be begun, or not all that belongs to it, the next call tries it again.
func TestClientBeginsAgainLater(t *testing.T) {
	for fails, between := range map[string]string{"initialize": "", "resources/subscribe": " notifications/initialized resources/subscribe"} {
		t.Run(fails, func(t *testing.T) {
			times := map[string]int{}
			s := &script{answer: func(method string, _ wire.Peek) string {
				times[method]++
				switch {
				case method == fails && times[method] == 2:
					return `"error":{"code":503,"message":"Overloaded"}`
				case method == "initialize":
					return `"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"old","version":"0"}}`
				}
				return done
			}}
			dial := func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
				conn, err := s.dial(ctx, inbound)
				return forgetful{conn, "tools/call", new(sync.Once)}, err
			}
			c, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{Logger: shop.Quiet, Era: mcp.Handshake})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := c.Listen(t.Context(), mcpclient.Changes{URIs: []string{"a:b"}}); err != nil {
				t.Error(err)
			}
			if _, err := c.CallTool(t.Context(), "x", shop.Raw("null")); err == nil {
				t.Error("the call succeeds without a session")
			}
			for range 2 {
				if _, err := c.CallTool(t.Context(), "x", shop.Raw("null")); err != nil {
					t.Error(err)
				}
			}
			const whole = "initialize notifications/initialized resources/subscribe"
			if want := whole + " initialize" + between + " " + whole + " tools/call tools/call"; s.methods() != want {
				t.Errorf("sent %s", s.methods())
			}
		})
	}
}
