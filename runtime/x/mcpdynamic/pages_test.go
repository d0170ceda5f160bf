package mcpdynamic_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// most is the size of a message that no list of these tests fits into.
const most = 12 << 10

const listMessage = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

// listed asks for the tools, page by page, and returns their names; no answer is larger than a limit.
func listed(t *testing.T, d *runtime.Dispatcher, limit int) (names []string, pages int) {
	t.Helper()
	for cursor := ""; ; {
		answer := d.Dispatch(t.Context(), nil, []byte(strings.Replace(listMessage, `"params":{`, `"params":{`+cursor, 1)))
		result := wire.PeekAt(answer).In("result")
		if result.Kind() == wire.Invalid || len(answer) > limit {
			t.Fatalf("%d bytes: %.300s", len(answer), answer)
		}
		pages++
		for e := range result.In("tools").Elements() {
			name, _ := e.In("name").Text()
			names = append(names, strings.Clone(name))
		}
		next, more := result.In("nextCursor").Text()
		if !more {
			return names, pages
		}
		cursor = fmt.Sprintf(`"cursor":%q,`, next)
		clear(answer) // what is kept is not part of an answer
	}
}

// TestLargeList has lists that are larger than a message: all tools are in one of the pages, those of the schema too, and where there is no set.
func TestLargeList(t *testing.T) {
	constant := toolbox.NewServer(box{}, mcp.Options{Logger: slog.New(slog.DiscardHandler)})
	if names, pages := listed(t, runtime.NewDispatcher(constant, runtime.Options{MaxMessage: most}), most); !slices.Equal(names, static) || pages < 2 {
		t.Errorf("%d pages: %q", pages, names)
	}
	for _, o := range []mcpdynamic.Options{{}, {Visible: func(_ context.Context, _ mcpdynamic.List, key string) bool { return key != "t07" }}} {
		srv, set := newServer(o, mcp.Options{})
		d := runtime.NewDispatcher(srv, runtime.Options{MaxMessage: most})
		want := slices.Clone(static)
		for i := range 40 {
			tool := echo(fmt.Sprintf("t%02d", i))
			tool.Description = strings.Repeat("Says it again. ", 60)
			if err := set.AddTools(tool); err != nil {
				t.Fatal(err)
			}
			if o.Visible == nil || tool.Name != "t07" {
				want = append(want, tool.Name)
			}
		}
		if names, pages := listed(t, d, most); !slices.Equal(names, want) || pages < 5 {
			t.Errorf("%d pages: %q", pages, names)
		}
	}
}

// TestKeptList has the same list twice, which is made once, and after changes, which are seen at once.
func TestKeptList(t *testing.T) {
	srv, set := newServer(mcpdynamic.Options{}, mcp.Options{})
	d := runtime.NewDispatcher(srv, runtime.Options{})
	small := runtime.NewDispatcher(srv, runtime.Options{MaxMessage: most})
	want := slices.Clone(static)
	for i := range 4 {
		for range 2 {
			if names, pages := listed(t, d, 10*most); !slices.Equal(names, want) || pages != 1 {
				t.Errorf("%d pages: %q", pages, names)
			}
		}
		tool := echo(fmt.Sprint("t", i))
		if err := set.ReplaceTools(nil, tool); err != nil {
			t.Fatal(err)
		}
		want = append(want, tool.Name)
	}
	for range 2 {
		if names, pages := listed(t, small, most); !slices.Equal(names, want) || pages < 2 {
			t.Errorf("%d pages: %q", pages, names)
		}
		if names, pages := listed(t, d, 10*most); !slices.Equal(names, want) || pages != 1 {
			t.Errorf("%d pages: %q", pages, names)
		}
	}
	first := d.Dispatch(t.Context(), nil, []byte(listMessage))
	kept := bytes.Clone(first)
	clear(first)
	if again := d.Dispatch(t.Context(), nil, []byte(listMessage)); !bytes.Equal(again, kept) {
		t.Errorf("%s\nafter\n%s", again, kept)
	}
}

// BenchmarkList lists 1,000 added tools: kept, and chosen for each client.
func BenchmarkList(b *testing.B) {
	everybody := func(context.Context, mcpdynamic.List, string) bool { return true }
	for name, o := range map[string]mcpdynamic.Options{"kept": {}, "visible": {Visible: everybody}} {
		b.Run(name, func(b *testing.B) {
			srv, set := newServer(o, mcp.Options{})
			var all []mcpdynamic.Tool
			for i := range 1000 {
				tool := echo(fmt.Sprintf("tool_%04d", i))
				tool.Description = strings.Repeat("Says it again. ", 20)
				all = append(all, tool)
			}
			if err := set.AddTools(all...); err != nil {
				b.Fatal(err)
			}
			d := runtime.NewDispatcher(srv, runtime.Options{})
			var answer []byte
			b.ReportAllocs()
			for b.Loop() {
				answer = d.Dispatch(b.Context(), answer[:0], []byte(listMessage))
			}
			b.SetBytes(int64(len(answer)))
		})
	}
}
