package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
)

// notes is a service whose results are its params, those of a list by the names of their places. It describes itself if it has a document.
type notes struct {
	document string
	told     chan string // the params of notifications
}

var notesDocument = strings.NewReplacer("\n", "", "\t", "").Replace(`{"openrpc":"1.3.2","info":{"title":"Notes","version":"1"},"methods":[
	{"name":"note/add","params":[
		{"name":"text","required":true,"schema":{"type":"string","minLength":2}},
		{"name":"stars","schema":{"type":"integer","maximum":5}},
		{"name":"place","schema":{"$ref":"#/components/schemas/Place"}}],"result":{"name":"r","schema":{}}},
	{"name":"note/at","paramStructure":"by-position","params":[{"name":"row","required":true,"schema":{"type":"integer"}},
		{"name":"column","schema":{"type":"integer"}},{"name":"depth","schema":{"type":"integer"}}],"result":{"name":"r","schema":{}}},
	{"name":"note/all","params":[],"result":{"name":"r","schema":{}}},
	{"name":"note/none","params":[],"result":{"name":"r","schema":{}}},
	{"name":"note/lost","params":[],"result":{"name":"r","schema":{}}},
	{"name":"note/told","params":[{"name":"text","schema":{"type":"string"}}]}],
	"components":{"schemas":{"Place":{"type":"object","properties":{"town":{"type":"string"}},"required":["town"],"additionalProperties":false}}}}`)

// Handle implements [runtime.Handler].
func (n notes) Handle(ctx context.Context, c *runtime.Call) {
	params := "null"
	for c.OptionalParams("text\nstars\nplace\nrow\ncolumn\ndepth") {
		params = strings.Clone(c.Reader().Raw().String())
	}
	if c.Answered() {
		return
	}
	c.Begin()
	switch method := c.Method(); {
	case method == "rpc.discover" && n.document != "":
		c.Return(append(c.Result(), n.document...))
	case method == "note/none":
		c.Fail(runtime.Answer(1001, "there are no notes", runtime.RawOf([]byte(`{"of":"you"}`))))
	case method == "note/lost":
		<-ctx.Done()
	case method == "note/told":
		n.told <- params
	case strings.HasPrefix(method, "note/"):
		c.Return(append(c.Result(), params...))
	default:
		c.MethodNotFound("note/add")
	}
}

func (notes) Protocol() runtime.Protocol        { return runtime.Plain }
func (notes) Condition(runtime.Condition) error { return nil }
func (notes) Hooks() runtime.Hooks              { return runtime.Hooks{} }
func quiet() runtime.Options                    { return runtime.Options{Logger: slog.New(slog.DiscardHandler)} }
func terminal(out, err *bytes.Buffer) Terminal {
	return Terminal{In: strings.NewReader(""), Out: out, Err: err}
}
func described(t *testing.T, document string) *Service {
	methods, _, err := contract.OpenRPC([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return &Service{[]byte(document), methods}
}

// TestMain is the service on standard input and output for a test that asks for it.
func TestMain(m *testing.M) {
	if document, ok := os.LookupEnv("REMOTE_NOTES"); ok {
		_ = stdio.Serve(context.Background(), notes{document, make(chan string, 1)}, stdio.WithOptions(quiet()))
		return
	}
	os.Exit(m.Run())
}

// services serves notes over each transport, until the test ends.
func services(t *testing.T, n notes) map[string]*Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- tcp.Serve(ctx, l, n, tcp.WithOptions(quiet())) }()
	posts := httptest.NewServer(rpchttp.NewHandler(n, rpchttp.Options{Runtime: quiet()}))
	upgrades := httptest.NewServer(sockets{n})
	t.Cleanup(func() {
		stop()
		<-served
		posts.CloseClientConnections()
		posts.Close()
		upgrades.Close()
	})
	return map[string]*Server{
		"http":      {URL: posts.URL},
		"tcp":       {URL: "tcp://" + l.Addr().String()},
		"websocket": {URL: "ws" + strings.TrimPrefix(upgrades.URL, "http")},
		"stdio":     {Command: []string{os.Args[0]}, Env: append(os.Environ(), "REMOTE_NOTES="+n.document)},
	}
}

