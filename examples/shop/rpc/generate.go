package rpc

//go:generate go tool rpcgen generate shop.rpc.yaml
