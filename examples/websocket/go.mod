module github.com/rpcgen-go/rpcgen/examples/websocket

go 1.26.0

require (
	github.com/rpcgen-go/rpcgen v0.0.0
	github.com/rpcgen-go/rpcgen/runtime/transport/websocket v0.0.0
)

require github.com/coder/websocket v1.8.15 // indirect

replace (
	github.com/rpcgen-go/rpcgen => ../..
	github.com/rpcgen-go/rpcgen/runtime/transport/websocket => ../../runtime/transport/websocket
)
