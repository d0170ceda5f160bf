// Package shop is a server for the tests of packages mcp and mcpclient. It is written by hand in
// the form of generated code for a small schema.
//
//test:by ./runtime/internal/mcp/transcripts
package shop

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// Quiet is a logger that drops all records.
var Quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// Shop declares the tools, resources and prompts of a shop. It implements [mcp.Declarations].
type Shop struct {
	Change  func(*mcp.Info) // edits the declarations; may be nil
	Own     runtime.Handler // serves methods that are not part of MCP; may be nil
	Waiting chan struct{}   // closed when misbehave has begun to wait; may be nil

	mu     sync.Mutex
	orders int
}

// Tools are the tools of the shop, as a JSON array of Tool.
const Tools = `[{"name":"search_items","description":"Full-text search.","inputSchema":{"type":"object","properties":{"query":{"type":"string","minLength":1},"limit":{"type":"integer","minimum":1,"maximum":50,"default":10},"region":{"type":"string","x-mcp-header":"Region"},"page":{"type":"integer","x-mcp-header":"Page"},"fresh":{"type":"boolean","x-mcp-header":"Fresh"}},"required":["query"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"items":{"type":"array","items":{"type":"string"}},"more":{"type":"boolean"}},"required":["items","more"]}},` +
	`{"name":"place_order","description":"Buys. Asks the user.","inputSchema":{"type":"object","properties":{"sku":{"type":"string"}},"required":["sku"]}},` +
	`{"name":"misbehave","inputSchema":{"type":"object","properties":{"how":{"type":"string"}}}},` +
	`{"name":"report","inputSchema":{"type":"object"}},` +
	`{"name":"interview","inputSchema":{"type":"object"}}]`

const (
	resources = `[{"uri":"shop://catalogue","name":"catalogue","mimeType":"application/json"},{"uri":"shop://logo","name":"logo","mimeType":"image/png"},{"uri":"shop://terms","name":"terms"}]`
	templates = `[{"uriTemplate":"shop://items/{sku}","name":"item","mimeType":"text/plain"}]`
	prompts   = `[{"name":"review_order","description":"Look for mistakes.","arguments":[{"name":"orderId","required":true}]},{"name":"greet"}]`

	toolNames   = "search_items\nplace_order\nmisbehave\nreport\ninterview"
	promptNames = "review_order\ngreet"
)

// Info implements [mcp.Declarations].
func (s *Shop) Info() *mcp.Info {
	info := &mcp.Info{
		Name: "shop", Version: "1.4.0", Title: "Shop", Instructions: "Search first.",
		TTLMs: 300000, Scope: "public",
		Tools: Tools, Resources: resources, Templates: templates, Prompts: prompts,
		Completions: true, Subscribe: true,
		Headers: []mcpgen.ToolHeader{
			{Tool: "search_items", Path: []string{"region"}, Header: "Region", Kind: mcpgen.HeaderString},
			{Tool: "search_items", Path: []string{"page"}, Header: "Page", Kind: mcpgen.HeaderInteger},
			{Tool: "search_items", Path: []string{"fresh"}, Header: "Fresh", Kind: mcpgen.HeaderBoolean},
		},
	}
	if s.Change != nil {
		s.Change(info)
	}
	return info
}

// Methods implements [mcp.Declarations].
func (s *Shop) Methods() runtime.Handler { return s.Own }

// Condition implements [mcp.Declarations].
func (s *Shop) Condition(c runtime.Condition) error {
	if s.Own == nil {
		return nil
	}
	return s.Own.Condition(c)
}

// CallTool implements [mcp.Declarations].
func (s *Shop) CallTool(ctx context.Context, c *mcp.ToolCall) {
	switch c.Name() {
	case "search_items":
		s.searchItems(c)
	case "place_order":
		s.placeOrder(ctx, c)
	case "misbehave":
		s.misbehave(ctx, c)
	case "report":
		s.report(ctx, c)
	case "interview":
		s.interview(ctx, c)
	default:
		c.NotFound(toolNames)
	}
}

// searchInput is the input of search_items.
type searchInput struct {
	query, region string
	limit, page   int64
	fresh         bool
}

