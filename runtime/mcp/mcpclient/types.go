package mcpclient

import types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"

// The elements of the lists of a server. The payloads of the protocol are those of revision 2026-07-28; earlier revisions only lack
// parts of them.
type (
	// Tool is an entry of tools/list.
	Tool = types.Tool

	// ToolAnnotations are hints about the behaviour of a tool.
	ToolAnnotations = types.ToolAnnotations

	// Prompt is an entry of prompts/list.
	Prompt = types.Prompt

	// Resource is an entry of resources/list.
	Resource = types.Resource

	// ResourceTemplate is an entry of resources/templates/list.
	ResourceTemplate = types.ResourceTemplate
)
