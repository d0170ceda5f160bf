// Package rpcotel records what JSON-RPC services and their clients do with OpenTelemetry, by the semantic conventions for RPC (rpc, in
// development): a span for every call, and its duration and sizes by method and error. For MCP see package mcpotel.
//
//	options := runtime.Options{Middleware: []runtime.Middleware{rpcotel.Server(rpcotel.Options{})}}
//	err := stdio.Serve(ctx, weather.NewHandler(office{}), stdio.WithOptions(options))
//
//	client := weather.NewClient(rpcotel.Client(conn, rpcotel.Options{}))
//
// Params and results are never recorded. The package is a separate module, so that other users do not depend on OpenTelemetry; its
// exporters include Prometheus.
package rpcotel
