// Package runtime is what generated JSON-RPC 2.0 code stands on: the envelope around every message, ids, errors, batches,
// dispatch, sessions and clients.
//
// What only generated code calls is in package gen.
//
// A generated router implements [Handler]. A [Dispatcher] turns the bytes of a message into the bytes of its answer, for any
// transport. A [Session] speaks both directions over one connection; it is the [Conn] of generated clients. What the
// values of a schema look like is not known here: generated code decodes, checks and appends them, with the help of package
// wire.
//
// # Ownership
//
// The bytes of a message belong to what is decoded from it: strings share them. So nobody changes a message's bytes once they
// were handed to the runtime.
package runtime
