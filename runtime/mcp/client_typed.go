package mcp

import (
	"context"
	"encoding/base64"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// typed is what the requests of generated clients have in common. Generated code appends the arguments, sends, and decodes what comes in
// a loop.
type typed struct {
	client     *Client
	ask        ask
	out        *outcome
	err        error
	phase      phase
	text       []byte // what is decoded
	reader     wire.Reader
	violations rule.Violations
}

// Violations returns where the rules are collected that the arguments break before they are sent, and later the result.
func (q *typed) Violations() *rule.Violations { return &q.violations }

// Reader returns the cursor at what is decoded.
func (q *typed) Reader() *wire.Reader { return &q.reader }

// Err returns what went wrong, or nil.
func (q *typed) Err() error {
	if q.err == nil && q.violations.Len() > 0 { // of a text, which is not decoded in a loop
		q.fail("the result does not fit the schema")
	}
	return q.err
}

// Close ends the request. It is deferred: when arguments could not be written as JSON, *err says so.
func (q *typed) Close(err *error) {
	switch p := recover().(type) {
	case nil:
	case *wire.EncodeError:
		*err = p
	default:
		panic(p)
	}
}

// send makes the request, unless what was to be sent breaks rules: then the error is a [*runtime.ParamsError].
func (q *typed) send(ctx context.Context) {
	if q.violations.Len() > 0 {
		q.err = &runtime.ParamsError{Method: q.ask.title(), Violations: q.violations.All()}
		q.violations.Reset()
		return
	}
	q.out, q.err = q.client.do(ctx, &q.ask)
}

// decodes is the condition of the loop that decodes text, which is JSON.
func (q *typed) decodes() bool {
	switch {
	case q.phase == untouched:
		q.phase = fast
		q.reader.Reset(q.text, wire.Space(q.text, 0), wire.MaxDepth)
		return true
	case q.phase == fast && q.reader.Failed():
		q.phase = collecting
		q.violations.Reset()
		q.reader.Collect(q.text, wire.Space(q.text, 0), wire.MaxDepth, &q.violations)
		return true
	case q.violations.Len() > 0:
		q.fail("the result does not fit the schema")
	case q.reader.Failed():
		q.fail("the result was refused without a reason")
	}
	return false
}

// fail says that the result is not what it should be.
func (q *typed) fail(what string) {
	q.err = &runtime.ResponseError{Method: q.ask.title(), What: what, Violations: q.violations.All()}
}

// whole decodes the whole result into v.
func (q *typed) whole(v wire.Decoder) {
	if q.err == nil {
		q.err = q.out.decode(&q.ask, v)
	}
}

// argued is a request that takes arguments.
type argued struct {
	typed
	start int // of the arguments
}

// Arguments returns the buffer that the arguments are to be appended to; Send takes it.
func (q *argued) Arguments() []byte {
	b := append(q.ask.members, `,"arguments":`...)
	q.start = len(b)
	return b
}

// Send sends the request with b, which is Arguments with the arguments appended, answers what the server asks, and waits for the
// result. Arguments that broke a rule are not sent: the error is a [*runtime.ParamsError].
func (q *argued) Send(ctx context.Context, b []byte) {
	q.ask.members, q.ask.arguments = b, b[q.start:]
	q.send(ctx)
}

// SendEmpty sends the request without arguments, like Send.
func (q *argued) SendEmpty(ctx context.Context) { q.send(ctx) }

// ToolRequest is one call of a tool by a generated client.
type ToolRequest struct{ argued }

// NewToolRequest begins a call of a tool. Close ends it.
func (c *Client) NewToolRequest(tool string) *ToolRequest {
	q := new(ToolRequest)
	q.client = c
	q.ask = ask{method: "tools/call", target: tool, members: wire.AppendString([]byte(`,"name":`), tool)}
	return q
}

// failed tells whether there is no result: an error that the tool answered has gone through declared, which may turn it into another; nil leaves
// it a [*ToolFailure].
func (q *ToolRequest) failed(declared func(*ToolFailure) error) bool {
	if q.err != nil || !q.out.isError {
		return q.err != nil
	}
	e := q.out.failure(q.ask.target)
	q.err = e
	if declared != nil && e.Name != "" {
		q.err = declared(e)
	}
	return true
}

// Structured is the condition of the loop that decodes the structured result. Its body runs once, and a second time when something is wrong, to
// collect every violation. It does not run when there is an error: one that the tool answered has gone through declared. A server that
// answers by text alone is taken by its word when that is JSON.
func (q *ToolRequest) Structured(declared func(*ToolFailure) error) bool {
	if q.phase != untouched {
		return q.decodes()
	}
	if q.failed(declared) {
		return false
	}
	if q.text = q.out.structured; q.text == nil {
		q.text = []byte(q.out.prose())
	}
	if err := wire.Check(q.text, wire.MaxDepth); err != nil {
		q.fail("it holds no structured content")
		return false
	}
	return q.decodes()
}

// NoResult is Structured for tools without a result: whatever there is, is left.
func (q *ToolRequest) NoResult(declared func(*ToolFailure) error) { q.failed(declared) }

// Whole decodes the whole result, for tools that answer by content.
func (q *ToolRequest) Whole(v *CallToolResult, declared func(*ToolFailure) error) {
	if !q.failed(declared) {
		q.whole(v)
	}
}

// PromptRequest is one request for a prompt by a generated client.
type PromptRequest struct{ argued }

// NewPromptRequest begins a request for a prompt. Close ends it.
func (c *Client) NewPromptRequest(prompt string) *PromptRequest {
	q := new(PromptRequest)
	q.client = c
	q.ask = ask{method: "prompts/get", target: prompt, members: wire.AppendString([]byte(`,"name":`), prompt)}
	return q
}

// Whole decodes the prompt.
func (q *PromptRequest) Whole(v *GetPromptResult) { q.whole(v) }

// ResourceRequest is one reading of a resource by a generated client.
type ResourceRequest struct{ typed }

// NewResourceRequest begins reading a resource. Close ends it.
func (c *Client) NewResourceRequest(uri string) *ResourceRequest {
	q := new(ResourceRequest)
	q.client, q.ask = c, *resourceAsk(uri)
	return q
}

// Send sends the request, answers what the server asks, and waits for the result.
func (q *ResourceRequest) Send(ctx context.Context) { q.send(ctx) }

// Whole decodes the whole result.
func (q *ResourceRequest) Whole(v *ReadResourceResult) { q.whole(v) }

// member returns the member text or blob of the first part of the contents.
func (q *ResourceRequest) member(name string) string {
	if q.err != nil {
		return ""
	}
	for part := range wire.PeekAt(q.out.contents).Elements() {
		if text, ok := part.In(name).Text(); ok {
			return text
		}
		break
	}
	q.fail("its contents hold no " + name)
	return ""
}

// Text returns the text of a resource that is one.
func (q *ResourceRequest) Text() string { return q.member("text") }

// Blob returns the bytes of a resource that is a blob.
func (q *ResourceRequest) Blob() []byte {
	text := q.member("blob")
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		q.fail("its blob is no base64")
		return nil
	}
	return b
}

// JSON is the condition of the loop that decodes a resource whose text is JSON; see [ToolRequest.Structured].
func (q *ResourceRequest) JSON() bool {
	if q.phase != untouched {
		return q.decodes()
	}
	text := q.Text()
	if q.err != nil {
		return false
	}
	q.text = []byte(text)
	if err := wire.Check(q.text, wire.MaxDepth); err != nil {
		q.fail("its text is no JSON: " + err.Error())
		return false
	}
	return q.decodes()
}
