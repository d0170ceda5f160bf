package allkinds_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/when"
	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
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

// TestConditions: one error stands for two conditions, and what there is to call is listed without what cannot be called, by the name that the
// schema gives it.
func TestConditions(t *testing.T) {
	d := runtime.NewDispatcher(allkinds.NewHandler(allkinds.UnimplementedServer{}), runtime.Options{MaxBatch: 1, Logger: slog.New(slog.DiscardHandler)})
	answer := string(d.Dispatch(t.Context(), nil, []byte(`[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","id":2,"method":"x"}]`)))
	if !strings.Contains(answer, `"code":1005,`) || !strings.Contains(answer, `"data":{"maxSize":1,"unit":"elements"}`) {
		t.Error(answer)
	}
	h := allkinds.NewHandler(allkinds.UnimplementedServer{})
	for _, kind := range []when.Kind{when.MessageTooLarge, when.BatchTooLarge} {
		if _, ok := errors.AsType[*allkinds.TooLargeError](h.Condition(runtime.Condition{Kind: kind})); !ok {
			t.Errorf("%v has another error", kind)
		}
	}
	answer = string(d.Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"x"}`)))
	_, tools, ok := strings.Cut(answer, `"availableTools":[`)
	tools, _, _ = strings.Cut(tools, "]")
	if !ok || !strings.Contains(answer, `"available":[`+tools+`]`) || !strings.Contains(tools, `"all/struct"`) || strings.Contains(tools, "all/tell") {
		t.Error(answer)
	}
}

// strict is a handler whose errors have codes of the schema or of JSON-RPC only.
type strict struct{ runtime.Handler }

func (s strict) Hooks() runtime.Hooks {
	h := s.Handler.Hooks()
	h.MapError = func(o runtime.ErrorObject) runtime.ErrorObject {
		if _, known := allkinds.LookupError(o.Code); known {
			return o
		}
		return runtime.ErrorObject{Code: runtime.CodeInternalError, Message: "Internal error"}
	}
	return h
}

// coded is an error with a code.
type coded int64

func (coded) Error() string { return "coded" }

func (c coded) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: int64(c), Message: "coded"}
}

// failing answers all/none with an error.
type failing struct {
	allkinds.UnimplementedServer
	err error
}

func (f failing) AllNone(context.Context) error { return f.err }

// TestUnknownCodes: a code that the schema does not declare is sent as it is, and as -32603 by a handler that maps errors.
func TestUnknownCodes(t *testing.T) {
	large := &allkinds.TooLargeError{}
	declared := fmt.Sprintf(`"code":%d`, large.RPCError().Code)
	for _, test := range []struct {
		err          error
		kept, mapped string
	}{
		{coded(123456789), `"code":123456789`, `"code":-32603`},
		{coded(runtime.CodeInvalidParams), `"code":-32602`, `"code":-32602`},
		{large, declared, declared},
	} {
		h := allkinds.NewHandler(failing{err: test.err})
		for _, one := range []struct {
			handler runtime.Handler
			want    string
		}{{h, test.kept}, {strict{h}, test.mapped}} {
			d := runtime.NewDispatcher(one.handler, runtime.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
			if answer := string(d.Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"all/none"}`))); !strings.Contains(answer, one.want) {
				t.Errorf("%s, not %s", answer, one.want)
			}
		}
	}
}
