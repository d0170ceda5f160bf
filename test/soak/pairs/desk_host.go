package pairs

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/mount"
	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcache"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
	"github.com/rpcgen-go/rpcgen/runtime/x/ratelimit"
)

// shared is what the servers of one scenario have in common: replicas are one server.
type shared struct {
	store cache.Store
	tasks mcptask.Store
}

// newDesk returns a server, and a function that ends it. A decoy offers the tools of another server, under a name that is longer by the
// beginning of its prefix.
func (r *run) newDesk(name, decoy string, all shared) (*mcp.Server, error) {
	d := &desk{run: r, name: name}
	set := mcpdynamic.New(mcpdynamic.Options{})
	o := mcp.Options{
		Logger: quiet, Dynamic: set, StateKeys: [][]byte{[]byte("the key of all replicas of a soak")}, QuestionTimeout: 4 * deadline,
		Tasks: mcptask.New(mcptask.Options{Store: all.tasks, PollInterval: 10 * time.Millisecond}),
	}
	if r.middleware {
		o.Middleware = append(o.Middleware, looksAtTools)
	}
	if r.cache != nothing {
		o.Middleware = append(o.Middleware, mcpcache.Middleware(cache.New(all.store, r.toolRules())))
	}
	server := toolbox.NewServer(d, o)
	tools := d.tools("")
	if decoy != "" {
		tools = append(tools, d.tools(decoy)...)
	}
	return server, set.AddTools(tools...)
}

// toolRules returns the rules of the cache.
func (r *run) toolRules() cache.Options {
	const ttl = time.Minute
	rules := map[string]cache.Rule{
		toolBalance:   {TTL: ttl, Keys: []string{"account"}, Scope: cache.Public},
		toolBuy:       {TTL: ttl, Keys: []string{"account"}, Scope: cache.Public},
		toolStatement: {TTL: ttl, Keys: []string{"account"}},
		toolPage:      {TTL: ttl, Scope: cache.Public},
	}
	maps.DeleteFunc(rules, func(_ string, rule cache.Rule) bool { return !r.keepsBy(rule) })
	return cache.Options{Tools: rules}
}

// deskOptions returns the options of sessions and handlers.
func (r *run) deskOptions() runtime.Options {
	return r.options(ratelimit.Limits{Methods: map[string]ratelimit.Rate{"tools/call": low}})
}

// desk serves in the topology of the scenario, and returns how a caller connects.
func (r *run) desk(ctx context.Context) (enter func(ctx context.Context, name string, mute bool) (*caller, error), leave func(), err error) {
	all := shared{new(store), mcptask.NewMemory(mcptask.MemoryOptions{})}
	switch r.topology {
	case gateway:
		g, err := r.newGateway(ctx, all)
		if err != nil {
			return nil, nil, err
		}
		enter, leave, err := r.serve(ctx, g.Server(), func(o mcphttp.Options) http.Handler { return g.HTTP(o) })
		return enter, func() { leave(); g.Close() }, err
	case replicas:
		o := mcphttp.Options{Replicas: mcpcluster.New(mcpcluster.NewMemory()), Runtime: r.deskOptions(), Auth: r.auth()}
		var handlers []*mcphttp.Handler
		for range 2 {
			server, err := r.newDesk("desk", "", all)
			if err != nil {
				return nil, nil, err
			}
			handlers = append(handlers, mcphttp.NewHandler(server, o))
		}
		url, leave, err := web(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { handlers[rand.IntN(len(handlers))].ServeHTTP(w, q) }))
		return r.overURL(url), func() {
			leave()
			for _, h := range handlers {
				h.Close()
			}
		}, err
	}
	server, err := r.newDesk("desk", "", all)
	if err != nil {
		return nil, nil, err
	}
	return r.serve(ctx, server, func(o mcphttp.Options) http.Handler {
		o.Auth = r.auth()
		return mcphttp.NewHandler(server, o)
	})
}

// auth returns how callers are authenticated over HTTP, or nil.
func (r *run) auth() *mcphttp.Auth {
	if !r.principals {
		return nil
	}
	return mcphttp.Tokens(r.tokens())
}

// newGateway returns a gateway of two servers. The first one offers the tools of the second one as well, whose prefix begins with its own.
func (r *run) newGateway(ctx context.Context, all shared) (*mount.Gateway, error) {
	timeout := deadline
	if r.timeouts {
		timeout = time.Second
	}
	var text strings.Builder
	text.WriteString("servers:\n")
	servers := make(map[string]*mcp.Server)
	for i, name := range []string{"git", "git_private"} {
		decoy := ""
		if i == 0 {
			decoy = "private_"
		}
		server, err := r.newDesk(name, decoy, shared{new(store), all.tasks})
		if err != nil {
			return nil, err
		}
		servers[name] = server
		fmt.Fprintf(&text, "  %s: {url: \"http://localhost/%s\", timeout: %s, revisions: [\"%s\"]}\n", name, name, timeout, r.upstreams[i])
	}
	if r.principals {
		text.WriteString("principals:\n")
		for token, id := range r.tokens() {
			fmt.Fprintf(&text, "  %q: {token: %s, allow: [git, git_private]}\n", id, token)
		}
	}
	config, err := mount.ParseConfig([]byte(text.String()))
	if err != nil {
		return nil, err
	}
	g, err := mount.New(config, mount.Options{Logger: quiet, Dial: func(name string,
		_ mount.Server) mcpclient.Dialer {
		return mcpclient.InMemory(servers[name])
	}})
	if err != nil {
		return nil, err
	}
	ready, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	return g, g.Ready(ready)
}

// serve serves over the transport of the scenario.
func (r *run) serve(ctx context.Context, server *mcp.Server, overHTTPWith func(mcphttp.Options) http.Handler) (enter func(ctx context.Context,
	name string, mute bool) (*caller, error), leave func(), err error) {
	if r.transport == overHTTP {
		url, leave, err := web(overHTTPWith(mcphttp.Options{Runtime: r.deskOptions()}))
		return r.overURL(url), func() { leave(); server.Close() }, err
	}
	ctx, stop := context.WithCancel(ctx)
	h, err := r.newHost(ctx, server, r.deskOptions())
	if err != nil {
		stop()
		return nil, nil, err
	}
	return func(ctx context.Context, name string, mute bool) (*caller, error) {
		return r.visitor(ctx, name, mute, func() { h.cut(name) }, func(_ context.Context, inbound runtime.Handler) (runtime.Conn, error) {
			conn, _, err := h.connect(name, inbound)
			return conn, err
		})
	}, func() { stop(); h.ended.Wait(); server.Close() }, nil
}

// overURL returns how a caller connects to a URL, over connections of its own.
func (r *run) overURL(url string) func(ctx context.Context, name string, mute bool) (*caller, error) {
	return func(ctx context.Context, name string, mute bool) (*caller, error) {
		pool := &http.Transport{}
		o := mcphttp.ClientOptions{Runtime: runtime.Options{Logger: quiet}}
		if r.principals {
			o.Header = http.Header{"Authorization": {"Bearer " + token(name)}}
		}
		c, err := r.visitor(ctx, name, mute, func() {}, func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
			o := o
			o.HTTP = r.tapHTTP(name, pool)
			return mcphttp.Dial(url, o)(ctx, inbound)
		})
		if err != nil {
			return nil, err
		}
		leave := c.leave
		c.leave = func() { leave(); pool.CloseIdleConnections() }
		return c, nil
	}
}
