package allkinds_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/allkinds"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// TestLookupError: what is looked up by code agrees with what servers send.
func TestLookupError(t *testing.T) {
	for _, err := range []runtime.Coder{&allkinds.NoMethodError{}, &allkinds.TooLargeError{}, &allkinds.WithTypeError{}} {
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

// TestAvailable: the names that there are fill a field that says what they are names of.
func TestAvailable(t *testing.T) {
	c := runtime.Condition{Kind: when.ToolNotFound, Method: "saw", Available: func() []string { return []string{"hammer", "axe"} }}
	err, ok := errors.AsType[*allkinds.NoToolError](allkinds.NewHandler(allkinds.UnimplementedServer{}).Condition(c))
	if !ok || err.Tool != "saw" || !slices.Equal(err.AvailableTools, []string{"hammer", "axe"}) {
		t.Errorf("%+v", err)
	}
}
