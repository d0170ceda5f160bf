package mount_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/test/office"
)

// raw is a server whose lists are any text. It answers calls with the params that it gets.
func raw(t *testing.T, lists map[string]string) mcpclient.Dialer {
	return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		near, far := pipe.New(0)
		t.Cleanup(func() { far.Close() })
		go func() {
			for {
				text, err := far.ReadFrame()
				if err != nil {
					return
				}
				var q struct {
					ID     json.RawMessage
					Method string
					Params json.RawMessage
				}
				if err := json.Unmarshal(text, &q); err != nil {
					t.Error(err)
					return
				}
				result := ""
				list, is := strings.CutSuffix(q.Method, "/list")
				switch {
				case q.ID == nil:
					continue
				case q.Method == "initialize":
					result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}},"serverInfo":{"name":"odd","version":"1"}}`
				case is && list == "resources/templates":
					result = `{"resourceTemplates":[` + lists[list] + `]}`
				case is:
					result = fmt.Sprintf(`{%q:[%s]}`, list, lists[list])
				default:
					said, _ := json.Marshal(string(q.Params))
					result = `{"content":[{"type":"text","text":` + string(said) + `}]}`
				}
				if far.WriteFrame(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, result)) != nil {
					return
				}
			}
		}()
		return runtime.NewSession(context.WithoutCancel(ctx), near, inbound, runtime.Options{Logger: office.Options.Logger}), nil
	}
}

// TestOddLists: of a server that lists a name twice, or entries that are none, those that are fine are mounted as they came, the first one of a name, and the
// others are left out with the reason; none keeps another list, or another server, from its place.
func TestOddLists(t *testing.T) {
	const schema = `"inputSchema":{"type":"object"}`
	lists := map[string]string{
		"tools": `{"name":"twice","description":"first",` + schema + `},{"name":"twice","description":"second",` + schema + `},` +
			`{"Name":"z",` + schema + `},{` + schema + `},{"name":"",` + schema + `},{"name":7,` + schema + `},{"name":null},` +
			`null,7,"name",[],{},{"name":"a b",` + schema + `},{"name":"` + strings.Repeat("n", 1000) + `",` + schema + `},{"name":"no-schema"},` +
			`{"name":"schema-is-text","inputSchema":"object"},{"name":"odd\u0000\u202e",` + schema + `},` +
			`{"name":"fine","unknown":{"a":1},` + schema + `}`,
		"prompts": `{"name":"twice"},{"name":"twice","description":"second"},{"name":"args","arguments":"a"},` +
			`{"name":"args-twice","arguments":[{"name":"a"},{"name":"a"}]},null,{"name":"fine"}`,
		"resources": `{"uri":"odd://a","name":"first"},{"uri":"odd://a","name":"second"},{"name":"none"},` +
			`{"uri":"not a uri","name":"n"},{"uri":"odd://b"},7,{"uri":"odd://fine","name":"fine"}`,
		"resources/templates": `{"uriTemplate":"odd://{x}","name":"first"},{"uriTemplate":"odd://{x}","name":"second"},` +
			`{"uriTemplate":"odd://{x","name":"n"},{"uriTemplate":null},` +
			`{"uriTemplate":"odd://fine/{y}","name":"fine"}`,
	}
	s, up := front(t, mount.UpstreamOptions{}, mount.Upstream{Name: "odd", Dial: raw(t, lists), Revisions: []string{"2025-11-25"}},
		mount.Upstream{Name: "works", Dial: mcpclient.InMemory(office.New(office.Options)), Prefix: "works."})
	ready(t, up)
	for _, revision := range office.Revisions {
		for list, want := range map[string]string{
			"tools": "fine no-schema twice", "prompts": "args-twice fine twice", "resources": "odd://a odd://fine", "resourceTemplates": "odd://fine/{y} odd://{x}",
		} {
			entries := office.Entries(t, mcpclient.InMemory(s), revision, list)
			others := len(entries)
			maps.DeleteFunc(entries, func(name, _ string) bool {
				return strings.HasPrefix(name, "works.") || strings.HasPrefix(name, "office:")
			})
			if got := strings.Join(slices.Sorted(maps.Keys(entries)), " "); got != want || others == len(entries) {
				t.Errorf("%s, %s: %q, want %q", revision, list, got, want)
			}
			if list == "tools" && (!strings.Contains(entries["twice"], `"first"`) || !strings.Contains(entries["fine"], `"unknown":{"a":1}`) ||
				entries["no-schema"] != `{"name":"no-schema","inputSchema":{"type":"object"}}`) {
				t.Errorf("%s: %v", revision, entries)
			}
		}
		c := office.Connect(t, mcpclient.InMemory(s), revision)
		for call, want := range map[string]string{
			`{"name":"twice"}`: `\"name\":\"twice\"`, `{"name":"a b"}`: "Unknown tool", `{"name":"works.book","arguments":{"room":"Bell"}}`: "9007199254740993",
		} {
			if got := office.Answer(t, c, "tools/call", call); !strings.Contains(got, want) {
				t.Errorf("%s, %s: %s", revision, call, got)
			}
		}
	}
	why := map[string]string{}
	for _, o := range up.Status()[0].Omitted {
		why[o.Name[:min(len(o.Name), 10)]] += fmt.Sprintln(o.Err)
	}
	for name, want := range map[string]string{
		"twice": "the server lists it twice\nthe server lists it twice\n", "odd://a": "lists it twice", "odd://{x}": "lists it twice",
		"": "it has no name", "a b": "a name has",
		"nnnnnnnnnn": "a name has", "schema-is-": "/inputSchema", "odd\x00\u202e": "a name has", "args": "/arguments",
		"not a uri": "/uri", "odd://b": "/name", "odd://{x": "/uriTemplate",
	} {
		if !strings.Contains(why[name], want) {
			t.Errorf("%q: %s, want %s", name, why[name], want)
		}
		delete(why, name)
	}
	if len(why) > 0 {
		t.Errorf("left out, too: %q", why)
	}
}

// TestListWithMembersTwice: a list in which an object has a member twice, which two readers may read differently, is left out as a whole, and the log and the
// status say so. The other lists are mounted.
func TestListWithMembersTwice(t *testing.T) {
	for _, entry := range []string{`{"name":"x","name":"y","inputSchema":{"type":"object"}}`, `{"name":"x","inputSchema":{"type":"object","type":"array"}}`} {
		var log bytes.Buffer
		s, up := front(t, mount.UpstreamOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}, mount.Upstream{Name: "odd", Revisions: []string{"2025-11-25"},
			Dial: raw(t, map[string]string{"tools": entry + `,{"name":"fine","inputSchema":{"type":"object"}}`, "prompts": `{"name":"fine"}`})})
		ready(t, up)
		tools := office.Entries(t, mcpclient.InMemory(s), mcp.Revision20260728, "tools")
		prompts := office.Entries(t, mcpclient.InMemory(s), mcp.Revision20260728, "prompts")
		if len(tools) != 0 || len(prompts) != 1 {
			t.Errorf("%s: %v, %v", entry, tools, prompts)
		}
		up.Close() // after which nothing is logged
		const why = "the list of tools is not valid: "
		omitted := up.Status()[0].Omitted
		if !strings.Contains(log.String(), why) || len(omitted) != 1 || omitted[0].Name != "" || !strings.HasPrefix(omitted[0].Err.Error(), why) {
			t.Errorf("%s: %v are omitted, the log is %q", entry, omitted, log.String())
		}
	}
}
