// Package mount makes one MCP server of several: their tools, prompts and resources are mounted in a
// [mcpdynamic.Set]. Calls, questions, progress, log messages, cancellation and errors pass in both
// directions, and so do changes of lists.
package mount

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/rpc"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// Gateway is the server of all servers.
type Gateway struct {
	rpc.UnimplementedServer
	config    *Config
	log       *slog.Logger
	set       *mcpdynamic.Set
	server    *mcp.Server
	upstreams []*upstream // sorted by name

	mu     sync.Mutex
	owners map[owned]owner
	hidden map[string]bool // servers with entries that are not mounted, because another server has them
	// the servers that updates of resources come from, by URI, as long as clients have subscribed to them;
	// nil if no server sends them
	watched map[string]*upstream

	binding sync.Mutex // held while watched follows changes of lists

	stop    context.CancelFunc
	running sync.WaitGroup
}

// owned is an entry of a list.
type owned struct {
	list mcpdynamic.List
	key  string
}

// owner is where an entry comes from.
type owner struct {
	server, name string // the name is without the prefix; empty for resources
}

// Options are the settings of a [Gateway].
type Options struct {
	// Logger receives what happens to the connections. Nil means [slog.Default].
	Logger *slog.Logger

	// Dial returns how a server is reached. Nil means [Dial].
	Dial func(name string, s Server) mcpclient.Dialer
}

// New returns a gateway that connects to its servers until [Gateway.Close]. A server that cannot be
// reached is tried again, with growing delays; its entries are mounted as soon as it answers.
func New(c *Config, o Options) *Gateway {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Dial == nil {
		o.Dial = Dial
	}
	g := &Gateway{config: c, log: o.Logger, owners: make(map[owned]owner), hidden: make(map[string]bool), watched: make(map[string]*upstream)}
	g.set = mcpdynamic.New(mcpdynamic.Options{Visible: g.visible, Watch: g.watch})
	g.server = rpc.NewServer(g, mcp.Options{Dynamic: g.set, Logger: o.Logger})
	var ctx context.Context
	ctx, g.stop = context.WithCancel(context.Background())
	for _, name := range sorted(c.Servers) {
		g.upstreams = append(g.upstreams, newUpstream(g, name, c.Servers[name], o.Dial(name, c.Servers[name])))
	}
	for _, u := range g.upstreams {
		g.running.Go(func() { u.run(ctx) })
	}
	return g
}

// Server returns the server of the gateway.
func (g *Gateway) Server() *mcp.Server { return g.server }

// Close ends all connections.
func (g *Gateway) Close() error {
	g.stop()
	g.running.Wait()
	return g.server.Close()
}

// Ready waits until every server has been connected to, or ctx ends. The error names those that have
// not.
func (g *Gateway) Ready(ctx context.Context) error {
	var all []error
	for _, u := range g.upstreams {
		if _, err := u.connected(ctx); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// HTTP returns the handler of the gateway for HTTP.
func (g *Gateway) HTTP(o mcphttp.Options) *mcphttp.Handler {
	if len(g.config.Principals) > 0 {
		ids := make(map[string]string)
		for id, p := range g.config.Principals {
			ids[string(p.Token)] = id
		}
		o.Auth = mcphttp.Tokens(ids)
	}
	return mcphttp.NewHandler(g.server, o)
}

// GatewayStatus implements the tool of the gateway itself.
func (g *Gateway) GatewayStatus(ctx context.Context) (rpc.GatewayStatusOutput, error) {
	out := rpc.GatewayStatusOutput{Servers: []rpc.Upstream{}}
	for _, u := range g.upstreams {
		if g.sees(ctx, u.name) {
			out.Servers = append(out.Servers, u.status(g.toolsOf(ctx, u.name)))
		}
	}
	return out, nil
}

// upstream returns the server with a name.
func (g *Gateway) upstream(name string) *upstream {
	i := slices.IndexFunc(g.upstreams, func(u *upstream) bool { return u.name == name })
	return g.upstreams[i]
}

// principal returns the rights of the client of a request, or nil if it may use everything.
func (g *Gateway) principal(ctx context.Context) *Principal {
	id := mcp.PrincipalFrom(ctx)
	if id == "" {
		return nil // standard input and output, or a configuration without principals
	}
	p := g.config.Principals[id]
	return &p
}

// visible decides what a client may see and use.
func (g *Gateway) visible(ctx context.Context, list mcpdynamic.List, key string) bool {
	p := g.principal(ctx)
	if p == nil {
		return true
	}
	o, known := g.ownerOf(list, key)
	return !known || p.allows(o.server, o.name)
}

// ownerOf returns where an entry comes from. For the URI of a resource that is in no list, it is the
// server whose template matches.
func (g *Gateway) ownerOf(list mcpdynamic.List, key string) (owner, bool) {
	g.mu.Lock()
	o, known := g.owners[owned{list, key}]
	g.mu.Unlock()
	if known || list != mcpdynamic.Resources {
		return o, known
	}
	if template, ok := g.set.TemplateOf(key); ok {
		return g.ownerOf(mcpdynamic.Templates, template)
	}
	return owner{}, false
}

// sees reports whether a client may use anything of a server.
func (g *Gateway) sees(ctx context.Context, server string) bool {
	p := g.principal(ctx)
	if p == nil {
		return true
	}
	for _, pattern := range p.Allow {
		whole, _, _ := strings.Cut(pattern, "/")
		if (&Principal{Allow: []string{whole}}).allows(server, "") {
			return true
		}
	}
	return false
}

// toolsOf counts the tools of a server that the client may use.
func (g *Gateway) toolsOf(ctx context.Context, server string) (n int32) {
	p := g.principal(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	for entry, o := range g.owners {
		if entry.list == mcpdynamic.Tools && o.server == server && (p == nil || p.allows(server, o.name)) {
			n++
		}
	}
	return n
}
