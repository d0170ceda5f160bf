package main

import (
	"context"
	"errors"
	"net/url"
	"os/exec"
	"strings"
	"time"
)

// meeting is a client at a server: of plain JSON-RPC, or a framework for agents at the gateway.
type meeting struct {
	client, server string
	transport      string
	serve          []string // the command of the server, with {port}; nil: the client starts it
	call           []string // that of the client, with {port}
}

// gatewayMeetings are frameworks for agents, which use the server of the conformance suite through the gateway.
func (b *bench) gatewayMeetings() (all []meeting) {
	gateway := []string{b.cache("gateway"), "-config", b.cache("gateway.yaml"), "-http", "127.0.0.1:{port}"}
	for _, name := range []string{"ai", "@langchain/mcp-adapters", "@openai/agents", "mcp-remote"} {
		all = append(all, meeting{name + " " + b.versions[name], "cmd/mcpgateway", "HTTP", gateway,
			[]string{b.node(), "hosts.mjs", name, "http://127.0.0.1:{port}/mcp"}})
	}
	return all
}

// plainMeetings are the clients and servers of plain JSON-RPC: those of others at the weather server, and rpcgen's client at one of others.
func (b *bench) plainMeetings() []meeting {
	const jayson, jsonrpc2, openRPC = "jayson", "json-rpc-2.0", "@open-rpc/client-js"
	const vscode, vscodeProtocol = "vscode-jsonrpc", "vscode-languageserver-protocol"
	const rpc, ws = "http://127.0.0.1:{port}/rpc", "ws://127.0.0.1:{port}/ws"
	named := func(name string) string { return name + " " + b.versions[name] }
	overHTTP := []string{b.cache("weather"), "-http", "127.0.0.1:{port}"}
	overTCP := []string{b.cache("weather"), "-tcp", "127.0.0.1:{port}"}
	overWebSocket := []string{b.cache("weatherws"), "-ws", "127.0.0.1:{port}"}
	return []meeting{
		{named(jayson), "examples/weather", "HTTP", overHTTP, []string{b.node(), "jayson.mjs", rpc}},
		{named(jayson), "examples/weather", "TCP", overTCP, []string{b.node(), "jayson.mjs", "tcp", "{port}"}},
		{named(jsonrpc2), "examples/weather", "HTTP", overHTTP, []string{b.node(), "jsonrpc2.mjs", rpc}},
		{named(jsonrpc2), "examples/websocket", "WebSocket", overWebSocket, []string{b.node(), "jsonrpc2.mjs", ws}},
		{named(openRPC), "examples/weather", "HTTP", overHTTP, []string{b.node(), "openrpc.mjs", rpc}},
		{named(openRPC), "examples/websocket", "WebSocket", overWebSocket, []string{b.node(), "openrpc.mjs", ws}},
		{named(vscode), "examples/editor", "stdio", nil, []string{b.node(), "vscode.mjs", vscode, b.cache("editor")}},
		{named(vscodeProtocol), "examples/editor", "stdio", nil, []string{b.node(), "vscode.mjs", vscodeProtocol, b.cache("editor")}},
		{"rpcgen's client", named(jayson), "HTTP", []string{b.node(), "jayson-server.mjs", "{port}"}, []string{b.cache("weatherclient"), "-http", rpc}},
	}
}

// peers has all of them meet.
func (b *bench) peers(ctx context.Context, t *table) error {
	for _, m := range append(b.plainMeetings(), b.gatewayMeetings()...) {
		result := "ok"
		out, err := b.meet(ctx, m)
		if _, failed := errors.AsType[*exec.ExitError](err); failed {
			result = t.fault("%s at %s over %s: %v\n%s", m.client, m.server, m.transport, err, strings.TrimSpace(string(out)))
		} else if err != nil {
			return err
		}
		t.peers = append(t.peers, []string{m.client, m.server, m.transport, result})
	}
	return nil
}

// meet runs a client at its server.
func (b *bench) meet(ctx context.Context, m meeting) ([]byte, error) {
	port := ""
	if m.serve != nil {
		s, err := b.serve(ctx, m.serve...)
		if err != nil {
			return nil, err
		}
		defer s.stop()
		u, err := url.Parse(s.url)
		if err != nil {
			return nil, err
		}
		port = u.Port()
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return b.command(ctx, port, m.call...).CombinedOutput()
}
