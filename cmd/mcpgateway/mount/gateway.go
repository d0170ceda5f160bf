// Package mount makes one MCP server of several, each an Upstream of package mount, with a configuration that
// says who may use what.
package mount

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/rpc"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
)

// Gateway is the server of all servers.
type Gateway struct {
	rpc.UnimplementedServer
	config    *Config
	server    *mcp.Server
	upstreams *mount.Upstreams
}

// Options are the settings of a [Gateway].
type Options struct {
	// Logger receives what happens to the connections. Nil means [slog.Default].
	Logger *slog.Logger

	// Dial returns how a server is reached. Nil means [Dial].
	Dial func(name string, s Server) mcpclient.Dialer
}

// New returns a gateway that connects to its servers until [Gateway.Close]. A server that cannot be
// reached is tried again, with growing delays; its entries are mounted as soon as it answers. What the
// configuration leaves out has its default. The error is that of a configuration which is not valid.
func New(c *Config, o Options) (*Gateway, error) {
	if o.Dial == nil {
		o.Dial = Dial
	}
	g := &Gateway{config: c}
	mounting := mount.UpstreamOptions{
		Logger: o.Logger, ClientName: "rpcgen-gateway", ClientVersion: "1.0.0", Explain: loginFailure, Visible: g.visible,
	}
	var all []mount.Upstream
	for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
		s := c.Servers[name]
		all = append(all, mount.Upstream{
			Name: name, Dial: o.Dial(name, s), Prefix: s.prefix(name), Timeout: s.Timeout, Revisions: s.Revisions, Concurrent: s.Concurrent,
		})
	}
	var err error
	if g.upstreams, err = mount.NewUpstreams(mounting, all...); err != nil {
		return nil, err
	}
	g.server = rpc.NewServer(g, mcp.Options{Dynamic: g.upstreams, Logger: o.Logger, Tasks: mcptask.New(mcptask.Options{})})
	return g, nil
}

// Server returns the server of the gateway.
func (g *Gateway) Server() *mcp.Server { return g.server }

// Close ends all connections.
func (g *Gateway) Close() error {
	g.upstreams.Close()
	return g.server.Close()
}

// Ready waits until every server has been connected to, the first attempt has failed, or ctx ends. The error says
// why those are missing that are not connected.
func (g *Gateway) Ready(ctx context.Context) error { return g.upstreams.Ready(ctx) }

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
	p := g.principal(ctx)
	for _, u := range g.upstreams.Status() {
		if p != nil && !p.sees(u.Name) {
			continue
		}
		s := rpc.Upstream{Name: u.Name, Connected: u.Err == nil}
		if u.Err != nil {
			s.Error = runtime.Some(cmp.Or(loginFailure(u.Err), "not connected"))
		}
		for _, tool := range u.Tools {
			if p == nil || p.allows(u.Name, tool) {
				s.Tools++
			}
		}
		for _, o := range u.Omitted {
			if p == nil || p.allows(u.Name, o.Name) {
				s.Omitted = append(s.Omitted, fmt.Sprintf("%q: %v", o.Name, o.Err))
			}
		}
		out.Servers = append(out.Servers, s)
	}
	return out, nil
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
func (g *Gateway) visible(ctx context.Context, from mount.Origin) bool {
	p := g.principal(ctx)
	return p == nil || p.allows(from.Upstream, from.Name)
}

// sees reports whether the principal may use anything of a server.
func (p *Principal) sees(server string) bool {
	return slices.ContainsFunc(p.Allow, func(pattern string) bool {
		whole, _, _ := strings.Cut(pattern, "/")
		one, _ := path.Match(whole, server)
		return one
	})
}

var errNowhere = errors.New("set either command or url")

// Dial returns how a server is reached: by its command or URL.
func Dial(_ string, s Server) mcpclient.Dialer {
	switch {
	case s.URL != "":
		return dialURL(s)
	case len(s.Command) == 0:
		return func(context.Context, runtime.Handler) (runtime.Conn, error) { return nil, errNowhere }
	}
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Env = environment(&s)
	return stdio.Dial(cmd)
}

// commonVariables are the variables that every program gets, where they are set: what programs need to start, and nothing that is a credential.
var commonVariables = [...]string{
	"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
	// of Windows
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE",
	"SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
}

// environment is what a program gets of the environment of the gateway, which has the tokens and secrets of the configuration, and what the configuration adds.
func environment(s *Server) []string {
	all := []string{} // nil would be everything
	for _, name := range slices.Concat(commonVariables[:], s.Inherit) {
		if value, ok := os.LookupEnv(name); ok {
			all = append(all, name+"="+value)
		}
	}
	for name, value := range s.Env {
		all = append(all, name+"="+value)
	}
	return all
}
