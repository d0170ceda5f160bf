module example.com/downstream

go 1.26.0

require github.com/rpcgen-go/rpcgen v0.0.0

require (
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/gorilla/websocket v1.5.3 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	github.com/spf13/cobra v1.10.2 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

tool github.com/rpcgen-go/rpcgen/cmd/rpcgen

replace github.com/rpcgen-go/rpcgen => ../..
