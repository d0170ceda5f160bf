package mount_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/test/office"
	rpc "github.com/rpcgen-go/rpcgen/test/office/rpc"
)

// TestEntries: the entries are listed as the server lists them, in its order.
func TestEntries(t *testing.T) {
	s := office.New(office.Options)
	all, err := mount.New(s).Entries(mount.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lists := map[mount.Kind]string{}
	for _, e := range all {
		if lists[e.Kind] != "" {
			lists[e.Kind] += ","
		}
		lists[e.Kind] += string(e.Text)
	}
	info := s.Info()
	for kind, want := range map[mount.Kind]string{mount.Tool: info.Tools, mount.Resource: info.Resources, mount.Template: info.Templates, mount.Prompt: info.Prompts} {
		if got := "[" + lists[kind] + "]"; got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
	some, err := mount.New(s).Entries(mount.Options{Only: []string{"office://plan", "invite", "book"}})
	if err != nil || len(some) != 3 || some[0].Name != "book" || some[1].Kind != mount.Resource || some[2].Kind != mount.Prompt {
		t.Errorf("%v %v", some, err)
	}
	if none, err := mount.New(s).Entries(mount.Options{Only: []string{}}); err != nil || len(none) != 0 {
		t.Errorf("%v %v", none, err)
	}
}

// TestCall: results have what the handler returns and no more, and errors are those of the server.
func TestCall(t *testing.T) {
	m := mount.New(office.New(office.Options))
	for _, c := range []struct {
		method string
		params mount.Params
		client mount.Client
		want   string
	}{
		{"tools/call", mount.Params{Name: "book", Arguments: json.RawMessage(`{"room":"Bell"}`)}, mount.Client{},
			`{"structuredContent":{"id":9007199254740993,"room":{"name":"Bell","seats":1}},"content":[{"type":"text","text":"{\"id\":9007199254740993,\"room\":{\"name\":\"Bell\",\"seats\":1}}"}]}`},
		{"tools/call", mount.Params{Name: "whoami"}, mount.Client{Info: json.RawMessage(`{"name":"a \"client\"","version":"1"}`)},
			`{"structuredContent":{"user":"","client":"a \"client\""},"content":[{"type":"text","text":"{\"user\":\"\",\"client\":\"a \\\"client\\\"\"}"}]}`},
		{"tools/call", mount.Params{Name: "book", Arguments: json.RawMessage(`{"room":"Bell","room":"Atlas"}`)}, mount.Client{}, "duplicate"},
		{"tools/call", mount.Params{Name: "book", Arguments: json.RawMessage(`{"room":"Bell"}},"x":{`)}, mount.Client{}, "a part of the request is not JSON (code -32602)"},
		{"tools/call", mount.Params{Name: "book\",\"x\":\""}, mount.Client{}, "Unknown tool"},
		{"tools/call", mount.Params{Name: "book"}, mount.Client{Meta: json.RawMessage(`{"io.modelcontextprotocol/protocolVersion":"1999-01-01","progressToken":1,"traceparent":"00-0"}`)}, `member \"room\"`},
		{"prompts/get", mount.Params{Name: "invite", Arguments: json.RawMessage(`{"to":"Ann"}`)}, mount.Client{}, `{"messages":[{"role":"user","content":{"type":"text","text":"Invite Ann, kindly."}}]}`},
		{"resources/read", mount.Params{URI: "office://missing"}, mount.Client{}, "Resource not found"},
		{"tools/nothing", mount.Params{Name: "book"}, mount.Client{}, "Method not found"},
	} {
		got, err := m.Call(t.Context(), c.method, c.params, c.client)
		text := string(got)
		if err != nil {
			if _, ok := errors.AsType[*runtime.Error](err); !ok {
				t.Errorf("%s: %T", c.method, err)
			}
			text = err.Error()
		}
		if c.want[0] == '{' && text != c.want || !strings.Contains(text, c.want) {
			t.Errorf("%s %s:\n%s, want\n%s", c.method, c.params.Name, text, c.want)
		}
	}
}

// TestCalls: calls at the same time have the user, the client and the notifications of their own.
func TestCalls(t *testing.T) {
	m := mount.New(office.New(office.Options))
	var calling sync.WaitGroup
	for n := range 50 {
		calling.Go(func() {
			user := fmt.Sprint("user", n)
			var mu sync.Mutex
			notified := 0
			client := mount.Client{Info: json.RawMessage(`{"name":"of ` + user + `","version":"1"}`), Meta: json.RawMessage(`{"progressToken":"` + user + `"}`), Notify: func(method string, params json.RawMessage) {
				mu.Lock()
				defer mu.Unlock()
				notified++
				if method == "notifications/progress" && !strings.Contains(string(params), `"progressToken":"`+user+`"`) {
					t.Errorf("%s is notified of %s", user, params)
				}
			}}
			ctx := mcp.WithPrincipal(t.Context(), user)
			got, err := m.Call(ctx, "tools/call", mount.Params{Name: "whoami"}, client)
			if err != nil || !strings.Contains(string(got), `"structuredContent":{"user":"`+user+`","client":"of `+user+`"}`) {
				t.Errorf("%s gets %s %v", user, got, err)
			}
			if _, err := m.Call(ctx, "tools/call", mount.Params{Name: "clean"}, client); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if notified != 6 {
				t.Errorf("%d notifications", notified)
			}
		})
	}
	calling.Wait()
}

// TestEnded: a call ends with its context, and so does its handler.
func TestEnded(t *testing.T) {
	handlers := &office.Server{Waiting: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-handlers.Waiting
		cancel()
	}()
	m := mount.New(rpc.NewServer(handlers, office.Options))
	if _, err := m.Call(ctx, "tools/call", mount.Params{Name: "wait"}, mount.Client{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if handlers.Ended.Load() != 1 {
		t.Error("the handler goes on")
	}
}
