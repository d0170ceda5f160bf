package mcp

//lint:file-ignore SA1019 sampling and roots are deprecated, and part of every revision

import types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"

// The payloads of the protocol are those that revision 2026-07-28 defines: the revisions before it only lack parts of them. Those that handlers
// name often have names here; the others, such as the fields of a form (PrimitiveSchemaDefinition) and ModelPreferences, are in package
// generated/mcp20260728, which holds all of them.

// What handlers return.
type (
	// CallToolResult is the whole result of a tool: contents, and whether it is an error.
	CallToolResult = types.CallToolResult

	// GetPromptResult is a prompt: its messages.
	GetPromptResult = types.GetPromptResult

	// PromptMessage is one message of a prompt.
	PromptMessage = types.PromptMessage

	// Role is who says a message: user or assistant.
	Role = types.Role

	// ReadResourceResult is the whole result of reading a resource: its contents.
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

	// AudioContent is a sound.
	AudioContent = types.AudioContent

	// ResourceLink names a resource that the client may read.
	ResourceLink = types.ResourceLink

	// EmbeddedResource is a resource itself.
	EmbeddedResource = types.EmbeddedResource

	// Annotations says whom a content is for, and how much it matters.
	Annotations = types.Annotations

	// MetaObject is the member _meta: what the protocol leaves to others.
	MetaObject = types.MetaObject

	// Icon is a picture that stands for something.
	Icon = types.Icon

	// LoggingLevel is how severe a log message is: debug, info, notice, warning, error, critical, alert or emergency.
	LoggingLevel = types.LoggingLevel
)

// What clients are asked, and answer.
type (
	// ElicitRequestFormParams asks the user by a form.
	ElicitRequestFormParams = types.ElicitRequestFormParams

	// ElicitRequestURLParams sends the user to a URL.
	ElicitRequestURLParams = types.ElicitRequestURLParams

	// ElicitResult is what the user did: accept with content, decline or cancel.
	ElicitResult = types.ElicitResult

	// CreateMessageRequestParams asks a model of the client to go on with messages.
	CreateMessageRequestParams = types.CreateMessageRequestParams

	// CreateMessageResult is what the model says.
	CreateMessageResult = types.CreateMessageResult

	// SamplingMessage is one of the messages.
	SamplingMessage = types.SamplingMessage

	// ListRootsResult is the client's roots.
	ListRootsResult = types.ListRootsResult

	// Root is a directory or file that the server may work on.
	Root = types.Root
)
