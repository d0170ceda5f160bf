// Package peers has the JSON-RPC libraries of others meet what is here: their clients the weather service, and clients of rpcgen their servers.
// It is a module of its own, because of what they need.
package peers
