package grammar

import (
	"slices"
	"sync"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/mcp"
)

// server is what a file says of its MCP server.
func server() *Place {
	return &Place{Name: "server", Keys: []Key{
		{Name: "name", Doc: "The name of the server, for programs.", Value: text(), Required: true},
		{Name: "version", Doc: "The version of the server, such as 1.4.0.", Value: text(), Required: true},
		{Name: "title", Doc: "The name of the server, for people.", Value: text()},
		{Name: "description", Doc: "What the server is for.", Value: prose()},
		{Name: "websiteUrl", Doc: "The home page of the server.", Value: text()},
		{Name: "instructions", Doc: "How to use the server, for models.", Value: prose()},
		{Name: "revisions", Doc: "The revisions of MCP that are served. The default is all of them.", Value: wordList(mcp.Revisions...)},
		{Name: "cache", Doc: "For how long and between whom clients may keep lists and resources. The default is not at all.", Value: cache()},
		{Name: "icons", Doc: "Images that stand for the server.", Value: icons()},
		{Name: "listed", Doc: "A JSON file with the entries of the lists of a server, which are published word for word as long as they mean what the " +
			"schema says.", Value: text()},
		{Name: "profiles", Doc: "Further listings of the tools, for clients whose models take less of JSON Schema.", Value: wordList("gemini", "openai-strict")},
		{Name: "budget", Doc: "How many tokens the tools may take, as rpcgen budget estimates them, above which rpcgen check fails; and how many bytes a " +
			"result.", Value: budget()},
	}}
}

func budget() *Place {
	return &Place{Name: "budget", Keys: []Key{
		{Name: "tokens", Doc: "How many all tools may take together.", Value: integer()},
		{Name: "tool", Doc: "How many each tool may take that has no budget of its own.", Value: integer()},
		{Name: "result", Doc: "The greatest size of the structured result of each tool whose view has no budget of its own, in bytes such as 24k (24,000) " +
			"or 1m.", Value: text()},
	}}
}

func cache() *Place {
	return &Place{Name: "cache", Keys: []Key{
		{Name: "ttlMs", Doc: "For how many milliseconds.", Value: integer()},
		{Name: "scope", Doc: "Between whom: private, one user, or public. The default is private.", Value: words("private", "public")},
	}}
}

func icons() *Place {
	icon := &Place{Name: "icon", Scalars: []Scalar{Text}, Keys: []Key{
		{Name: "src", Doc: "Where it is: an https: or data: URI.", Value: text(), Required: true},
		{Name: "mimeType", Doc: "What kind of image it is, such as image/png.", Value: text()},
		{Name: "sizes", Doc: "How large it may be shown, such as 48x48 or any.", Value: names(Text)},
		{Name: "theme", Doc: "Whether it is for a light or a dark background.", Value: words("light", "dark")},
	}}
	return listOf(icon)
}

// Tool is the place of a tool.
var Tool = sync.OnceValue(func() *Place {
	return &Place{Name: "a tool", Empty: true, Keys: describe(
		fastKey("input and output"),
		Key{Name: "http", Doc: "The request to a backend that answers it. Without it, its handler is written in Go.", Value: request()},
		Key{Name: "hints", Doc: "What it may do, for clients that ask their users.", Value: hints()},
		Key{Name: "icons", Doc: "Images that stand for it.", Value: icons()},
		Key{Name: "asks", Doc: "What it may need of the client before it can answer: requests by name, or questions with a typed answer.", Value: asks()},
		Key{Name: "input", Doc: "Its arguments: fields, or the name of a type that has them.", Value: Payload()},
		Key{Name: "unknown", Doc: "What becomes of members that input in place does not name: they are refused, which is the default, or ignored. Objects " +
			"within it that say additional, and named types, are as they say.", Value: words("refuse", "ignore")},
		Key{Name: "inputSchema", Doc: "The JSON Schema that is published in place of the one of input, word for word. The server checks input.", Value: Data()},
		Key{Name: "output", Doc: "Its structured output: fields, or the name of a type that has them.", Value: Payload()},
		Key{Name: "view", Doc: "What of output callers get: which members, whether they may choose, and how large a result may be.", Value: view()},
		Key{Name: "content", Doc: "The content blocks that the handler gives, in addition to output: one of a kind, any number of a kind (list<image>), or " +
			"any number of several kinds ([text, image]). any is blocks of every kind, and without output the whole result.", Value: content()},
		Key{Name: "errors", Doc: "The errors that a model sees: declared here, or the names of those declared elsewhere.", Value: toolErrors()},
		Key{Name: "timeout", Doc: "How long a call may take, such as 30s.", Value: timeout()},
		Key{Name: "rate", Doc: "How often it may be called. Calls over the rate are answered with the condition rate_limited.", Value: rate()},
		scopesKey(),
		Key{Name: "cache", Doc: "How long a server with a cache keeps results, and for which calls.", Value: lifetime(false)},
		Key{Name: "task", Doc: "Whether a call runs as a task, whose result the client fetches later: if the client can take one (optional), always " +
			"(required), or never. The default is never.", Value: words("never", "optional", "required")},
		Key{Name: "meta", Doc: "Its _meta: anything, for clients that know of it.", Value: Data()},
		Key{Name: "budget", Doc: "How many tokens it may take in the list, as rpcgen budget estimates them. The default is the budget of tools of the " +
			"server.", Value: integer()},
	)}
})

