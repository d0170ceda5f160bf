module github.com/rpcgen-go/rpcgen/examples/shop

go 1.26.0

require (
	github.com/rpcgen-go/rpcgen v0.0.0
	github.com/rpcgen-go/rpcgen/runtime/x/cache/ottercache v0.0.0
	modernc.org/sqlite v1.61.1
)

require (
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/gorilla/websocket v1.5.3 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/maypok86/otter/v2 v2.4.0 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	github.com/spf13/cobra v1.10.2 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	golang.org/x/sys v0.49.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
	modernc.org/libc v1.79.0 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)

tool github.com/rpcgen-go/rpcgen/cmd/rpcgen

replace (
	github.com/rpcgen-go/rpcgen => ../..
	github.com/rpcgen-go/rpcgen/runtime/x/cache/ottercache => ../../runtime/x/cache/ottercache
)
