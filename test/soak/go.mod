module github.com/rpcgen-go/rpcgen/test/soak

go 1.26.0

require (
	github.com/rpcgen-go/rpcgen v0.0.0
	github.com/rpcgen-go/rpcgen/cmd/mcpgateway v0.0.0
)

require gopkg.in/yaml.v3 v3.0.1 // indirect

replace (
	github.com/rpcgen-go/rpcgen => ../..
	github.com/rpcgen-go/rpcgen/cmd/mcpgateway => ../../cmd/mcpgateway
)
