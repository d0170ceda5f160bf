// Package ratelimit limits the rate of calls: of each principal, of each session, of single methods and tools, and of a server as a
// whole. It serves plain JSON-RPC services and MCP servers over every transport:
//
//	limiter := ratelimit.New(ratelimit.Limits{
//		Principal: ratelimit.Rate{Calls: 100, Per: time.Minute},
//		Methods:   map[string]ratelimit.Rate{"report/build": {Calls: 2, Per: time.Hour}},
//	})
//	err := stdio.Serve(ctx, handler, stdio.WithOptions(runtime.Options{Limiter: limiter.Middleware}))
//
// A rate is a token bucket: it lets Burst calls pass at once, and then one call whenever Per divided by Calls has passed. A call that
// is over a rate is answered with the condition RateLimited before its params are decoded, and takes nothing from other rates.
//
// A schema declares rates of methods and tools with the key rate; generated handlers apply them unless [runtime.Options] has a
// Limiter of its own.
package ratelimit
