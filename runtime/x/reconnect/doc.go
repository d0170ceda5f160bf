// Package reconnect keeps a client connected: when its session ends, it dials again, with growing
// random delays.
//
// A call is sent at most once. If the connection is lost while a call is in flight, the peer may have
// handled it or not, so the call fails with a [*LostError] and is not repeated; whether it may be
// repeated only the caller knows. A call that finds no connection waits for one, and fails
// with an [*UnavailableError] if there is none in time; it was not sent.
package reconnect
