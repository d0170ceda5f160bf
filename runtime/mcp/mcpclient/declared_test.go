package mcpclient_test

import (
	"errors"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// goneError is an error that a schema declares.
type goneError struct{ uri string }

func (*goneError) Error() string { return "gone" }

// TestDeclaredError: an error of the protocol becomes the declared one, and what else the client knows of it is not lost.
func TestDeclaredError(t *testing.T) {
	eras(t, func(t *testing.T, _ mcp.Era, change func(*mcp.Info)) {
		c := connect(t, &shop.Shop{Change: change}, mcp.Options{}, answering())
		read := func(declared func(*runtime.Error) error) (err error) {
			q := c.NewResourceRequest("shop://nowhere/at/all", declared)
			defer q.Close(&err)
			q.Send(t.Context())
			q.Text()
			return q.Err()
		}
		err := read(func(*runtime.Error) error { return &goneError{"x"} })
		gone, ok := errors.AsType[*goneError](err)
		if _, answered := errors.AsType[*runtime.Error](err); !ok || gone.uri != "x" || !errors.Is(err, mcp.ErrNotFound) || !answered {
			t.Errorf("%T %v", err, err)
		}
		for name, declared := range map[string]func(*runtime.Error) error{
			"none": nil, "unknown": func(e *runtime.Error) error { return e }, "no answer": func(*runtime.Error) error { return nil },
		} {
			if err := read(declared); !errors.Is(err, mcp.ErrNotFound) {
				t.Errorf("%s: %T %v", name, err, err)
			}
		}
		q := c.NewToolRequest("no_such_tool", func(*runtime.Error) error { return &goneError{} })
		q.SendEmpty(t.Context())
		if _, exact := q.Err().(*goneError); !exact {
			t.Errorf("%T %v", q.Err(), q.Err())
		}
	})
}
