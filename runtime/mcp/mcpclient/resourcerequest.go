package mcpclient

import (
	"context"
	"encoding/base64"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// ResourceRequest is one request resources/read of a generated client.
type ResourceRequest struct{ typedRequest }

// NewResourceRequest begins a request for a resource; declared is as in [Client.NewToolRequest]. The
// caller must call Close.
func (c *Client) NewResourceRequest(uri string, declared func(*runtime.Error) error) *ResourceRequest {
	q := new(ResourceRequest)
	q.client, q.request, q.declared = c, *resourceRequest("resources/read", uri), declared
	return q
}

// Send sends the request, answers questions of the server, and waits for the result.
func (q *ResourceRequest) Send(ctx context.Context) { q.send(ctx) }

// Whole decodes the complete result.
func (q *ResourceRequest) Whole(v *mcp.ReadResourceResult) { q.whole(v) }

// member returns the member text or blob of the first content.
func (q *ResourceRequest) member(name string) string {
	if q.err != nil {
		return ""
	}
	first := wire.Peek{}
	for first = range wire.PeekAt(q.out.contents).Elements() {
		break
	}
	text, ok := first.In(name).Text()
	if !ok {
		q.fail("its contents hold no " + name)
	}
	return text
}

// Text returns the text of a text resource.
func (q *ResourceRequest) Text() string { return q.member("text") }

// Blob returns the bytes of a binary resource.
func (q *ResourceRequest) Blob() []byte {
	text := q.member("blob")
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		q.fail("its blob is not valid base64")
		return nil
	}
	return b
}

// JSON is the condition of the loop that decodes a resource whose text is JSON, see
// [ToolRequest.Structured].
func (q *ResourceRequest) JSON() bool {
	if q.begun {
		return q.decodes()
	}
	text := q.Text()
	if q.err != nil {
		return false
	}
	q.text = []byte(text)
	if err := wire.Check(q.text, wire.MaxDepth); err != nil {
		q.fail("its text is not JSON: " + err.Error())
		return false
	}
	return q.decodes()
}
