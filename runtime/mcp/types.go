package mcp

//lint:file-ignore SA1019 sampling and roots are deprecated, and part of every revision

import types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"

// The payloads of the protocol are those of revision 2026-07-28; earlier revisions only lack parts of them. Those that handlers
// use often have names here. The others, such as the fields of a form (PrimitiveSchemaDefinition) and ModelPreferences, are in package
// generated/mcp20260728, which holds all of them.

// The results of handlers, and their parts.
type (
	// CallToolResult is the complete result of a tool: contents, and whether it is an error.
	CallToolResult = types.CallToolResult

	// GetPromptResult is a prompt: its messages.
	GetPromptResult = types.GetPromptResult

	// PromptMessage is one message of a prompt.
	PromptMessage = types.PromptMessage

	// Role is the author of a message: user or assistant.
	Role = types.Role

	// ReadResourceResult is the complete result of reading a resource: its contents.
	ReadResourceResult = types.ReadResourceResult

	// ResourceContents is one of [TextResourceContents] and [BlobResourceContents].
	ResourceContents = types.ReadResourceResultContentsItem

	// TextResourceContents is the text of a resource.
	TextResourceContents = types.TextResourceContents

	// BlobResourceContents is the bytes of a resource.
	BlobResourceContents = types.BlobResourceContents

	// ContentBlock is one of [TextContent], [ImageContent], [AudioContent], [ResourceLink] and [EmbeddedResource].
	ContentBlock = types.ContentBlock

	// TextContent is text.
	TextContent = types.TextContent

	// ImageContent is an image.
	ImageContent = types.ImageContent

	// AudioContent is a sound recording.
	AudioContent = types.AudioContent

	// ResourceLink names a resource that the client may read.
	ResourceLink = types.ResourceLink

	// EmbeddedResource is a resource itself.
	EmbeddedResource = types.EmbeddedResource

	// Annotations say for whom a content is meant and how important it is.
	Annotations = types.Annotations

	// MetaObject is the member _meta, which the protocol leaves to extensions.
	MetaObject = types.MetaObject

	// Icon is an image that represents something.
	Icon = types.Icon

	// LoggingLevel is the severity of a log message: debug, info, notice, warning, error, critical,
	// alert or emergency.
	LoggingLevel = types.LoggingLevel
)

// The params of input requests to clients, and their results.
type (
	// ElicitRequestFormParams are the params of a form for the user.
	ElicitRequestFormParams = types.ElicitRequestFormParams

	// ElicitRequestURLParams are the params of a request to send the user to a URL.
	ElicitRequestURLParams = types.ElicitRequestURLParams

	// ElicitResult is the user's action: accept with content, decline or cancel.
	ElicitResult = types.ElicitResult

	// CreateMessageRequestParams are the messages that a model of the client should continue.
	CreateMessageRequestParams = types.CreateMessageRequestParams

	// CreateMessageResult is the message of the model.
	CreateMessageResult = types.CreateMessageResult

	// SamplingMessage is one of the messages.
	SamplingMessage = types.SamplingMessage

	// ListRootsResult holds the client's roots.
	ListRootsResult = types.ListRootsResult

	// Root is a directory or file that the server may work on.
	Root = types.Root
)
