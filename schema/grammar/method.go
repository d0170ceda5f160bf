package grammar

import (
	"slices"
	"sync"
)

// Method is the place of a method or a notification.
var Method = sync.OnceValue(func() *Place {
	return &Place{Name: "a method", Empty: true, Keys: describe(
		fastKey("params and result"),
		Key{Name: "from", Doc: "Which side calls it. The default is client.", Value: words("client", "server", "both")},
		Key{Name: "wire", Doc: "Of a stream: its name on the wire, which others may have too where the first param of each is another constant.", Value: text()},
		Key{Name: "params", Doc: "What the caller sends: a type, or fields.", Value: Payload()},
		Key{Name: "params?", Doc: "What the caller may send: a type, or fields. The params may be left out as a whole.", Value: Payload()},
		Key{Name: "unknown", Doc: "What becomes of members that params in place do not name: they are ignored, which is the default, or refused. Objects " +
			"within them that say additional, and named types, are as they say.", Value: words("refuse", "ignore")},
		Key{Name: "paramsBy", Doc: "Whether params are sent as an array, in the order of the fields, or as an object. The default is what protocol says, or " +
			"either: clients send objects, and servers take both.", Value: paramsBy()},
		Key{Name: "result", Doc: "The answer: a type, or fields. The default is an empty object.", Value: Payload()},
		Key{Name: "items", Doc: "Of a method that is a stream: what it sends until it ends. A type, or a type with how the items travel.", Value: items(true)},
		Key{Name: "errors", Doc: "The errors it may answer with, by name.", Value: names(Text)},
		Key{Name: "timeout", Doc: "How long a call may take unless the caller says otherwise, such as 30s.", Value: timeout()},
		Key{Name: "rate", Doc: "How often it may be called. Calls over the rate are answered with the condition rate_limited.", Value: rate()},
		scopesKey(),
		Key{Name: "ordered", Doc: "Of a notification: requests that come after it are handled when it is handled.", Value: boolean()},
		Key{Name: "idempotent", Doc: "Of a method: calling it twice has the effect of calling it once, so that a client may send a call again.", Value: boolean()},
		Key{Name: "capability", Doc: "For protocol authors: the capability that the answering side must have declared.", Value: text()},
		Key{Name: "requires", Doc: "For protocol authors: the capability that the calling side must have declared.", Value: text()},
		Key{Name: "embedded", Doc: "For protocol authors: it travels inside a result and not as a request.", Value: boolean()},
		Key{Name: "stream", Doc: "For protocol authors: the notifications that may come before the answer.", Value: names(Text)},
		Key{Name: "page", Doc: "For protocol authors: the list of the result that an iterator walks.", Value: text()},
		Key{Name: "cache", Doc: "How long a server with a cache keeps results, and for which calls. For protocol authors, true: clients may keep the answer.", Value: lifetime(true)},
		Key{Name: "header", Doc: "For protocol authors: HTTP headers that repeat parts of the params, such as Mcp-Name: params.name.", Value: choice(text())},
	)}
})

// items is how the items of a stream travel, and what they are unless that is said for all streams of a file.
func items(typed bool) *Place {
	p := &Place{Name: "items", Keys: []Key{
		{Name: "by", Doc: "What tells streams apart: request, the id of the request, whose response ends the stream; or id, which is the result of a response that " +
			"comes first. The default is request.", Value: words("request", "id")},
		{Name: "method", Doc: "The notification that an item is. The default is rpc.item.", Value: text()},
		{Name: "id", Doc: "The member of its params that is the id. The default is id.", Value: text()},
		{Name: "value", Doc: "The member of its params that is the item. The default is item.", Value: text()},
		{Name: "end", Doc: "Of streams by id: the method that ends one, whose params are the id in an array, or in a member.", Value: &Place{Name: "end",
			Scalars: []Scalar{Text}, Keys: []Key{
				{Name: "method", Doc: "The name of the method.", Value: text(), Required: true},
				{Name: "id", Doc: "The member of its params that is the id.", Value: text(), Required: true},
			}}},
		{Name: "buffer", Doc: "How many items wait for a client that reads slowly. The default is 64.", Value: integer()},
		{Name: "bytes", Doc: "How many bytes of messages wait likewise; one larger item may. The default is 1048576.", Value: integer()},
		{Name: "over", Doc: "What happens when there are more: the stream ends with an error, which is the default, or the oldest items go.",
			Value: words("end", "oldest")},
	}}
	if typed {
		p.Scalars = []Scalar{Expression}
		p.Keys = slices.Insert(p.Keys, 0, Key{Name: "type", Doc: "The type of an item, or its fields.", Value: Payload(), Required: true})
	}
	return p
}

