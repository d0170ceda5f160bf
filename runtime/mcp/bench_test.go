package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// thirty is a server of thirty tools, which change may add profiles to.
func thirty(change ...func(*mcp.Info)) *mcp.Server {
	tools := make([]string, 30)
	for i := range tools {
		tools[i] = strings.Replace(strings.TrimSuffix(shop.Tools[1:strings.Index(shop.Tools, `,{"name":"place_order"`)], ","), "search_items", fmt.Sprint("search_", i), 1)
	}
	return mcp.NewServer(&shop.Shop{Change: func(i *mcp.Info) {
		i.Tools = "[" + strings.Join(tools, ",") + "]"
		for _, change := range change {
			change(i)
		}
	}}, mcp.Options{Logger: shop.Quiet})
}

var (
	callMessage = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_items","arguments":{"query":"red shoes","limit":5},` + statelessMeta + `}}`
	listMessage = request("tools/list", "")
)

func benchmark(b *testing.B, srv *mcp.Server, msg string) {
	d := runtime.NewDispatcher(srv, runtime.Options{Logger: shop.Quiet})
	dst, in := make([]byte, 0, 64<<10), []byte(msg)
	ctx := b.Context()
	dst = d.Dispatch(ctx, dst[:0], in)
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		dst = d.Dispatch(ctx, dst[:0], in)
	}
}

func BenchmarkToolsCall(b *testing.B) { benchmark(b, newServer(""), callMessage) }

// refusals are calls that are answered with an error, for the model or of the protocol.
var refusals = []struct{ name, text string }{
	{"missing", toolCall("search_items", `{"limit":5}`)},
	{"wrong type", toolCall("search_items", `{"query":"red shoes","limit":"5"}`)},
	{"rule", toolCall("search_items", `{"query":"red shoes","limit":51}`)},
	{"unknown tool", toolCall("search_item", `{"query":"red shoes","limit":5}`)},
	{"unknown method", request("tools/cal", "")},
}

func toolCall(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `,` + statelessMeta + `}}`
}

// TestRefusalsAllocateLittle: the error, its list of violations, their texts, and the context of the
// call.
func TestRefusalsAllocateLittle(t *testing.T) {
	d := runtime.NewDispatcher(newServer(""), runtime.Options{Logger: shop.Quiet})
	dst := make([]byte, 0, 64<<10)
	most := 4.0
	if raceEnabled {
		most = 8 // the race detector empties pools at random
	}
	for _, r := range refusals {
		t.Run(r.name, func(t *testing.T) {
			in := []byte(r.text)
			if n := testing.AllocsPerRun(1000, func() { dst = d.Dispatch(t.Context(), dst[:0], in) }); n > most {
				t.Errorf("%v allocations", n)
			}
			if !strings.Contains(string(dst), `"error":{"code":-326`) && !strings.Contains(string(dst), `"isError":true`) {
				t.Errorf("got %s", dst)
			}
		})
	}
}

func BenchmarkRefusal(b *testing.B) {
	for _, r := range refusals {
		b.Run("fault="+r.name, func(b *testing.B) { benchmark(b, newServer(""), r.text) })
	}
}

// BenchmarkToolsList lists thirty tools; BenchmarkToolsListCopied copies the answer, which is the least that can be done.
func BenchmarkToolsList(b *testing.B) { benchmark(b, thirty(), listMessage) }

func BenchmarkToolsListCopied(b *testing.B) {
	answer := []byte(dispatch(b.Context(), thirty(), listMessage))
	dst := make([]byte, 0, 64<<10)
	b.SetBytes(int64(len(answer)))
	for b.Loop() {
		dst = append(dst[:0], answer...)
	}
}

// BenchmarkProfiles lists tools and calls one: of a server without profiles, of one with profiles that the client gets none of, and of one that the client
// gets a profile of.
func BenchmarkProfiles(b *testing.B) {
	two := func(client string) func(*mcp.Info) {
		return func(i *mcp.Info) {
			i.Profiles = []mcpgen.Profile{{Name: "gemini", Clients: []string{"gemini-cli-mcp-client"}, Tools: i.Tools}, {Name: "openai-strict", Clients: []string{client}, Tools: i.Tools}}
		}
	}
	tester := strings.NewReplacer(statelessMeta, strings.TrimSuffix(statelessMeta, "}")+`,"io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"}}`)
	list, call := tester.Replace(listMessage), tester.Replace(callMessage)
	for _, s := range []struct {
		name   string
		server *mcp.Server
	}{{"none", thirty()}, {"of others", thirty(two("codex-mcp-client"))}, {"own", thirty(two("tester"))}} {
		b.Run("profiles="+s.name+"/list", func(b *testing.B) { benchmark(b, s.server, list) })
		b.Run("profiles="+s.name+"/call", func(b *testing.B) { benchmark(b, s.server, call) })
	}
}

// BenchmarkSession calls a tool over a connection in memory, one call after the other.
func BenchmarkSession(b *testing.B) {
	there, here := pipe.New(0)
	s := runtime.NewSession(b.Context(), here, newServer(""), runtime.Options{Logger: shop.Quiet})
	msg := []byte(callMessage)
	b.ReportAllocs()
	for b.Loop() {
		if err := there.WriteFrame(msg); err != nil {
			b.Fatal(err)
		}
		if _, err := there.ReadFrame(); err != nil {
			b.Fatal(err)
		}
	}
	there.Close()
	s.Wait()
}
