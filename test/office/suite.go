package office

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/test/await"
	"github.com/rpcgen-go/rpcgen/test/conformance/everything"
	rpc "github.com/rpcgen-go/rpcgen/test/office/rpc"
)

var update = flag.Bool("update", false, "write the differences")

// Options are those of servers in tests.
var Options = mcp.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}

// Host is an SDK whose servers of type S get entries of others.
type Host[S any] struct {
	// New returns a server with 20 tools, from old_00 to old_19, with arguments room and tags, whose results say that something was booked, and
	// with the prompt old_prompt, the resource old://resource and the template old://{name}.
	New func() S

	Tool func(s S, name string) // adds a tool, or replaces it
	Add  func(S, *mcp.Server, mount.Options) error
	Dial func(S) mcpclient.Dialer

	// Differences is a file of what entries answer differently in a server of the SDK, and Inside one of what a
	// server of the SDK answers differently in one of this repository. The flag -update writes them.
	Differences, Inside string
}

// Mounted returns a server with all entries of an office.
func (h Host[S]) Mounted(t testing.TB) S {
	t.Helper()
	s := h.New()
	if err := h.Add(s, New(Options), mount.Options{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// Run tests that entries of a server can be added to servers of an SDK, and that clients of this repository can call such servers.
func (h Host[S]) Run(t *testing.T) {
	t.Run("calls", h.calls)
	t.Run("tasks", h.tasks)
	t.Run("others stay", h.othersStay)
	t.Run("refused", h.refused)
	t.Run("cancelled", h.cancelled)
	t.Run("dial", h.dialled)
	t.Run("upstream", h.upstream)
}

// calls makes each call of an office on its own and of the server of the SDK that has its entries.
func (h Host[S]) calls(t *testing.T) {
	compare(t, h.Differences, Differences(t, mcpclient.InMemory(New(Options)), h.Dial(h.Mounted(t))))
}

// compare compares a text with a golden file.
func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s has changed (-update writes it):\n%s", file, got)
	}
}

// tasks: a tool that can run as a task is called without one.
func (h Host[S]) tasks(t *testing.T) {
	s := h.New()
	if err := h.Add(s, everything.New(Options), mount.Options{Only: []string{"slow_compute"}}); err != nil {
		t.Fatal(err)
	}
	for _, revision := range Revisions {
		if got := Answer(t, Connect(t, h.Dial(s), revision), "tools/call", `{"name":"slow_compute","arguments":{"seconds":0}}`); !strings.Contains(got,
			"the result took 0 seconds") {
			t.Errorf("%s: %s", revision, got)
		}
	}
}

// published are the members of entries that are published as they are, by list.
var published = map[string][]string{
	"tools": {"inputSchema", "outputSchema", "description", "title"}, "prompts": {"arguments", "title", "description"},
	"resources": {"name", "title", "mimeType"}, "resourceTemplates": {"name", "mimeType"},
}

// othersStay: the entries that the server had before are the same bytes, also of 19 tools if one is replaced; the schemas and texts of those that
// are added are the bytes of the server they come from.
func (h Host[S]) othersStay(t *testing.T) {
	for _, revision := range Revisions {
		s := h.New()
		h.Tool(s, "book")
		before := Entries(t, h.Dial(s), revision, "tools")
		if err := h.Add(s, New(Options), mount.Options{Only: []string{"book"}, Replace: true}); err != nil {
			t.Fatal(err)
		}
		after := Entries(t, h.Dial(s), revision, "tools")
		if len(before) != 21 || len(after) != 21 || after["book"] == before["book"] {
			t.Errorf("%d tools before, %d after, with %s", len(before), len(after), after["book"])
		}
		for name, entry := range before {
			if name != "book" && after[name] != entry {
				t.Errorf("%s: %s\nwas %s", name, after[name], entry)
			}
		}
		for list, members := range published {
			own, all := Entries(t, mcpclient.InMemory(New(Options)), revision, list), Entries(t, h.Dial(h.Mounted(t)), revision, list)
			for name, entry := range own {
				for _, key := range members {
					if is, want := member(t, all[name], key), member(t, entry, key); is != want {
						t.Errorf("%s of %s is\n%s, want\n%s", key, name, is, want)
					}
				}
			}
		}
	}
}

// member is a member of an object as it stands there.
func member(t *testing.T, object, key string) string {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &all); err != nil {
		t.Fatal(err, object)
	}
	return string(all[key])
}

