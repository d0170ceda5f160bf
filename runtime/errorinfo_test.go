package runtime

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// TestLookupError: the texts are those of JSON-RPC 2.0 section 5.1, and errors of these codes need no text of their own.
func TestLookupError(t *testing.T) {
	for code, want := range map[int64]string{
		-32700: "ParseError: Parse error", -32600: "InvalidRequest: Invalid Request", -32601: "MethodNotFound: Method not found",
		-32602: "InvalidParams: Invalid params", -32603: "InternalError: Internal error",
	} {
		info, ok := LookupError(code)
		if got := info.Name + ": " + info.Message; !ok || got != want || info.Code != code {
			t.Errorf("%d is %q, not %q", code, got, want)
		}
		o := Answer(code, "", wire.Raw{}).(Coder).RPCError()
		if !strings.HasSuffix(want, ": "+o.Message) || o.Code != code {
			t.Errorf("%d is answered with %q", code, o.Message)
		}
	}
	for _, code := range []int64{0, 1, -32000, -32099, -32768} {
		if info, ok := LookupError(code); ok {
			t.Errorf("%d is %v", code, info)
		}
		if o := Answer(code, "", wire.Raw{}).(Coder).RPCError(); o.Message == "" {
			t.Errorf("%d is answered without a message", code)
		}
	}
	if o := Answer(-32603, "Out of paper", wire.Raw{}).(Coder).RPCError(); o.Message != "Out of paper" {
		t.Error(o.Message)
	}
}

// TestErrorWithoutMessage: the text of an error says so where the peer has sent none.
func TestErrorWithoutMessage(t *testing.T) {
	for e, want := range map[*Error]string{
		{Code: 5}:                  "an error without a message (code 5)",
		{Code: 5, Message: "Five"}: "Five (code 5)",
	} {
		if e.Error() != want {
			t.Errorf("got %q, want %q", e.Error(), want)
		}
	}
}
