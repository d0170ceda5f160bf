// Package rpchttp carries JSON-RPC 2.0 over HTTP: every message or batch is the body of a POST request, and its answer the body of the
// response. [NewHandler] makes an [http.Handler] of a [runtime.Handler], and [Dial] a [runtime.Conn] for generated clients.
//
// There are no sessions: requests are independent, a server cannot call its clients, and [runtime.PeerFrom] returns nil in its handlers. Services that
// call back need a connection, such as those of packages stdio, tcp and websocket. MCP over HTTP is package mcphttp.
//
// The response to a method that is a stream of items is one of server-sent events, if the header Accept allows text/event-stream: each event is a message, and
// the last one is the response. All other methods are answered with application/json, whatever the header says.
//
// JSON-RPC 2.0 does not define a transport over HTTP. The HTTP status of a response is:
//
//	200  a result, an error, or the answers of a batch; also for an invalid message, with -32700 or -32600 in the body
//	204  nothing: the message was a notification, or a batch of them
//	400  the body could not be read: it was cut off, or is not valid gzip; or a header occurs twice
//	401  there is no valid token or certificate (Options.Auth)
//	403  the Origin or the Host is not one of this server, or the caller may not use it
//	405  the method is not POST
//	406  the method is a stream, and the header Accept does not allow text/event-stream; or HTTP cannot carry the stream
//	408  the body did not arrive in time
//	413  the body, also when expanded, is over the limit
//	415  the Content-Type is not application/json, application/json-rpc or application/jsonrequest, or the Content-Encoding neither gzip nor identity
//	429  the client has too many calls
//	503  the server has too many calls, or tokens cannot be verified now
//
// A single request that fails with an error whose schema has http: is answered with that status. All of these but 204 have a
// JSON-RPC error as their body; 413, 429 and 503 the one that the schema declares for message_too_large, rate_limited and overloaded.
package rpchttp
