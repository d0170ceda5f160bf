// Package mcpcluster lets the replicas of an MCP server share their sessions, so that each request of each session may come to any of them,
// and a session outlives its replica. It serves the revisions that begin with a handshake: later ones have no sessions, and need none of it.
//
//	backplane, err := mcpnats.New(ctx, nc, mcpnats.Options{Name: "shop"})
//	...
//	handler := mcphttp.NewHandler(server, mcphttp.Options{Replicas: mcpcluster.New(backplane)})
//
// A [Backplane] connects the replicas: [NewMemory] those of one process, and package mcpnats those of many.
package mcpcluster
