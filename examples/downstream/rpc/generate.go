package rpc

//go:generate go tool rpcgen generate notes.rpc.yaml
