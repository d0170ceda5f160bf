// Package runtime is the part of a generated JSON-RPC 2.0 service that does not depend on its
// schema: the envelope of messages, ids, errors, batches, dispatch, sessions and clients. The
// functions that only generated code calls are in package gen.
//
// A generated router implements [Handler]. A [Dispatcher] turns the bytes of a message into the
// bytes of its answer, for any transport. A [Session] calls and serves over one connection in both
// directions; it is the [Conn] of generated clients. This package does not know the values of a
// schema: generated code decodes, validates and appends them with package wire.
//
// # Ownership of bytes
//
// Decoded strings share the bytes of their message, so decoding does not copy them. For that reason
// the bytes of a message must not be changed once they were passed to this package.
//
// # Concurrency
//
// A session has at most one goroutine that reads. It handles the call that it has read itself; when
// the params are decoded, another goroutine becomes the reader (leader/followers). So requests
// start in the order in which they arrive, no request waits for a goroutine to be started, and an
// idle session costs one goroutine. The fields of [Session] are parts with a lock each, and no part
// calls another while it holds its lock.
package runtime
