// Package mcp stands in for what generated clients call of runtime/mcp.
package mcp

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// ToolFailure is the error result of a tool.
type ToolFailure struct{ Name string }

func (*ToolFailure) Error() string { return "" }

// Declared returns declared with its data decoded, or the failure when they do not fit.
func (*ToolFailure) Declared(declared error, _ func(*wire.Reader)) error { return declared }

// Client is a client of an MCP server.
type Client struct{}

// Mirror adds what tools mirror into HTTP headers.
func (*Client) Mirror([]ToolHeader) {}

func (*Client) NewToolRequest(string) *ToolRequest         { return nil }
func (*Client) NewResourceRequest(string) *ResourceRequest { return nil }
func (*Client) NewPromptRequest(string) *PromptRequest     { return nil }

// calling is what all requests have.
type calling struct{}

func (*calling) Close(*error)                 {}
func (*calling) Err() error                   { return nil }
func (*calling) Violations() *rule.Violations { return nil }
func (*calling) Reader() *wire.Reader         { return nil }

// arguing is what requests with arguments have.
type arguing struct{ calling }

func (*arguing) Arguments() []byte            { return nil }
func (*arguing) Send(context.Context, []byte) {}
func (*arguing) SendEmpty(context.Context)    {}

// ToolRequest is a call of a tool.
type ToolRequest struct{ arguing }

// Structured is the condition of the loop that decodes structured content.
func (*ToolRequest) Structured(func(*ToolFailure) error) bool { return false }

// Whole reads the whole result.
func (*ToolRequest) Whole(*CallToolResult, func(*ToolFailure) error) {}

// NoResult reads past a result.
func (*ToolRequest) NoResult(func(*ToolFailure) error) {}

// ResourceRequest reads a resource.
type ResourceRequest struct{ calling }

func (*ResourceRequest) Send(context.Context) {}

// JSON is the condition of the loop that decodes a text that is JSON.
func (*ResourceRequest) JSON() bool { return false }

func (*ResourceRequest) Text() string              { return "" }
func (*ResourceRequest) Blob() []byte              { return nil }
func (*ResourceRequest) Whole(*ReadResourceResult) {}

// PromptRequest gets a prompt.
type PromptRequest struct{ arguing }

func (*PromptRequest) Whole(*GetPromptResult) {}
