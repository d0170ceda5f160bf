package office

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// Revisions are one of each era.
var Revisions = []string{mcp.Revision20250618, mcp.Revision20260728}

// calls are requests, by what they show.
var calls = []struct{ what, method, params string }{
	{"structured content, and an integer that no float64 holds", "tools/call", `{"name":"book","arguments":{"room":"Bell","seats":12,"tags":["quiet"]}}`},
	{"a declared error", "tools/call", `{"name":"book","arguments":{"room":"Atlas"}}`},
	{"violations", "tools/call", `{"name":"book","arguments":{"rom":"Bell","seats":99,"tags":["a","b","c","d"]}}`},
	{"an undeclared error", "tools/call", `{"name":"break"}`},
	{"content of three kinds", "tools/call", `{"name":"draw","arguments":{"room":"Bell"}}`},
	{"progress and log messages", "tools/call", `{"name":"clean"}`},
	{"two questions to the user", "tools/call", `{"name":"confirm"}`},
	{"a question to the model", "tools/call", `{"name":"consult"}`},
	{"a question for folders", "tools/call", `{"name":"folders"}`},
	{"the client", "tools/call", `{"name":"whoami"}`},
	{"a tool that is not there", "tools/call", `{"name":"boook"}`},
	{"a resource", "resources/read", `{"uri":"office://plan"}`},
	{"a resource that is gone", "resources/read", `{"uri":"office://missing"}`},
	{"a template", "resources/read", `{"uri":"office://rooms/Bell"}`},
	{"a template without a match", "resources/read", `{"uri":"office://rooms/nobody"}`},
	{"a resource that is not there", "resources/read", `{"uri":"office://nothing"}`},
	{"a prompt", "prompts/get", `{"name":"invite","arguments":{"to":"Ann","tone":"briefly"}}`},
	{"a prompt without its arguments", "prompts/get", `{"name":"invite"}`},
	{"a prompt that asks", "prompts/get", `{"name":"agree"}`},
	{"a prompt that is not there", "prompts/get", `{"name":"nothing"}`},
	{"a name twice", "tools/call", `{"name":"boook","name":"folders"}`},
	{"arguments twice", "tools/call", `{"name":"book","arguments":{"room":"Atlas"},"arguments":{"room":"Bell"}}`},
	{"a member of arguments twice", "tools/call", `{"name":"book","arguments":{"room":"Atlas","room":"Bell"}}`},
	{"names in capitals", "tools/call", `{"Name":"book","Arguments":{"room":"Bell"}}`},
	{"a member of a prompt's arguments twice", "prompts/get", `{"name":"invite","arguments":{"to":"Ann","to":"Bob"}}`},
	{"null as an argument of a prompt", "prompts/get", `{"name":"invite","arguments":{"to":"Ann","tone":null}}`},
}

// Differences makes each call of two servers, and returns those that they answer differently.
func Differences(t testing.TB, own, other mcpclient.Dialer) string {
	t.Helper()
	var b strings.Builder
	for _, revision := range Revisions {
		one, two := Connect(t, own, revision), Connect(t, other, revision)
		for _, c := range calls {
			want, got := Answer(t, one, c.method, c.params), Answer(t, two, c.method, c.params)
			if want != got {
				fmt.Fprintf(&b, "%s, %s:\n  own    %s\n  other  %s\n", revision, c.what, want, got)
			}
		}
	}
	return b.String()
}

// User is a client with a person, a model and folders.
type User struct {
	*mcpclient.Client
	mu   sync.Mutex
	said []string // the log messages of the call that runs
}

// Connect connects a client of a revision, which is closed at the end of the test.
func Connect(t testing.TB, dial mcpclient.Dialer, revision string) *User {
	t.Helper()
	u := new(User)
	c, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{
		Name: "user", Version: "1.0.0", LogLevel: "debug", Revisions: []string{revision},
		OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (r mcp.ElicitResult, err error) {
			return r, json.Unmarshal([]byte(`{"action":"accept","content":{"day":"Monday","ok":true}}`), &r)
		},
		OnSample: func(context.Context, mcp.CreateMessageRequestParams) (r mcp.CreateMessageResult, err error) {
			return r, json.Unmarshal([]byte(`{"role":"assistant","model":"m","content":{"type":"text","text":"Bell"}}`), &r)
		},
		OnRoots: func(context.Context) (r mcp.ListRootsResult, err error) {
			return r, json.Unmarshal([]byte(`{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}`), &r)
		},
		OnLog: func(_ context.Context, m mcpclient.LogMessage) {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.said = append(u.said, fmt.Sprintf("%s %s", m.Level, m.Data))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	u.Client = c
	t.Cleanup(func() { c.Close() })
	return u
}

// Answer makes a call and returns the progress and the log messages of it and its result or error, in one form.
func Answer(t testing.TB, u *User, method, params string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var progress []string
	ctx = mcpclient.WithProgress(ctx, func(p mcpclient.ProgressReport) {
		u.mu.Lock()
		defer u.mu.Unlock()
		progress = append(progress, fmt.Sprintf("%v of %v %s", p.Done, p.Total, p.Message))
	})
	u.mu.Lock()
	u.said = nil
	u.mu.Unlock()
	result, err := mcpclient.Call(ctx, u.Client, method, wire.RawOf([]byte(params))) // with members that are there twice, too
	u.mu.Lock()
	said := slices.Concat(progress, u.said)
	u.mu.Unlock()
	text := plain(t, result.String())
	if err != nil {
		text = fmt.Sprintf("error %v", err)
		if e, ok := err.(*runtime.Error); ok && e.HasData {
			text += " " + e.Data.String()
		}
	}
	return strings.Join(append(said, text), "; ")
}

// plain sorts the members of an object, and removes the name of the server and that a result is complete.
func plain(t testing.TB, result string) string {
	t.Helper()
	if result == "" {
		return ""
	}
	d := json.NewDecoder(strings.NewReader(result))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		t.Fatal(err)
	}
	if object["resultType"] == "complete" {
		delete(object, "resultType")
	}
	if meta, ok := object["_meta"].(map[string]any); ok {
		if delete(meta, "io.modelcontextprotocol/serverInfo"); len(meta) == 0 {
			delete(object, "_meta")
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Entries returns the entries of a list of a server, such as tools, as they stand on the wire, by name or URI.
func Entries(t testing.TB, dial mcpclient.Dialer, revision string, member string) map[string]string {
	t.Helper()
	u := Connect(t, dial, revision)
	all := map[string]string{}
	for entry, err := range mcpclient.Entries(t.Context(), u.Client, member) {
		if err != nil {
			t.Fatal(err)
		}
		var named struct{ Name, URI, URITemplate string }
		if err := json.Unmarshal([]byte(entry.String()), &named); err != nil {
			t.Fatal(err)
		}
		if member == "tools" || member == "prompts" {
			named.URI, named.URITemplate = "", ""
		} else {
			named.Name = ""
		}
		all[named.Name+named.URI+named.URITemplate] = entry.String()
	}
	return all
}
