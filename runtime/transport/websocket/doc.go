// Package websocket carries JSON-RPC 2.0 over WebSocket (RFC 6455): every text message is a message or batch, in both directions, so servers call
// their clients as over any other connection. [NewHandler] makes an [http.Handler] of a [runtime.Handler], and [Dial] connects a client.
// The package is a separate module, so that only its users depend on github.com/coder/websocket.
//
// Pages of other sites are rejected as in package rpchttp. Compression is not offered, because a small message could expand to a large one.
// If the handshake fails, the request is answered with an HTTP status:
//
//	400  the request is not a WebSocket handshake, or offers none of the sub-protocols
//	401  there is no valid token or certificate (Options.Auth)
//	403  the Origin or the Host is not one of this server, or the caller may not use it
//	405  the method is not GET
//	426  the request does not ask for a WebSocket
//	429  the client has too many connections
//	503  the server has too many connections or is shutting down, or tokens cannot be verified now
//
// Afterwards, connections are closed with a code (RFC 6455 section 7.4.1):
//
//	1000  the session has ended
//	1001  the server shuts down
//	1002  a frame breaks the protocol, such as a compressed one
//	1003  a message is binary
//	1008  a message was not complete in time
//	1009  a message is over the size limit
//	1013  incomplete messages take too much memory
//
// A peer that does not answer pings, or does not read, loses the connection without a close frame. Text that is not UTF-8 or not JSON is answered
// with -32700, and the connection remains usable.
package websocket
