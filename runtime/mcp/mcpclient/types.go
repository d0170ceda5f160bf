package mcpclient

import types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"

// What the lists of a server hold. The payloads of the protocol are those that revision 2026-07-28 defines: the revisions before it only lack
// parts of them.
type (
	// Tool is an entry of tools/list.
	Tool = types.Tool

	// ToolAnnotations hints at what a tool does.
	ToolAnnotations = types.ToolAnnotations

	// Prompt is an entry of prompts/list.
	Prompt = types.Prompt

	// Resource is an entry of resources/list.
	Resource = types.Resource

	// ResourceTemplate is an entry of resources/templates/list.
	ResourceTemplate = types.ResourceTemplate
)