// DecodeJSON reads in.
func (in *searchInput) DecodeJSON(r *wire.Reader) {
	const names = "query\nlimit\nregion\npage\nfresh"
	*in = searchInput{limit: 10}
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		r.KeyString(&o, 0, `"query":`, &in.query)
		r.KeyInt64(&o, 1, `"limit":`, &in.limit)
		r.KeyString(&o, 2, `"region":`, &in.region)
		r.KeyInt64(&o, 3, `"page":`, &in.page)
		r.KeyBool(&o, 4, `"fresh":`, &in.fresh)
		r.Reject(&o, names)
	}
	r.Need(&o, 1, names)
}

// CheckRules checks in.
func (in *searchInput) CheckRules(vs *rule.Violations) {
	rule.Length(vs, "/query", in.query, 1, 200)
	rule.Max(vs, "/limit", in.limit, 50)
}

func (s *Shop) searchItems(c *mcp.ToolCall) {
	var in searchInput
	for c.Arguments() {
		in.DecodeJSON(c.Reader())
		in.CheckRules(c.Violations())
	}
	if c.Answered() {
		return
	}
	if in.query == "broken" {
		c.Violations().Add(rule.Violation{Pointer: "/items", Rule: "required", Expected: "items"})
	}
	b := wire.AppendString(append(c.Structured(), `{"items":[`...), in.query)
	c.Return(append(b, `],"more":false}`...))
}

// OutOfStock is an error that a schema declares.
type OutOfStock struct{ SKU string }

func (e *OutOfStock) Error() string { return e.SKU + " is out of stock" }

// ToolError implements [mcp.ToolError].
func (e *OutOfStock) ToolError() string { return "OutOfStock" }

// AppendData implements [mcp.ToolError].
func (e *OutOfStock) AppendData(b []byte) []byte {
	return append(wire.AppendString(append(b, `{"sku":`...), e.SKU), '}')
}

// confirmation is the form of place_order.
type confirmation struct{ name string }

// DecodeJSON reads f.
func (f *confirmation) DecodeJSON(r *wire.Reader) { decodeText(r, `"name":`, &f.name) }

// decodeText reads an object with a text that has to be there.
func decodeText(r *wire.Reader, key string, text *string) {
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		r.KeyString(&o, 0, key, text)
	}
	r.Need(&o, 1, strings.Trim(key, `":`))
}

