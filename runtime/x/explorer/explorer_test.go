package explorer_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/explorer"
)

func TestMain(m *testing.M) { leak.Main(m) }

type box struct{ toolbox.UnimplementedServer }

func (box) PlaceOrder(ctx context.Context, in toolbox.PlaceOrderInput) (toolbox.PlaceOrderOutput, error) {
	form, err := toolbox.AskPlaceOrderConfirm(ctx, in)
	return toolbox.PlaceOrderOutput{OrderID: string(form.Note)}, err
}

var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

func newServer() *mcp.Server { return toolbox.NewServer(box{}, mcp.Options{Logger: silent}) }

var options = explorer.Options{Token: "t", MaxPages: 2, Runtime: runtime.Options{Logger: silent}}

// get makes a request of a page on this machine.
func get(t *testing.T, h http.Handler, method, target string, change func(r *http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, "http://localhost"+target, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	r = r.WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	r.Header.Set("Authorization", "Bearer t")
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestRefused: a request without the token, of another page or for another host does not reach the service, and neither does one that has no page.
func TestRefused(t *testing.T) {
	h := explorer.NewHandler(newServer(), options)
	for name, c := range map[string]struct {
		method, target string
		change         func(r *http.Request)
		status         int
		says           string
	}{
		"the page":          {"GET", "/", nil, 200, "<title>"},
		"without a token":   {"GET", "/api/about", func(r *http.Request) { r.Header.Del("Authorization") }, 401, "the token"},
		"another token":     {"GET", "/api/stream", func(r *http.Request) { r.Header.Set("Authorization", "Bearer u") }, 401, "the token"},
		"another host":      {"GET", "/", func(r *http.Request) { r.Host = "evil.example" }, 403, "Host"},
		"another origin":    {"GET", "/api/about", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403, "Origin"},
		"an unknown page":   {"POST", "/api/send", nil, 410, "connect again"},
		"another method":    {"DELETE", "/api/about", nil, 405, "not allowed"},
		"a file above":      {"GET", "/../explorer.go", nil, 404, ""},
		"what is not there": {"GET", "/nothing", nil, 404, ""},
		"about":             {"GET", "/api/about", nil, 200, `"connected":true,"readOnly":false`},
	} {
		t.Run(name, func(t *testing.T) {
			w := get(t, h, c.method, c.target, c.change)
			if w.Code != c.status && !(c.status == 404 && w.Code == 301) || !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%d: %s", w.Code, w.Body)
			}
			if policy := w.Header().Get("Content-Security-Policy"); w.Code == 200 && (!strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe")) {
				t.Errorf("the policy is %q", policy)
			}
		})
	}
	if h := explorer.NewHandler(nil, explorer.Options{Token: "t"}); get(t, h, "GET", "/api/stream", nil).Code != 404 {
		t.Error("a page without a server opens a connection")
	}
	a, b := explorer.NewHandler(nil, explorer.Options{}), explorer.NewHandler(nil, explorer.Options{})
	if a.URL("http://localhost/") == b.URL("http://localhost/") {
		t.Error("two starts have the same token")
	}
}

// page is an open page.
type page struct {
	*testing.T
	url   string
	id    string
	lines *bufio.Scanner
	stop  context.CancelFunc
}

// open opens a page of a server.
func open(t *testing.T, url string) *page {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", url+"/api/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer t")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); resp.Body.Close() })
	p := &page{T: t, url: url, lines: bufio.NewScanner(resp.Body), stop: stop}
	if resp.StatusCode != 200 {
		text, _ := io.ReadAll(resp.Body)
		p.id = string(text)
		return p
	}
	p.id = p.event("page")
	return p
}

// next returns the next message.
func (p *page) next() (v map[string]any) {
	p.Helper()
	text := p.event("")
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		p.Fatalf("%v: %s", err, text)
	}
	return v
}

// event returns the data of the next event, which has to have this name.
func (p *page) event(want string) string {
	p.Helper()
	name := ""
	for p.lines.Scan() {
		if data, ok := strings.CutPrefix(p.lines.Text(), "data: "); ok {
			if name != want {
				p.Fatalf("the event %q comes, not %q: %s", name, want, data)
			}
			return data
		}
		name = strings.TrimPrefix(p.lines.Text(), "event: ")
	}
	p.Fatalf("there is no further event: %v", p.lines.Err())
	return ""
}

