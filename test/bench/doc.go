// Package bench runs the same typed work on rpcgen and on its peers. It is a module of its own, so that no peer enters rpcgen's
// go.mod; `make bench` in the root folder writes docs/performance.md and figures.md with it.
package bench

//go:generate go tool rpcgen generate --out rpc bench.rpc.yaml
//go:generate go tool rpcgen generate --side server --out tools tools.rpc.yaml
