module github.com/rpcgen-go/rpcgen/runtime/transport/websocket

go 1.26.0

require (
	github.com/coder/websocket v1.8.15
	github.com/rpcgen-go/rpcgen v0.0.0
)

replace github.com/rpcgen-go/rpcgen => ../../..
