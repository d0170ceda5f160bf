package rpcotel

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// The keys of the semantic conventions (rpc).
const (
	KeySystem     = attribute.Key("rpc.system.name")
	KeyMethod     = attribute.Key("rpc.method")
	KeyStatusCode = attribute.Key("rpc.response.status_code") // code of the error
	KeyErrorType  = attribute.Key("error.type")
	KeyRequestID  = attribute.Key("jsonrpc.request.id")
	KeyItems      = attribute.Key("jsonrpc.stream.items") // how many a stream has had
	KeyHTTPStatus = attribute.Key("http.response.status_code")
)

const (
	system = "jsonrpc"
	other  = "_OTHER" // stands for a method that does not exist
)

// Clip shortens text of a peer, between characters: an exporter refuses attributes that are not valid
// UTF-8. It copies the text, because a span outlives the message that s may share.
func Clip(s string) string {
	const most = 256 // bytes
	if len(s) > most {
		return peerlog.Cut(s, most) + "..."
	}
	return strings.Clone(s)
}

// IDText returns an id as text, without the quotes of a string.
func IDText(id runtime.ID) string {
	if text, ok := id.Text(); ok {
		return Clip(text)
	}
	return Clip(id.String())
}
