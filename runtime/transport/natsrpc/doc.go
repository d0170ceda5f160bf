// Package natsrpc carries JSON-RPC 2.0 over NATS: [Serve] serves a [runtime.Handler] on a subject, and [Dial] gives a [runtime.Conn] for
// generated clients. Servers that serve the same subject share its calls: they are a queue group, and each call goes to one of them.
//
// Calls are independent of each other, as over package rpchttp: there are no sessions, so notifications of one client may be handled by
// several servers at once, and handlers with state per connection (runtime.Hooks.Open) get none. A server can call its clients: a client
// that is dialled with a handler has a subject of its own, and [runtime.PeerFrom] in a handler calls it there. It stays good after the
// handler has returned.
//
// # Failures
//
// Core NATS delivers a message at most once. What was promised to a caller is therefore that a call is answered or fails clearly, in bounded time:
//
//   - [NoServerError]: no server serves the subject. The call was not executed.
//   - [ErrDisconnected]: there is no connection to NATS now. The call was not sent; calls are never kept for later.
//   - [LostError]: the call was sent, and its server gives no sign of life: it was killed or is paused, or its answer was lost with a connection. The
//     call may have been executed. A server reports every two seconds that a call is still running, so a call may take any time.
//   - the error of the context; the server cancels the call.
//
// A client retries the methods that [ClientOptions].Idempotent reports, which is generated for the key idempotent of the schema.
//
// # Messages
//
// A request or a batch is a NATS request whose data is the JSON-RPC message; its reply is the answer. A message with notifications alone has no
// reply subject. The headers are:
//
//	Rpc-Timeout  of a request: how many milliseconds are left until its caller gives up
//	Rpc-Peer     of a message of a client that can be called: the subject that its own subjects begin with
//	Rpc-Status   of a reply without data: working, if the call is still running; further replies follow
//
// Requests whose caller has given up are named by a message on the subject of the service with .cancel at its end, which all servers
// receive: its data is the reply subject of the request. A client is called on its subject with .call at its end, notified on
// .note, and requests of servers that have given up are named on .cancel.
//
// A service answers the discovery and the statistics of package micro of nats.go, and so the commands "nats micro ls", info and stats.
package natsrpc
