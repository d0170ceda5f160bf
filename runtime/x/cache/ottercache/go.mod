module github.com/rpcgen-go/rpcgen/runtime/x/cache/ottercache

go 1.26.0

require github.com/rpcgen-go/rpcgen v0.0.0

require github.com/maypok86/otter/v2 v2.4.0

replace github.com/rpcgen-go/rpcgen => ../../../..