// TestPlain: over each transport, with a description that is given and one that the service gives, a call has its result, its error, or a fault that is
// said before anything is sent.
func TestPlain(t *testing.T) {
	cases := []struct {
		line string // the method and its words; --args takes the place of words
		out  string // without spaces and line breaks
		err  string // a part of the error, or of what is said of it
		kind error  // nil for none; ErrFailed; any other for wrong usage
	}{
		{line: "note/add text=milk stars=3 place.town=Ulm", out: `{"text":"milk","stars":3,"place":{"town":"Ulm"}}`},
		{line: `note/add --args {"text":"milk","place":{"town":"Ulm"}}`, out: `{"text":"milk","place":{"town":"Ulm"}}`},
		{line: "note/at row=1 column=2", out: `{"text":1,"stars":2}`},
		{line: `note/at --args {"column":2,"row":1}`, out: `{"text":1,"stars":2}`},
		{line: "note/all", out: "null"},
		{line: "note/none", err: "error 1001: there are no notes\n{\n  \"of\": \"you\"\n}\n", kind: ErrFailed},
		{line: "note/told text=hello", err: "note/told is a notification: it is sent, and has no answer\n"},
		{line: "note/ad text=milk", err: "there is no method note/ad; did you mean note/add?", kind: errors.ErrUnsupported},
		{line: "nothing", err: "there is no method nothing; those that are there: note/add, note/at,", kind: errors.ErrUnsupported},
		{line: "note/add txet=milk stars=many place.town=1 x", kind: errors.ErrUnsupported,
			err: "the params of note/add:\ntxet: there is no such argument; did you mean text?\nstars: expected integer, got \"many\"\n\"x\" is not of the form name=value\ntext is missing: string"},
		{line: "note/add text=m stars=9", err: "the params of note/add:\n/text: minLength: expected 2, got \"m\"\n/stars: maximum: expected 5, got 9", kind: errors.ErrUnsupported},
		{line: `note/add text=m place={"twn":1}`, err: "/place: required: expected a member \"town\", got {\"twn\":1}", kind: errors.ErrUnsupported},
		{line: `note/add --args {"text":5}`, err: "/text: type: expected string, got 5", kind: errors.ErrUnsupported},
		{line: "note/add --args {", err: "--args is not JSON", kind: errors.ErrUnsupported},
		{line: "note/at row=1 depth=2", err: "column is missing: params are sent as a list, in which depth comes after it", kind: errors.ErrUnsupported},
		{line: "note/at --args [1]", err: "type: expected object, got [1]", kind: errors.ErrUnsupported},
	}
	n := notes{notesDocument, make(chan string, 1)}
	for name, s := range services(t, n) {
		for _, given := range []*Service{nil, described(t, notesDocument)} {
			for _, c := range cases {
				words := strings.Fields(c.line)
				call := &Call{Tool: words[0], Words: words[1:]}
				if len(words) > 2 && words[1] == "--args" {
					call.Words, call.Arguments = nil, words[2]
				}
				var out, said bytes.Buffer
				err := call.RunPlain(t.Context(), s, terminal(&out, &said), given)
				usage, wrong := errors.AsType[*UsageError](err)
				text := said.String()
				if wrong {
					text = usage.Error()
				}
				if c.kind == nil && err != nil || c.kind == ErrFailed && !errors.Is(err, ErrFailed) || (c.kind != nil && c.kind != ErrFailed) != wrong {
					t.Errorf("%s, %s: %v", name, c.line, err)
				}
				if got := strings.Join(strings.Fields(out.String()), ""); got != c.out || !strings.HasPrefix(text, c.err) && !strings.Contains(text, c.err) || c.err == "" && text != "" {
					t.Errorf("%s, %s: printed\n%s\nand said\n%s", name, c.line, got, text)
				}
				if c.line == "note/told text=hello" && name != "stdio" && <-n.told != `{"text":"hello"}` {
					t.Errorf("%s: the notification has other params", name)
				}
			}
		}
	}
}

// TestUndescribed: a service that does not describe itself is called with params that are JSON, and else what is missing is said.
func TestUndescribed(t *testing.T) {
	for name, s := range services(t, notes{}) {
		var out, said bytes.Buffer
		err := (&Call{Tool: "note/add", Words: []string{"text=milk"}}).RunPlain(t.Context(), s, terminal(&out, &said), nil)
		if usage, ok := errors.AsType[*UsageError](err); !ok || !strings.Contains(usage.Error(), "name its schema or OpenRPC document before the server") {
			t.Errorf("%s: %v", name, err)
		}
		err = (&Call{Tool: "note/add", Arguments: `{"text":"milk"}`}).RunPlain(t.Context(), s, terminal(&out, &said), nil)
		if err != nil || out.String() != "{\n  \"text\": \"milk\"\n}\n" {
			t.Errorf("%s: %v, %s", name, err, out.String())
		}
	}
}

