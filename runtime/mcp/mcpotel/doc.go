// Package mcpotel records what MCP servers and clients do with OpenTelemetry, by the semantic conventions for MCP (gen_ai/mcp, in
// development): a span and a duration for every request, and the duration of sessions. Traces continue from client to server in the
// members traceparent, tracestate and baggage of _meta (MCP 2026-07-28, basic, Reserved keys), over every transport.
//
//	srv := shop.NewServer(office{}, mcp.Options{
//		Middleware: []mcp.Middleware{mcpotel.Server(mcpotel.Options{})},
//		OnSession:  mcpotel.ServerSession(mcpotel.Options{}),
//	})
//	conn, err := mcpclient.Connect(ctx, dial, mcpclient.Options{
//		Middleware: []mcpclient.Middleware{mcpotel.Client(mcpotel.Options{})},
//		OnSession:  mcpotel.ClientSession(mcpotel.Options{}),
//	})
//
// [Backplane] measures what connects the replicas of a server. Arguments and results are never recorded. The package is a separate module, so that other users
// do not depend on OpenTelemetry.
package mcpotel
