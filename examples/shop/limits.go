package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache"
	"github.com/rpcgen-go/rpcgen/runtime/x/ratelimit"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
)

// rates are those of the schema, and one for each principal, or each address if there are no tokens.
func rates() ratelimit.Limits {
	l := rpc.RateLimits()
	l.Principal = ratelimit.Rate{Calls: 60_000, Per: time.Minute, Burst: 10_000}
	return l
}

// httpOptions returns the options of the HTTP handler. The text of tokens is a list such as "secret=ann hidden=bob": bearer tokens and
// whose they are. If it is empty, no token is required.
func httpOptions(l ratelimit.Limits, tokens string) (mcphttp.Options, error) {
	o := mcphttp.Options{Runtime: runtime.Options{Limiter: ratelimit.New(l).Middleware}}
	owners := map[string]string{}
	for one := range strings.FieldsSeq(tokens) {
		token, owner, ok := strings.Cut(one, "=")
		if !ok || token == "" || owner == "" {
			return o, fmt.Errorf("a token is written TOKEN=OWNER")
		}
		owners[token] = owner
	}
	if len(owners) > 0 {
		o.Auth = mcphttp.Tokens(owners)
	}
	return o, nil
}

// kept keeps the results that the schema names. Another process may change the stock of an item, so they are not kept for long; what this process
// changes is dropped at once.
func kept(results cache.Store) *cache.Cache {
	return cache.New(results, rpc.CacheRules())
}
