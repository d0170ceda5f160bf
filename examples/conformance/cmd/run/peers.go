package main

import (
	"context"
	"net"
	"net/url"
	"strings"
	"time"
)

// peer is a client of plain JSON-RPC at a server.
type peer struct{ client, server, transport, result string }

// meeting is a peer that is still to be had.
type meeting struct {
	client, server string
	transport      string
	serve          []string // the command of the server, with {port}
	call           []string // that of the client, with {port}
}

// meetings are the clients and servers of plain JSON-RPC: those of others at the weather server, and rpcgen's client at one of others.
func (b *bench) meetings() []meeting {
	const jayson, jsonrpc2 = "jayson", "json-rpc-2.0"
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
		{"rpcgen's client", named(jayson), "HTTP", []string{b.node(), "jayson-server.mjs", "{port}"}, []string{b.cache("weatherclient"), "-http", rpc}},
	}
}

// peers has all of them meet.
func (b *bench) peers(ctx context.Context, t *table) error {
	for _, m := range b.meetings() {
		s, err := b.serve(ctx, m.serve...)
		if err != nil {
			return err
		}
		p := &peer{m.client, m.server, m.transport, "ok"}
		if out, err := b.meet(ctx, s, m.call); err != nil {
			p.result = "FAIL"
			t.fault("%s at %s over %s: %v\n%s", m.client, m.server, m.transport, err, strings.TrimSpace(string(out)))
		}
		s.stop()
		t.peers = append(t.peers, p)
	}
	return nil
}

// meet runs a client at a server.
func (b *bench) meet(ctx context.Context, s *server, call []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	u, err := url.Parse(s.url)
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(u.Host)
	if err != nil {
		return nil, err
	}
	args := make([]string, len(call))
	for i, arg := range call {
		args[i] = strings.ReplaceAll(arg, "{port}", port)
	}
	return b.command(ctx, args[0], args[1:]...).CombinedOutput()
}
