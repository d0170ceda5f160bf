package rpc

//go:generate go tool rpcgen generate --side server shop.rpc.yaml
