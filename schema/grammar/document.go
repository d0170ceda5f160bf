package grammar

import "sync"

// Document is the place of a whole file. Its sections keep the order that the author gives them.
var Document = sync.OnceValue(func() *Place {
	return &Place{Name: "a schema file", Keys: []Key{
		{Name: "rpcgen", Doc: "The version of the language: v1. It must be the first key.", Value: words("v1"), Required: true},
		{Name: "package", Doc: "The name of the Go package. The default is the name of the folder.", Value: textOfForm(`^[^A-Z0-9\s./-][^A-Z\s./-]*$`)},
		{Name: "title", Doc: "A short name for readers.", Value: text()},
		{Name: "description", Doc: "What the service is for. It becomes the comment of the Go package.", Value: prose()},
		{Name: "protocol", Doc: "For protocol authors: how the protocol is called and how it frames messages. The default is plain JSON-RPC 2.0.", Value: protocol()},
		{Name: "import", Doc: "Other schema files by alias, whose types are used as alias.Type.", Value: choice(text())},
		{Name: "use", Doc: "Modules of the language: mcp gives the types of the protocol as mcp.X, and the keys of its servers.", Value: wordList("mcp")},
		{Name: "server", Doc: "What an MCP server says of itself.", Value: server()},
		{Name: "expose", Doc: "Which x-* keys of methods and tools the generated Go says at run time.", Value: names(Text)},
		{Name: "go", Doc: "Names, import paths and the codec of the generated Go.", Value: goOptions()},
		{Name: "reserved", Doc: "Names, methods and codes that were used once and may not be used again.", Value: reservedKey()},
		{Name: "lint", Doc: "Findings of rpcgen lint that are meant to be there.", Value: lint()},
		{Name: "types", Doc: "Types by name.", Value: choice(Schema(Declared)), Section: true},
		{Name: "errors", Doc: "Errors by name. Each becomes a typed Go error and a constant with its code.", Value: choice(ErrorObject()), Section: true},
		{Name: "methods", Doc: "Methods by their name on the wire.", Value: choice(Method()), Section: true},
		{Name: "notifications", Doc: "Notifications by their name on the wire: methods that nobody answers.", Value: choice(Method()), Section: true},
		{Name: "backends", Doc: "HTTP APIs by name, whose operations tools call: where they are, and which credentials they take.",
			Value: choice(Backend()), Section: true},
		{Name: "tools", Doc: "Tools of the MCP server by name: what models may call.", Value: choice(Tool()), Section: true},
		{Name: "resources", Doc: "Resources of the MCP server by name: what clients may read.", Value: choice(Resource()), Section: true},
		{Name: "prompts", Doc: "Prompts of the MCP server by name: what users may start with.", Value: choice(Prompt()), Section: true},
		{Name: "state", Doc: "Collections of entries by name, which tools or methods create, read, list, update and delete. rpcgen mock keeps them; " +
			"generated code is the same.", Value: choice(State()), Section: true},
	}}
})

func protocol() *Place {
	return &Place{Name: "protocol", Keys: []Key{
		{Name: "name", Doc: "The name of the protocol, such as mcp.", Value: text()},
		{Name: "revision", Doc: "Its dated revision, such as 2025-11-25.", Value: text()},
		{Name: "session", Doc: "How a session opens: not at all, with a handshake, or anew with every request.", Value: words("none", "handshake", "stateless")},
		{Name: "initialize", Doc: "The request that comes first in a session with a handshake, such as initialize. Until it has succeeded, sessions refuse " +
			"all others.", Value: text()},
		{Name: "shutdown", Doc: "The request after which a session serves only the exit notification.", Value: text()},
		{Name: "exit", Doc: "The notification that ends a session with a handshake.", Value: text()},
		{Name: "nulls", Doc: "How null is read where a member may be absent and may not be null: it is refused, or it is absent. The default is refused, " +
			"and absent in schemas of MCP.", Value: words("refused", "absent")},
		{Name: "ids", Doc: "Which ids are valid: any, which is all that JSON-RPC 2.0 allows, or strict, which is strings and integers. The default is any, " +
			"and strict in MCP.", Value: words("any", "strict")},
		{Name: "batch", Doc: "Whether batches are allowed. The default is true.", Value: boolean()},
		{Name: "cancel", Doc: "The notification by which a peer cancels a request of its own, such as $/cancelRequest.", Value: cancel()},
		{Name: "progress", Doc: "The notification by which a server reports the progress of a request, such as $/progress.", Value: progress()},
		{Name: "items", Doc: "How streams send their items, where a method says nothing else.", Value: items(false)},
		{Name: "positional", Doc: "Whether params may be an array, in the order of the fields. The default is true.", Value: boolean()},
		{Name: "paramsBy", Doc: "Whether params are sent as an array, in the order of the fields, or as an object, where a method says nothing else. The " +
			"default is either.", Value: paramsBy()},
	}}
}

func cancel() *Place {
	return &Place{Name: "cancel", Keys: []Key{
		{Name: "method", Doc: "The name of the notification.", Value: text(), Required: true},
		{Name: "id", Doc: "The member of its params that is the id of the request. The default is id.", Value: text()},
	}}
}

func progress() *Place {
	return &Place{Name: "progress", Keys: []Key{
		{Name: "method", Doc: "The name of the notification, which the server sends.", Value: text(), Required: true},
		{Name: "token", Doc: "The member of its params that says which request it is about. The default is token.", Value: text()},
		{Name: "param", Doc: "The member of the params of requests with which a client asks for progress, such as workDoneToken. Its value is the token.",
			Value: text(), Required: true},
	}}
}

func goOptions() *Place {
	return &Place{Name: "goOptions", Keys: []Key{
		{Name: "codec", Doc: "compact: less code reads and writes values; it compiles faster and runs slower.", Value: words("compact")},
		{Name: "json", Doc: "Whether the types have methods for encoding/json. The default is true; false compiles faster.", Value: boolean()},
		{Name: "initialisms", Doc: "Words that Go names write in capitals, in addition to the usual ones.", Value: names(Text)},
		{Name: "rename", Doc: "Go names by path, such as Report.wind: Breeze.", Value: choice(text())},
		{Name: "import", Doc: "The import paths of the packages generated from imported schemas, by alias.", Value: choice(text())},
	}}
}

func reservedKey() *Place {
	return &Place{Name: "reserved", Keys: []Key{
		{Name: "names", Doc: "Names of types and errors.", Value: names(Text)},
		{Name: "methods", Doc: "Names of methods and notifications.", Value: names(Text)},
		{Name: "codes", Doc: "Error codes.", Value: names(Integer)},
	}}
}

func lint() *Place {
	ignore := &Place{Name: "ignore", Keys: []Key{
		{Name: "rule", Doc: "The id of the rule, as rpcgen lint prints it.", Value: text(), Required: true},
		{Name: "at", Doc: "The path of the finding, as rpcgen lint prints it.", Value: text(), Required: true},
		{Name: "reason", Doc: "Why it is meant to be there.", Value: prose()},
	}}
	return &Place{Name: "lint", Keys: []Key{
		{Name: "ignore", Doc: "The findings, each with a rule, a path and a reason.", Value: listOf(ignore)},
	}}
}