// send sends a message and returns the status.
func (p *page) send(text string) int {
	p.Helper()
	r, err := http.NewRequestWithContext(p.Context(), "POST", p.url+"/api/send", strings.NewReader(text))
	if err != nil {
		p.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer t")
	r.Header.Set("Explorer-Page", p.id)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{}}},"clientInfo":{"name":"page","version":"1"}}}`

// TestConversation: a page calls a tool that asks a question, directly and through a relay; what is not a message is answered or refused, and the
// connection ends with the page.
func TestConversation(t *testing.T) {
	for name, h := range map[string]*explorer.Handler{
		"direct": explorer.NewHandler(newServer(), options),
		"relay":  explorer.NewRelay(mcpclient.InMemory(newServer()), options),
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(h)
			defer s.Close()
			defer http.DefaultClient.CloseIdleConnections()
			p := open(t, s.URL)
			p.send(hello)
			if _, ok := p.next()["result"]; !ok {
				t.Fatal("initialize has no result")
			}
			p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"place_order","arguments":{"sku":"ABC-0001","count":1}}}`)
			question := p.next()
			if question["method"] != "elicitation/create" {
				t.Fatalf("the server says %v", question)
			}
			id, err := json.Marshal(question["id"])
			if err != nil {
				t.Fatal(err)
			}
			p.send(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":{"action":"accept","content":{"ok":true,"note":"soon"}}}`)
			if answer, err := json.Marshal(p.next()); err != nil || !strings.Contains(string(answer), `"orderId":"soon"`) {
				t.Errorf("the answer is %s, %v", answer, err)
			}
			p.send(`{`)
			if fault, err := json.Marshal(p.next()); err != nil || !strings.Contains(string(fault), "-32700") {
				t.Errorf("what is not JSON is answered %s, %v", fault, err)
			}
			second := open(t, s.URL)
			if third := open(t, s.URL); !strings.Contains(third.id, "2 pages are open") {
				t.Errorf("a third page is answered %q", third.id)
			}
			second.stop()
			p.stop()
		})
	}
}

// TestEnded: a page hears why its connection cannot be made, or has ended: a command says so on its standard error.
func TestEnded(t *testing.T) {
	for want, dial := range map[string]func(context.Context, runtime.Handler) (runtime.Conn, error){
		"unexpected EOF":               func(context.Context, runtime.Handler) (runtime.Conn, error) { return nil, io.ErrUnexpectedEOF },
		"provided but not defined: -x": stdio.Dial(exec.Command(os.Args[0], "-x")),
	} {
		s := httptest.NewServer(explorer.NewRelay(dial, options))
		defer s.Close()
		defer http.DefaultClient.CloseIdleConnections()
		if reason := open(t, s.URL).event("ended"); !strings.Contains(reason, want) {
			t.Errorf("the reason is %q", reason)
		}
	}
}

// TestShutdown: a page that is open does not hold up the end of the server, and hears of it.
func TestShutdown(t *testing.T) {
	s := httptest.NewServer(explorer.NewHandler(newServer(), options))
	defer s.Close()
	defer http.DefaultClient.CloseIdleConnections()
	p := open(t, s.URL)
	if err := s.Config.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if reason := p.event("ended"); !strings.Contains(reason, "shutting down") {
		t.Errorf("the reason is %q", reason)
	}
}

// TestReadOnly: over an address that is not of this machine alone, only lists are read, unless someone may be asked.
func TestReadOnly(t *testing.T) {
	s := httptest.NewServer(explorer.NewHandler(newServer(), options))
	defer s.Close()
	defer http.DefaultClient.CloseIdleConnections()
	p := open(t, s.URL)
	elsewhere := func(h http.Handler, body string) int {
		r := httptest.NewRequest("POST", "http://tools.example/api/send", strings.NewReader(body))
		r = r.WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1)}))
		r.Header.Set("Authorization", "Bearer t")
		r.Header.Set("Explorer-Page", p.id)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	for body, want := range map[string]int{
		hello: 202,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`:                                                        202,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"cancel_all"}}`:                         403,
		`[{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}}]`: 403,
		`not JSON`: 403,
	} {
		if got := elsewhere(s.Config.Handler, body); got != want {
			t.Errorf("%s is answered %d, not %d", body, got, want)
		}
	}
	authorized := options
	authorized.Authorize = func(r *http.Request) error {
		if r.Header.Get("X-User") == "" {
			return io.EOF
		}
		return nil
	}
	if got := elsewhere(explorer.NewHandler(newServer(), authorized), hello); got != 403 {
		t.Errorf("a request that may not call is answered %d", got)
	}
	p.stop()
}

// asked is a server that notes whether a call is one of the person who runs the program.
type asked struct {
	toolbox.UnimplementedServer
	operator *bool
}

func (a asked) PlaceOrder(ctx context.Context, _ toolbox.PlaceOrderInput) (out toolbox.PlaceOrderOutput, err error) {
	*a.operator = backend.IsOperator(ctx, backend.Ask{})
	return out, nil
}

// TestOperator: a page on this machine is one of the person who runs the program, but with Authorize it may be one of any caller.
func TestOperator(t *testing.T) {
	for _, want := range []bool{true, false} {
		o := options
		if !want {
			o.Authorize = func(*http.Request) error { return nil }
		}
		got := !want
		s := httptest.NewServer(explorer.NewHandler(toolbox.NewServer(asked{operator: &got}, mcp.Options{Logger: silent}), o))
		p := open(t, s.URL)
		p.send(hello)
		p.next()
		p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"place_order","arguments":{"sku":"ABC-0001","count":1}}}`)
		if answer := p.next(); got != want {
			t.Errorf("%t, not %t: %v", got, want, answer)
		}
		p.stop()
		http.DefaultClient.CloseIdleConnections()
		s.Close()
	}
}