func view() *Place {
	return &Place{Name: "view", Keys: []Key{
		{Name: "show", Doc: "The members of output that callers get, as paths through objects and lists: issues.title. The default is all.", Value: names(Text)},
		{Name: "choose", Doc: "The name of a member that the input gains: a list of the paths that the caller wants in place of those shown. Without it, " +
			"callers cannot choose.", Value: text()},
		{Name: "budget", Doc: "The greatest size of the structured result in bytes, such as 24k (24,000) or 1m.", Value: text()},
		{Name: "over", Doc: "What becomes of a result over budget: its list is cut between items and continued by the next call (cut), the call fails with " +
			"the sizes of the members (error), or the largest members are left out and named (omit). The default is omit for tools that may change something, " +
			"cut where a list can be continued, and error otherwise.", Value: words("cut", "error", "omit")},
		{Name: "items", Doc: "With cut: the list of output that is cut. The default is its only list.", Value: text()},
		{Name: "cursor", Doc: "With cut: the member of input that continues a list. The default is cursor.", Value: text()},
		{Name: "next", Doc: "With cut: the member of output that holds the cursor of the next call. The default is next or nextCursor.", Value: text()},
	}}
}

func hints() *Place {
	return &Place{Name: "hints", Keys: []Key{
		{Name: "title", Doc: "Its name for people, where clients look that do not know title: annotations.title.", Value: text()},
		{Name: "readOnly", Doc: "It changes nothing.", Value: boolean()},
		{Name: "destructive", Doc: "It may destroy something.", Value: boolean()},
		{Name: "idempotent", Doc: "Doing it twice is doing it once.", Value: boolean()},
		{Name: "openWorld", Doc: "It reaches what is beyond the server.", Value: boolean()},
	}}
}

func asks() *Place {
	question := &Place{Name: "a question", Empty: true, Keys: []Key{
		{Name: "message", Doc: "What the user is asked. {field} stands for a field of the input, or of params.", Value: text(), Required: true},
		{Name: "params", Doc: "What the message speaks of, when it is not in the input.", Value: fields()},
		{Name: "form", Doc: "What the user fills in: text, numbers, booleans and enums.", Value: fields(), Required: true},
	}}
	return &Place{Name: "asks", Scalars: []Scalar{Text}, Items: text(), Each: question}
}

// fields is a mapping that is always fields.
func fields() *Place { return &Place{Name: "fields", Each: Schema(Field), Marked: true} }

// content is what content blocks a tool gives: any, a kind, a list of a kind, or several kinds.
func content() *Place {
	var kinds, lists []string
	for _, k := range ir.ContentKinds {
		kinds = append(kinds, string(k))
		lists = append(lists, (&ir.Content{Kinds: []ir.ContentKind{k}, Many: true}).String())
	}
	return &Place{Scalars: []Scalar{Word}, Words: slices.Concat([]string{"any"}, kinds, lists), Items: words(kinds...)}
}

func toolErrors() *Place {
	one := &Place{Name: "an error of a tool", Empty: true, Keys: slices.Concat(
		[]Key{{Name: "message", Doc: "The text of the error. {field} stands for a field of the data, {{ for a brace.", Value: text()}},
		[]Key{{Name: "http", Doc: "The status of a backend's answer that means this error: a number such as 404, a range such as 4xx, or a list of them.",
			Value: names(Text)}},
		describe(Key{Name: "data", Doc: "What is known of the error in addition to the message: fields, or the name of a type that has them.", Value: Payload()}),
	)}
	return &Place{Name: "errors", Scalars: []Scalar{Text}, Items: text(), Each: one}
}

// Resource is the place of a resource.
var Resource = sync.OnceValue(func() *Place {
	return &Place{Name: "a resource", Keys: describe(
		Key{Name: "uri", Doc: "Its URI, absolute.", Value: text()},
		Key{Name: "uriTemplate", Doc: "The URIs of many: a template of RFC 6570, levels 1 and 2.", Value: text()},
		Key{Name: "params", Doc: "The variables of the template. The default is text.", Value: fields()},
		Key{Name: "mimeType", Doc: "What kind of content it has, such as text/markdown.", Value: text()},
		Key{Name: "content", Doc: "string is text, bytes a blob, any the whole result, and any other type is JSON.", Value: Payload(), Required: true},
		Key{Name: "subscribe", Doc: "Clients may ask to be told when it changes.", Value: boolean()},
		Key{Name: "size", Doc: "How many bytes it has.", Value: integer()},
		Key{Name: "annotations", Doc: "Who it is for.", Value: annotations()},
		Key{Name: "icons", Doc: "Images that stand for it.", Value: icons()},
		Key{Name: "meta", Doc: "Its _meta, in the list and with the content, unless content is any: anything, for clients that know of it.", Value: Data()},
	)}
})

func annotations() *Place {
	return &Place{Name: "annotations", Keys: []Key{
		{Name: "audience", Doc: "Who it is for: user, assistant or both.", Value: wordList("user", "assistant")},
		{Name: "priority", Doc: "How much it matters, from 0 to 1.", Value: number()},
		{Name: "lastModified", Doc: "When it changed last, such as 2026-07-28T12:00:00Z.", Value: text()},
	}}
}

// Prompt is the place of a prompt.
var Prompt = sync.OnceValue(func() *Place {
	return &Place{Name: "a prompt", Empty: true, Keys: describe(
		Key{Name: "arguments", Doc: "What the user fills in: fields of text.", Value: fields()},
		Key{Name: "icons", Doc: "Images that stand for it.", Value: icons()},
	)}
})