// TestSilentService: a service that does not answer, is not there, or has ended, is an error in bounded time that says so.
func TestSilentService(t *testing.T) {
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	all := services(t, notes{document: notesDocument})
	for _, c := range []struct {
		name  string
		s     *Server
		call  Call
		given *Service
		want  string
	}{
		{"mute", &Server{URL: "tcp://" + mute.Addr().String(), Wait: time.Millisecond}, Call{Tool: "note/all"}, nil, "there is no answer after 1ms: look whether a JSON-RPC service listens at this URL"},
		{"mute http", &Server{URL: "http://" + mute.Addr().String(), Wait: time.Millisecond}, Call{Tool: "note/all"}, nil, "there is no answer after 1ms"},
		{"lost, tcp", all["tcp"], Call{Tool: "note/lost", Timeout: time.Millisecond}, described(t, notesDocument), "there is no result after 1ms: give the method longer with --timeout"},
		{"lost, http", all["http"], Call{Tool: "note/lost", Timeout: time.Millisecond}, described(t, notesDocument), "there is no result after 1ms"},
		{"none", &Server{URL: "tcp://127.0.0.1:1"}, Call{Tool: "note/all"}, nil, "connect"},
		{"ended", &Server{Command: []string{os.Args[0], "-test.run=^$"}}, Call{Tool: "note/all"}, nil, "the program has ended"},
		{"scheme", &Server{URL: "gopher://host"}, Call{Tool: "note/all"}, nil, `tcp://HOST:PORT or ws://HOST/PATH or wss://HOST/PATH, not "gopher://host"`},
	} {
		err := c.call.RunPlain(t.Context(), c.s, terminal(new(bytes.Buffer), new(bytes.Buffer)), c.given)
		if err == nil || errors.Is(err, ErrFailed) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	err = (&Call{Tool: "t"}).Run(t.Context(), &Server{URL: "tcp://127.0.0.1:1"}, Terminal{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	if err == nil || !strings.Contains(err.Error(), `the URL of the server is http://HOST/PATH or https://HOST/PATH, not "tcp://127.0.0.1:1"`) {
		t.Error(err)
	}
}

// redirect sends requests to another host.
type redirect struct {
	to   string
	seen chan string
}

// ServeHTTP implements [http.Handler].
func (r redirect) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.seen <- q.Header.Get("Authorization")
	http.Redirect(w, q, r.to, http.StatusTemporaryRedirect)
}

// TestHeadersStay: a header is sent to the host of the URL, and not where that redirects to.
func TestHeadersStay(t *testing.T) {
	seen := make(chan string, 1)
	other := httptest.NewServer(rpchttp.NewHandler(notes{}, rpchttp.Options{Runtime: quiet()}))
	defer other.Close()
	first := httptest.NewServer(redirect{to: other.URL, seen: seen})
	defer first.Close()
	s := &Server{URL: first.URL, Headers: []string{"Authorization: Bearer planted"}}
	err := (&Call{Tool: "note/all", Arguments: "{}"}).RunPlain(t.Context(), s, terminal(new(bytes.Buffer), new(bytes.Buffer)), nil)
	if got := <-seen; got != "Bearer planted" || err == nil || strings.Contains(err.Error(), "planted") {
		t.Error(got, err)
	}
}

// TestPlainLogin: a service over HTTP that requires a token gets one by a login, or by a header; without, the error says how to give it, as it does for a WebSocket.
func TestPlainLogin(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	service := rpchttp.NewHandler(notes{}, rpchttp.Options{Runtime: quiet()})
	var site *httptest.Server
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/meta":
			fmt.Fprintf(w, `{"resource":%q,"authorization_servers":[%q]}`, site.URL+"/rpc", site.URL)
		case r.URL.Path == "/.well-known/oauth-authorization-server":
			fmt.Fprintf(w, `{"issuer":%q,"token_endpoint":%q,"token_endpoint_auth_methods_supported":["client_secret_post"]}`, site.URL, site.URL+"/token")
		case r.URL.Path == "/token" && r.FormValue("client_secret") == "sesame":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"access_token":"issued","token_type":"Bearer"}`)
		case r.Header.Get("Authorization") == "Bearer issued", r.Header.Get("Authorization") == "Basic YW5uOnNlc2FtZQ==":
			service.ServeHTTP(w, r)
		default:
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+site.URL+`/meta"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer site.Close()
	at := site.URL + "/rpc"
	for name, c := range map[string]struct {
		s    *Server
		want string
	}{
		"client":    {&Server{URL: at, Login: Login{How: LoginClient, ClientID: "robot", ClientSecret: "sesame"}}, ""},
		"header":    {&Server{URL: at, Headers: []string{"Authorization: Bearer issued"}, Login: Login{How: LoginAuto}}, ""},
		"user":      {&Server{URL: strings.Replace(at, "//", "//ann:sesame@", 1)}, ""},
		"nobody":    {&Server{URL: at, Login: Login{How: LoginAuto}}, "the server requires a token: log in with --login browser, or send a token with -H 'Authorization: Bearer TOKEN'"},
		"never":     {&Server{URL: at, Login: Login{How: LoginNever}}, "401 Unauthorized: send a token with -H 'Authorization: Bearer TOKEN'"},
		"websocket": {&Server{URL: "ws" + strings.TrimPrefix(at, "http")}, "401 Unauthorized: send a token with -H 'Authorization: Bearer TOKEN'"},
	} {
		if c.want == "" || name == "nobody" {
			t.Setenv("XDG_CONFIG_HOME", t.TempDir()) // without the token of another one
		}
		var out bytes.Buffer
		err := explain((&Call{Tool: "note/add", Arguments: `{"text":"milk"}`}).RunPlain(t.Context(), c.s, terminal(&out, new(bytes.Buffer)), nil))
		if got := fmt.Sprint(err); c.want == "" && (err != nil || out.String() != "{\n  \"text\": \"milk\"\n}\n") || c.want != "" && !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %s, %s", name, got, out.String())
		}
	}
}
