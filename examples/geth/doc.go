// Package geth has package rpc of go-ethereum meet what is here, over HTTP, WebSocket and Unix sockets: its client the weather service, and the
// connections of rpcgen its server. It is a module of its own, because of what go-ethereum needs.
package geth