// refused: what would be lost without notice is an error, and nothing is added then.
func (h Host[S]) refused(t *testing.T) {
	taken := h.New()
	h.Tool(taken, "greet")
	for _, c := range []struct {
		name string
		to   S
		from *mcp.Server
		only []string
		want []string
	}{
		{"everything", h.New(), everything.New(Options), nil, []string{
			`the tool "failing_job" runs as a task only`, `the tool "test_tool_with_task" runs as a task only`, `the resource "test://watched-resource" can be subscribed to`}},
		{"not there", h.New(), everything.New(Options), []string{"greet", "gret"}, []string{`the server has no tool, resource, template or prompt "gret"`}},
		{"twice", h.New(), everything.New(Options), []string{"greet", "greet"}, []string{`"greet" is named twice`}},
		{"taken", taken, everything.New(Options), []string{"greet", "test_simple_text"},
			[]string{`the server has a tool "greet" already: set Replace, or leave it out with Only`}},
		{"all are taken", h.Mounted(t), New(Options), nil, []string{`a tool "book" already`, `a resource "office://plan" already`,
			`a resource template "office://rooms/{name}" already`, `a prompt "invite" already`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := Entries(t, h.Dial(c.to), mcp.Revision20260728, "tools")
			err := h.Add(c.to, c.from, mount.Options{Only: c.only})
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %s", err, want)
				}
			}
			if after := Entries(t, h.Dial(c.to), mcp.Revision20260728, "tools"); len(after) != len(before) {
				t.Errorf("%d tools, before it were %d", len(after), len(before))
			}
		})
	}
}

// cancelled: the context of a handler ends when the client gives the call up, and when its connection is closed.
func (h Host[S]) cancelled(t *testing.T) {
	for _, revision := range Revisions {
		for _, end := range []string{"cancel", "close"} {
			t.Run(revision+" "+end, func(t *testing.T) {
				handlers := &Server{Waiting: make(chan struct{})}
				s := h.New()
				if err := h.Add(s, rpc.NewServer(handlers, Options), mount.Options{Only: []string{"wait"}}); err != nil {
					t.Fatal(err)
				}
				c := Connect(t, h.Dial(s), revision)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				answered := make(chan error, 1)
				go func() {
					_, err := mcpclient.Call(ctx, c.Client, "tools/call", mcpdynamic.JSON(`{"name":"wait"}`))
					answered <- err
				}()
				<-handlers.Waiting
				if end == "cancel" {
					cancel()
				} else {
					c.Close()
				}
				if err := <-answered; err == nil {
					t.Error("no error")
				}
				await.Until(t, "the handler ends", func() bool { return handlers.Ended.Load() > 0 })
			})
		}
	}
}

// dialled: the entries of a server of the SDK come through as they are.
func (h Host[S]) dialled(t *testing.T) {
	for _, revision := range Revisions {
		s := h.New()
		for list, want := range map[string]int{"tools": 20, "prompts": 1, "resources": 1, "resourceTemplates": 1} {
			if all := Entries(t, h.Dial(s), revision, list); len(all) != want {
				t.Errorf("%s, %s: %d", revision, list, len(all))
			}
		}
		c := Connect(t, h.Dial(s), revision)
		if got := Answer(t, c, "tools/call", `{"name":"old_07","arguments":{"room":"Atlas","tags":[]}}`); !strings.Contains(got,
			`"structuredContent":{"booked":true}`) {
			t.Error(got)
		}
	}
}

// upstream: a server of this repository offers the entries of a server of the SDK byte for byte, and answers as that does: results, errors, progress,
// log messages and questions of both eras. What is not there, it answers itself.
func (h Host[S]) upstream(t *testing.T) {
	for _, revision := range Revisions {
		s := h.Mounted(t)
		inside := h.inside(t, s, revision)
		for _, client := range Revisions {
			for list, most := range map[string]int{"tools": 30, "prompts": 3, "resources": 3, "resourceTemplates": 2} {
				was, is := Entries(t, h.Dial(s), client, list), Entries(t, mcpclient.InMemory(inside), client, list)
				if len(was) < most-1 || len(is) != len(was) {
					t.Errorf("%s, %s: %d, and %d inside", client, list, len(was), len(is))
				}
				for name, entry := range was {
					if is[name] != entry {
						t.Errorf("%s of %s for %s: %s, want %s", name, revision, client, is[name], entry)
					}
				}
			}
		}
		compare(t, h.Inside, Differences(t, h.Dial(s), mcpclient.InMemory(inside)))
	}
}

// inside returns a server of this repository that offers what a server of the SDK has.
func (h Host[S]) inside(t testing.TB, s S, revision string) *mcp.Server {
	t.Helper()
	up, err := mount.NewUpstreams(mount.UpstreamOptions{Logger: Options.Logger, ClientName: "user"},
		mount.Upstream{Name: "sdk", Dial: h.Dial(s), Revisions: []string{revision}})
	if err != nil {
		t.Fatal(err)
	}
	inside := Front(up)
	t.Cleanup(func() { up.Close(); inside.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := up.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	return inside
}
