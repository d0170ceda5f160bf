// Package cache keeps results of methods and tools for a time, so that equal calls need no handler:
//
//	kept := cache.New(store, cache.Options{Methods: map[string]cache.Rule{
//		"weather/current": {TTL: time.Minute, Keys: []string{"city", "unit"}, Scope: cache.Public},
//	}})
//	options := runtime.Options{Middleware: []runtime.Middleware{kept.Middleware}}
//
// For tools of MCP servers see package mcpcache. A [Store] holds the results; module ottercache has one that is bounded in memory.
//
// Errors are never kept. The results for one principal are not given to another one unless their scope is [Public]. Of equal calls at
// the same time, one calls the handler and the others wait for it.
package cache
