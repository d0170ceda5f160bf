module example.com/pets

go 1.26.0

require github.com/oapi-codegen/runtime v1.8.0

require (
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	github.com/spf13/cobra v1.10.2 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

require (
	github.com/apapsch/go-jsonmerge/v2 v2.0.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/rpcgen-go/rpcgen v0.0.0
)

replace github.com/rpcgen-go/rpcgen => ../../..

tool github.com/rpcgen-go/rpcgen/cmd/rpcgen
