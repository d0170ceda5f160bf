package allkinds_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
)

// positioned shows the params that it was called with.
type positioned struct {
	allkinds.UnimplementedServer
	seen *allkinds.AllPositionParams
}

func (s positioned) AllPosition(_ context.Context, p allkinds.AllPositionParams) (string, error) {
	*s.seen = p
	return "", nil
}

func (positioned) AllPositionRef(_ context.Context, p allkinds.Point) (allkinds.Point, error) {
	return p, nil
}

func (positioned) AllName(_ context.Context, p allkinds.AllNameParams) (string, error) {
	return p.A, nil
}

// TestByPosition sends params as arrays, of which the server gets the same values.
func TestByPosition(t *testing.T) {
	seen := allkinds.AllPositionParams{}
	conn := &direct{d: runtime.NewDispatcher(allkinds.NewHandler(positioned{seen: &seen}), runtime.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})}
	client := allkinds.NewClient(conn)
	null := runtime.Some(runtime.Nullable[string]{})
	for want, p := range map[string]allkinds.AllPositionParams{
		`["a"]`:                   {Name: "a"},
		`["a",3]`:                 {Name: "a", Limit: runtime.Some[int32](3)},
		`["a",null,null]`:         {Name: "a", Hint: null},
		`["a",null,"h"]`:          {Name: "a", Hint: runtime.Some(runtime.NotNull("h"))},
		`["a",1,null,["x"]]`:      {Name: "a", Limit: runtime.Some[int32](1), Hint: null, Tags: []string{"x"}},
		`["a",null,"h",["x, y"]]`: {Name: "a", Hint: runtime.Some(runtime.NotNull("h")), Tags: []string{"x, y"}},
	} {
		seen = allkinds.AllPositionParams{}
		_, err := client.AllPosition(t.Context(), p)
		if got := conn.sent[len(conn.sent)-1]; err != nil || !strings.HasSuffix(got, `"params":`+want+`}`) {
			t.Errorf("%v: sent %s, expected %s", err, got, want)
		}
		if fmt.Sprintf("%#v", seen) != fmt.Sprintf("%#v", p) {
			t.Errorf("sent %#v, got %#v", p, seen)
		}
	}
	if _, err := client.AllPosition(t.Context(), allkinds.AllPositionParams{Tags: []string{"", "", ""}}); err == nil {
		t.Error("params that break a rule were sent")
	}
	if p, err := client.AllPositionRef(t.Context(), allkinds.Point{X: 1, Y: 2}); err != nil || p.X != 1 || p.Y != 2 {
		t.Errorf("got %v, %v", p, err)
	}
	if s, err := client.AllName(t.Context(), allkinds.AllNameParams{A: "x"}); err != nil || s != "x" {
		t.Errorf("got %q, %v", s, err)
	}
}

// TestByName refuses arrays where params are by name alone, and takes objects where they are by position.
func TestByName(t *testing.T) {
	d := runtime.NewDispatcher(allkinds.NewHandler(positioned{seen: new(allkinds.AllPositionParams)}), runtime.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	for msg, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"all/name","params":["x"]}`:                   `"expected":"object"`,
		`{"jsonrpc":"2.0","id":1,"method":"all/name"}`:                                  `"pointer":"/a","rule":"required"`,
		`{"jsonrpc":"2.0","id":1,"method":"all/name","params":{"a":"x"}}`:               `"result":"x"`,
		`{"jsonrpc":"2.0","id":1,"method":"all/position","params":{"name":"x"}}`:        `"result":""`,
		`{"jsonrpc":"2.0","id":1,"method":"all/position","params":["x",null,null,[1]]}`: `"pointer":"/3/0"`,
		`{"jsonrpc":"2.0","id":1,"method":"all/position","params":[null]}`:              `"pointer":"/0"`,
		`{"jsonrpc":"2.0","id":1,"method":"all/position","params":["",1,"",[],0]}`:      `"rule":"maxItems"`,
	} {
		if got := string(d.Dispatch(t.Context(), nil, []byte(msg))); !strings.Contains(got, want) {
			t.Errorf("%s\nanswered %s\nexpected %s", msg, got, want)
		}
	}
}

// direct is a connection to a dispatcher, which notes what was sent.
type direct struct {
	d    *runtime.Dispatcher
	sent []string
}

func (c *direct) NextID(int) (int64, error) { return 1, nil }

func (c *direct) Call(ctx context.Context, _ int64, msg []byte) ([]byte, error) {
	c.sent = append(c.sent, string(msg))
	return c.d.Dispatch(ctx, nil, bytes.Clone(msg)), nil
}

func (c *direct) CallBatch(context.Context, int64, int, []byte) ([][]byte, error) {
	return nil, runtime.ErrClosed
}

func (c *direct) Notify(context.Context, []byte) error { return runtime.ErrClosed }
