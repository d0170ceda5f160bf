package rpc

//go:generate go tool rpcgen generate --kit shop.rpc.yaml
