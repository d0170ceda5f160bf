module github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/budget/o200k

go 1.26.0

require (
	github.com/rpcgen-go/rpcgen v0.0.0
	github.com/tiktoken-go/tokenizer v0.10.0
)

require (
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/dlclark/regexp2/v2 v2.5.1 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

replace github.com/rpcgen-go/rpcgen => ../../../../../..
