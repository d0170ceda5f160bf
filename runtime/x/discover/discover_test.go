package discover_test

import (
	"io"
	"log/slog"
	"os"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/x/discover"
)

// TestDiscover: the document is answered whole, and other methods are as they were.
func TestDiscover(t *testing.T) {
	document, err := os.ReadFile("../../../cmd/rpcgen/internal/language/openrpc/testdata/weather.openrpc.json")
	if err != nil {
		t.Fatal(err)
	}
	compact, err := wire.ParseRaw(document)
	if err != nil {
		t.Fatal(err)
	}
	d := runtime.NewDispatcher(weather.NewHandler(weather.UnimplementedServer{}), runtime.Options{
		Middleware: []runtime.Middleware{discover.Middleware(string(document))}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	for msg, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`:                            `{"jsonrpc":"2.0","id":1,"result":` + compact.String() + `}`,
		`{"jsonrpc":"2.0","id":1,"method":"rpc.discover","params":[]}`:                `{"jsonrpc":"2.0","id":1,"result":` + compact.String() + `}`,
		`{"jsonrpc":"2.0","method":"rpc.discover"}`:                                   ``,
		`{"jsonrpc":"2.0","id":1,"method":"rpc.discover","params":{]}`:                `{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"Parse error"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"rpc.describe"}`:                            `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"weather/watch","params":{"city":"Paris"}}`: `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`,
	} {
		if got := string(d.Dispatch(t.Context(), nil, []byte(msg))); got != want {
			t.Errorf("%s is answered\n%.200s, not\n%.200s", msg, got, want)
		}
	}
}

// TestInvalid: a document that is not JSON is found when the program starts.
func TestInvalid(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("there is no panic")
		}
	}()
	discover.Middleware("{")
}
