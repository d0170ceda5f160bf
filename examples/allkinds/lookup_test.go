package allkinds_test

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/allkinds"
	"github.com/rpcgen-go/rpcgen/runtime"
)

// TestLookupError: what is looked up by code agrees with what servers send.
func TestLookupError(t *testing.T) {
	for _, err := range []runtime.Coder{&allkinds.RetiredError{}, &allkinds.NoMethodError{}, &allkinds.TooLargeError{}, &allkinds.WithTypeError{}} {
		o := err.RPCError()
		info, ok := allkinds.LookupError(o.Code)
		fixed, _, _ := strings.Cut(info.Message, "{")
		if !ok || info.Code != o.Code || info.Category != o.Category || info.Severity != o.Severity || info.HTTPStatus != o.HTTPStatus || info.Retry != o.Retry ||
			!strings.HasPrefix(o.Message, fixed) || info.Name == "" {
			t.Errorf("%+v is sent, and %+v looked up", o, info)
		}
	}
	if info, ok := allkinds.LookupError(runtime.CodeInvalidParams); !ok || info.Name != "InvalidParams" {
		t.Error(info)
	}
	if info, ok := allkinds.LookupError(123456789); ok {
		t.Error(info)
	}
}
