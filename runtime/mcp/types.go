package mcp

import types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"

// The payloads of the protocol that handlers make and get, as revision 2026-07-28 defines them: each revision before only lacks parts of
// them.
type (
	Annotations          = types.Annotations
	AudioContent         = types.AudioContent
	BlobResourceContents = types.BlobResourceContents
	CallToolResult       = types.CallToolResult
	ContentBlock         = types.ContentBlock
	EmbeddedResource     = types.EmbeddedResource
	GetPromptResult      = types.GetPromptResult
	Icon                 = types.Icon
	ImageContent         = types.ImageContent
	Implementation       = types.Implementation
	MetaObject           = types.MetaObject
	PromptMessage        = types.PromptMessage
	ReadResourceResult   = types.ReadResourceResult
	ResourceLink         = types.ResourceLink
	Role                 = types.Role
	TextContent          = types.TextContent
	TextResourceContents = types.TextResourceContents
)

// What clients are asked, and answer.
type (
	CreateMessageRequestParams = types.CreateMessageRequestParams
	CreateMessageResult        = types.CreateMessageResult
	ElicitRequestFormParams    = types.ElicitRequestFormParams
	ElicitRequestURLParams     = types.ElicitRequestURLParams
	ElicitResult               = types.ElicitResult
	ListRootsResult            = types.ListRootsResult
	ModelHint                  = types.ModelHint
	ModelPreferences           = types.ModelPreferences
	PrimitiveSchemaDefinition  = types.PrimitiveSchemaDefinition
	Root                       = types.Root
	SamplingMessage            = types.SamplingMessage
	ToolChoice                 = types.ToolChoice
	ToolResultContent          = types.ToolResultContent
	ToolUseContent             = types.ToolUseContent
)

// What the lists of a server hold.
type (
	Prompt           = types.Prompt
	Resource         = types.Resource
	ResourceTemplate = types.ResourceTemplate
	Tool             = types.Tool
	ToolAnnotations  = types.ToolAnnotations
)

// The properties of what a user is asked by a form.
type (
	BooleanSchema                  = types.BooleanSchema
	LegacyTitledEnumSchema         = types.LegacyTitledEnumSchema
	NumberSchema                   = types.NumberSchema
	StringSchema                   = types.StringSchema
	TitledMultiSelectEnumSchema    = types.TitledMultiSelectEnumSchema
	TitledSingleSelectEnumSchema   = types.TitledSingleSelectEnumSchema
	UntitledMultiSelectEnumSchema  = types.UntitledMultiSelectEnumSchema
	UntitledSingleSelectEnumSchema = types.UntitledSingleSelectEnumSchema
)