const confirmationSchema = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`

func (s *Shop) placeOrder(ctx context.Context, c *mcp.ToolCall) {
	var sku string
	for c.Arguments() {
		decodeText(c.Reader(), `"sku":`, &sku)
	}
	if c.Answered() {
		return
	}
	if sku == "GONE" {
		c.Fail(&OutOfStock{sku})
		return
	}
	var form confirmation
	if err := mcp.ElicitForm(ctx, "confirm", "Really?", confirmationSchema, &form); err != nil {
		c.Fail(err)
		return
	}
	s.mu.Lock()
	s.orders++
	s.mu.Unlock()
	b := wire.AppendString(append(c.Structured(), `{"orderedBy":`...), form.name)
	c.Return(append(b, '}'))
}

// failures are errors that misbehave fails with, by the word that asks for them.
var failures = map[string]error{
	"error": errors.New("the password is 1234"), "code": runtime.Answer(-32042, "burnt", runtime.Raw{}), "coded": runtime.Answer(7, "Seven", runtime.Raw{}),
	"unimplemented": runtime.ErrUnimplemented, "nil": nil,
}

func (s *Shop) misbehave(ctx context.Context, c *mcp.ToolCall) {
	var how string
	for c.Arguments() {
		how, _ = c.Reader().Peek().In("how").Text()
		c.Reader().Skip()
	}
	switch how {
	case "panic":
		panic("as asked")
	case "silence":
	case "list":
		c.Return(append(c.Structured(), `[1,2]`...))
	case "empty":
		c.ReturnEmpty()
	case "whole":
		c.ReturnWhole(&mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: "hello"}}})
	case "isError":
		c.ReturnWhole(&mcp.CallToolResult{Content: []mcp.ContentBlock{}, IsError: runtime.Some(true)})
	case "wait":
		if s.Waiting != nil {
			close(s.Waiting)
		}
		<-ctx.Done()
		c.Fail(ctx.Err())
	default:
		if err, fails := failures[how]; fails {
			c.Fail(err)
		}
	}
}

func (s *Shop) report(ctx context.Context, c *mcp.ToolCall) {
	mcp.Progress(ctx, 0, 100, "")
	mcp.Progress(ctx, 50.5, 100, "halfway")
	mcp.Progress(ctx, 20, 100, "backwards")
	mcp.Log(ctx, "debug", "shop", Raw(`{"seen":"by the curious"}`))
	mcp.Log(ctx, "warning", "shop", Raw(`"low stock"`))
	mcp.Logger(ctx).Error("on fire", "where", "kitchen")
	c.ReturnEmpty()
}

// Raw returns a text that must be valid JSON.
func Raw(text string) runtime.Raw {
	v, err := wire.ParseRaw([]byte(text))
	if err != nil {
		panic(err)
	}
	return v
}

func (s *Shop) interview(ctx context.Context, c *mcp.ToolCall) {
	a := mcp.Ask(ctx)
	roots := a.Roots("where")
	said := a.Sample("say", mcp.CreateMessageRequestParams{MaxTokens: 9, Messages: []mcp.SamplingMessage{}})
	if err := a.Wait(); err != nil {
		c.Fail(err)
		return
	}
	var form confirmation
	if err := mcp.ElicitForm(ctx, "confirm", "And you are?", confirmationSchema, &form); err != nil {
		c.Fail(err)
		return
	}
	b := wire.AppendString(append(c.Structured(), `{"root":`...), roots.Result().Roots[0].URI)
	b = wire.AppendString(append(b, `,"model":`...), said.Result().Model)
	b = wire.AppendString(append(b, `,"name":`...), form.name)
	c.Return(append(b, '}'))
}

// ReadResource implements [mcp.Declarations].
func (s *Shop) ReadResource(ctx context.Context, c *mcp.ResourceCall) {
	switch uri := c.URI(); {
	case uri == "shop://catalogue":
		c.ReturnJSON("application/json", append(c.JSON(), `[{"sku":"A-1"}]`...))
	case uri == "shop://logo":
		c.ReturnBlob("image/png", []byte{1, 2, 3})
	case uri == "shop://terms":
		if _, err := mcp.Roots(ctx, "where"); err != nil {
			c.Fail(err)
			return
		}
		c.ReturnResult(&mcp.ReadResourceResult{})
	case strings.HasPrefix(uri, "shop://items/"):
		c.ReturnText("text/plain", "item "+strings.TrimPrefix(uri, "shop://items/"))
	default:
		c.NotFound("shop://catalogue\nshop://logo\nshop://terms")
	}
}

// GetPrompt implements [mcp.Declarations].
func (s *Shop) GetPrompt(_ context.Context, c *mcp.PromptCall) {
	switch c.Name() {
	case "greet":
		c.Return(&mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Hello"}}}})
	case "review_order":
		s.reviewOrder(c)
	default:
		c.NotFound(promptNames)
	}
}

func (s *Shop) reviewOrder(c *mcp.PromptCall) {
	var order string
	for c.Arguments() {
		decodeText(c.Reader(), `"orderId":`, &order)
	}
	if !c.Answered() {
		c.Return(&mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Check " + order}}}})
	}
}

// Complete implements [mcp.Declarations].
func (s *Shop) Complete(_ context.Context, c *mcp.CompleteCall) {
	switch {
	case c.Prompt() == "review_order" && c.Argument() == "orderId":
		c.ReturnEnum("alpha\nAlbert\nbeta")
	case c.Template() == "shop://items/{sku}" && c.Argument() == "sku":
		values := make([]string, 101)
		for i := range values {
			values[i] = c.Completing().Value + c.Completing().Arguments["a"]
		}
		c.Return(values)
	case c.Template() != "":
		c.NotFound("shop://items/{sku}")
	default:
		c.NotFound(promptNames)
	}
}
