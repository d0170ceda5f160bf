package everything

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	conformance "github.com/rpcgen-go/rpcgen/test/conformance/rpc"
)

const appsExtension = "io.modelcontextprotocol/ui"

// serverOfPages returns the server, if dynamic with a set of entries, in which there is a tool that only pages call.
func serverOfPages(t *testing.T, dynamic bool) *mcp.Server {
	if !dynamic {
		return New(mcp.Options{Logger: quiet})
	}
	set := mcpdynamic.New(mcpdynamic.Options{})
	srv := New(mcp.Options{Logger: quiet, Dynamic: set})
	err := set.AddTools(mcpdynamic.Tool{
		Name: "page_added", Members: mcpdynamic.JSON(`{"_meta":{"ui":{"visibility":["app"]}}}`),
		Call: func(context.Context, runtime.Raw) (wire.Appender, error) { return mcpdynamic.Text("added"), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// inHosts runs a test with clients of both eras, with MCP Apps, without it and with a future form of it, at servers with and without a
// set of entries.
func inHosts(t *testing.T, test func(t *testing.T, c *mcpclient.Client, apps, dynamic bool)) {
	for settings, apps := range map[string]bool{"apps": true, `{"mimeTypes":["text/plain"]}`: false, `{}`: false, "null": false} {
		for name, era := range map[string]mcp.Era{"handshake": mcp.Handshake, "stateless": mcp.Stateless} {
			for _, dynamic := range []bool{false, true} {
				asked := mcpclient.Options{Logger: quiet, Era: era, Extensions: mcpclient.Apps()}
				if !apps {
					asked.Extensions = map[string]runtime.Raw{appsExtension: mcpdynamic.JSON(settings), "com.example/other": {}}
				}
				t.Run(name+settings, func(t *testing.T) {
					conn, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(serverOfPages(t, dynamic)), asked)
					if err != nil {
						t.Fatal(err)
					}
					defer conn.Close()
					test(t, conn, apps, dynamic)
				})
			}
		}
	}
}

// TestPagesListed: tools of pages are shown to hosts with MCP Apps only, which the server declares.
func TestPagesListed(t *testing.T) {
	inHosts(t, func(t *testing.T, c *mcpclient.Client, apps, dynamic bool) {
		if c.Era() == mcp.Stateless {
			if _, err := c.Discover(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if info := c.Server(); !info.Capabilities.Has("extensions", appsExtension) {
			t.Errorf("the server declares %s", info.Capabilities.JSON())
		}
		var names []string
		for tool, err := range c.ListTools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, tool.Name)
		}
		for name, want := range map[string]bool{"show_page": true, "page_clicked": apps, "page_added": apps && dynamic} {
			if slices.Contains(names, name) != want {
				t.Errorf("%s is listed: %t, want %t", name, !want, want)
			}
		}
	})
}

// TestPagesCalled: a tool that a client does not see is unknown to it, and no other name is explained by its name.
func TestPagesCalled(t *testing.T) {
	inHosts(t, func(t *testing.T, c *mcpclient.Client, apps, dynamic bool) {
		shown, err := conformance.NewClient(c).ShowPage(t.Context())
		if err != nil || shown.Shown != apps {
			t.Errorf("got %v, %v", shown, err)
		}
		clicked, err := conformance.NewClient(c).PageClicked(t.Context())
		if apps != (err == nil) || apps && clicked.Clicks != 1 {
			t.Errorf("got %v, %v", clicked, err)
		}
		for name, known := range map[string]bool{"page_clicked": apps, "page_added": apps && dynamic} {
			_, err := c.CallTool(t.Context(), name, runtime.Raw{})
			if known != (err == nil) || !known && !strings.Contains(err.Error(), "Unknown tool") {
				t.Errorf("%s: got %v", name, err)
			}
		}
		_, err = c.CallTool(t.Context(), "page_clickedd", runtime.Raw{})
		if unknown, ok := errors.AsType[*runtime.Error](err); !ok || strings.Contains(unknown.Data.String(), `"page_clicked"`) != apps {
			t.Errorf("got %+v", err)
		}
	})
}

// TestPageRead: the content of a page has the _meta that hosts make its policy of.
func TestPageRead(t *testing.T) {
	inHosts(t, func(t *testing.T, c *mcpclient.Client, _, _ bool) {
		result, err := c.ReadResource(t.Context(), conformance.URIPage)
		if err != nil {
			t.Fatal(err)
		}
		text, err := wire.Marshal(&result)
		ui := wire.PeekAt(text).In("contents").At(0).In("_meta").In("ui")
		if domain, _ := ui.In("csp").In("connectDomains").At(0).Text(); err != nil || domain != "https://api.example.com" || string(ui.In("prefersBorder").JSON()) != "true" {
			t.Errorf("got %s, %v", text, err)
		}
	})
}

// TestPagesCached: a list that differs between clients is not shared among them.
func TestPagesCached(t *testing.T) {
	for _, dynamic := range []bool{false, true} {
		d := runtime.NewDispatcher(serverOfPages(t, dynamic), runtime.Options{Logger: quiet})
		for method, scope := range map[string]string{"tools/list": "private", "resources/list": "public"} {
			answer := d.Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{"_meta":{`+
				`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
			if !strings.Contains(string(answer), `"ttlMs":60000,"cacheScope":"`+scope+`"`) {
				t.Errorf("%s: got %s", method, answer)
			}
		}
	}
}