// fastKey is the key that makes calls fast where the codec of the file is compact.
func fastKey(what string) Key {
	return Key{Name: "codec", Doc: "fast: where the codec of the file is compact, the types of its " + what +
		", and of what these hold, are read and written as fast as with the full codec.", Value: words("fast")}
}

// scopesKey is the key that says who may call.
func scopesKey() Key {
	return Key{Name: "scopes", Doc: "The scopes that its caller must have, such as [pay:write]. Other calls are answered with the condition forbidden.",
		Value: names(Text)}
}

// paramsBy is the structure that params are sent in.
func paramsBy() *Place { return words("either", "name", "position") }

// Payload is what goes on the wire under params, result and data: a type expression, or a mapping that is always fields.
var Payload = sync.OnceValue(func() *Place {
	return &Place{Name: "payload", Scalars: []Scalar{Expression}, Each: Schema(Field), Marked: true}
})

// ErrorObject is the place of an error.
var ErrorObject = sync.OnceValue(func() *Place {
	keys := []Key{
		{Name: "code", Doc: "The error code, which no other error has.", Value: integer(), Required: true},
		{Name: "message", Doc: "The text of the error. {field} stands for a field of the data, {{ for a brace.", Value: text()},
	}
	return &Place{Name: "an error", Keys: slices.Concat(keys, describe(
		Key{Name: "data", Doc: "What is known of the error in addition to code and message: a type, or fields.", Value: Payload()},
		Key{Name: "when", Doc: "The condition that the runtime finds by itself and answers with this error, or several.", Value: names(Text)},
		Key{Name: "category", Doc: "A free word by which errors can be looked up.", Value: text()},
		Key{Name: "severity", Doc: "How bad it is: the level at which it is logged.", Value: words("info", "warning", "error", "critical")},
		Key{Name: "http", Doc: "The HTTP status that goes with it.", Value: integer()},
		Key{Name: "retry", Doc: "Whether the same call may succeed later.", Value: boolean()},
		Key{Name: "reserved", Doc: "The code is one that JSON-RPC or MCP reserves, on purpose.", Value: boolean()},
	))}
})

// lifetime is how long a server keeps results. For protocol authors it may also be true or false.
func lifetime(flag bool) *Place {
	p := &Place{Name: "a cache", Keys: []Key{
		{Name: "ttl", Doc: "How long a result is kept, such as 1m.", Value: timeout(), Required: true},
		{Name: "keys", Doc: "The fields of the params or the input that select a result. The default is all.", Value: names(Text)},
		{Name: "scope", Doc: "Who shares results: private, the calls of one principal, or public, all calls. The default is private.",
			Value: words("private", "public")},
	}}
	if flag {
		p.Scalars = []Scalar{Boolean}
	}
	return p
}

// timeout is a duration, as Go writes it.
func timeout() *Place {
	return textOfForm(`^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`)
}

// rate is how often something may be called.
func rate() *Place {
	return &Place{Name: "a rate", Keys: []Key{
		{Name: "calls", Doc: "How many calls are allowed in the time of per.", Value: integer(), Required: true},
		{Name: "per", Doc: "A duration, such as 1m. The default is one second.", Value: timeout()},
		{Name: "burst", Doc: "How many calls are allowed at once. The default is calls.", Value: integer()},
		{Name: "each", Doc: "Whose calls count together: those of a principal, of a session, or all calls of the server. The default is principal.",
			Value: words("principal", "session", "server")},
	}}
}
