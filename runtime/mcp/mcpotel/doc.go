// Package mcpotel tells OpenTelemetry of what MCP servers and clients do, by the semantic conventions for MCP (gen_ai/mcp, in
// development): a span and a measured duration for every request, and the duration of sessions. Traces go on from client to server in the
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
// Arguments and results are never recorded. It is a module of its own: who does not import it links no OpenTelemetry.
package mcpotel
