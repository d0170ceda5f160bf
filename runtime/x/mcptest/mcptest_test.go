package mcptest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptest"
	office "github.com/rpcgen-go/rpcgen/test/office/rpc"
)

// failures is a test that keeps its failures.
type failures struct {
	testing.TB
	all []string
}

func (f *failures) Helper() {}
func (f *failures) Errorf(format string, args ...any) {
	f.all = append(f.all, fmt.Sprintf(format, args...))
}
func (f *failures) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	panic(f)
}

func compare(t *testing.T, old, new mcpclient.Dialer) (failed []string) {
	f := &failures{TB: t}
	defer func() {
		if r := recover(); r != nil && r != any(f) {
			panic(r)
		}
		failed = f.all
	}()
	mcptest.SameLists(f, old, new)
	return f.all
}

// server is a server with one more tool than its schema has.
func server(t *testing.T, name, schema, more string) mcpclient.Dialer {
	t.Helper()
	set := mcpdynamic.New(mcpdynamic.Options{})
	s := office.NewServer(office.UnimplementedServer{}, mcp.Options{Dynamic: set})
	call := func(context.Context, runtime.Raw) (wire.Appender, error) { return mcpdynamic.Text("done"), nil }
	if err := set.AddTools(mcpdynamic.Tool{Name: name, InputSchema: mcpdynamic.JSON(schema), Members: mcpdynamic.JSON(more), Unchecked: true, Call: call}); err != nil {
		t.Fatal(err)
	}
	return mcpclient.InMemory(s)
}

const schema = `{"type":"object","properties":{"a/b":{"enum":["x","y"]},"c":{"type":"string"}}}`

// TestDifferences: the first difference of an entry has its place and both values.
func TestDifferences(t *testing.T) {
	old := server(t, "more", schema, "{}")
	for _, c := range []struct {
		new  mcpclient.Dialer
		want string
	}{
		{server(t, "more", strings.Replace(schema, `"y"`, `"z"`, 1), "{}"), "at \"/inputSchema/properties/a~1b/enum/1\":\n  old \"y\"\n  new \"z\""},
		{server(t, "more", strings.Replace(schema, `,"y"`, "", 1), "{}"), `at /inputSchema/properties/a~1b/enum/1: it is missing, and was "y"`},
		{server(t, "more", strings.Replace(schema, `"y"`, `"y",1`, 1), "{}"), `at /inputSchema/properties/a~1b/enum/2: it is new, 1`},
		{server(t, "more", strings.Replace(schema, `"type":"string"`, "", 1), "{}"), `at /inputSchema/properties/c/type: it is missing, and was "string"`},
		{server(t, "more", strings.Replace(schema, `{"enum"`, `{"title":"T","enum"`, 1), "{}"), `at /inputSchema/properties/a~1b/title: it is new, "T"`},
		{server(t, "more", strings.Replace(schema, `{"type":"string"}`, `"c"`, 1), "{}"), "at \"/inputSchema/properties/c\":\n  old {\"type\":\"string\"}\n  new \"c\""},
		{server(t, "more", `{"properties":{"a/b":{"enum":["x","y"]},"c":{"type":"string"}},"type":"object"}`, "{}"), `at "/inputSchema":`},
		{server(t, "more", schema, `{"annotations":{"readOnlyHint":true}}`), `at /annotations: it is new, {"readOnlyHint":true}`},
		{server(t, "other", schema, "{}"), "tools: more is missing"},
	} {
		if failed := compare(t, old, c.new); len(failed) == 0 || !strings.Contains(failed[0], c.want) {
			t.Errorf("got %q, want %q", failed, c.want)
		}
	}
	if failed := compare(t, old, server(t, "other", schema, "{}")); len(failed) != 2 || failed[1] != "tools: other is new" {
		t.Error(failed)
	}
}

// TestSameLists: servers with the same lists pass, and others fail with the entry and the place.
func TestSameLists(t *testing.T) {
	same := server(t, "more", schema, "{}")
	if failed := compare(t, same, same); failed != nil {
		t.Error(failed)
	}
	refused := func(context.Context, runtime.Handler) (runtime.Conn, error) {
		return nil, errors.New("refused")
	}
	if failed := compare(t, refused, same); len(failed) != 1 || !strings.Contains(failed[0], "the old server: ") || !strings.Contains(failed[0], "refused") {
		t.Error(failed)
	}
	if failed := compare(t, same, refused); len(failed) != 1 || !strings.Contains(failed[0], "the new server: ") {
		t.Error(failed)
	}
}
