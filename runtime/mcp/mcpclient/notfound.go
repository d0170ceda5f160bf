package mcpclient

import (
	"errors"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// notFoundError is the error of a server that has no such resource. It is [mcp.ErrNotFound] as well,
// so that callers need not know which revision uses which code.
type notFoundError struct{ answered *runtime.Error }

func (e *notFoundError) Error() string        { return e.answered.Error() }
func (e *notFoundError) Is(target error) bool { return target == mcp.ErrNotFound }
func (e *notFoundError) Unwrap() error        { return e.answered }

// resourceError returns err, or a notFoundError in its place if that is what the answer to q means.
func resourceError(q *outgoing, err error) error {
	e, ok := errors.AsType[*runtime.Error](err)
	if !ok || q.method != "resources/read" && !strings.HasPrefix(q.method, "resources/sub") {
		return err
	}
	if e.Code == protocol.CodeResourceNotFound {
		return &notFoundError{e}
	}
	if uri, ok := wire.PeekAt([]byte(e.Data.String())).In("uri").Text(); ok && e.Code == runtime.CodeInvalidParams && uri == q.target {
		return &notFoundError{e}
	}
	return err
}
