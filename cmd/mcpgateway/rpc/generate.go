package rpc

//go:generate go tool rpcgen generate gateway.rpc.yaml
