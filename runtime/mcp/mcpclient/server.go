package mcpclient

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// ServerInfo is what a server says about itself. It is not verified.
type ServerInfo struct {
	Name, Version, Title string      // empty if the server does not say
	Instructions         string      // for models: how to use the server
	Implementation       runtime.Raw // all that it says of itself but for instructions, as it was sent: icons, website
	Revisions            []string
	Capabilities         Capabilities
}

// Capabilities are the capabilities that a server has declared (ServerCapabilities). The zero value
// declares none.
type Capabilities struct{ text protocol.Capabilities }

// Has reports whether the member at the path is present, such as "resources", "subscribe".
func (c Capabilities) Has(path ...string) bool { return c.text.Has(path...) }

// JSON returns the capabilities as a JSON object.
func (c Capabilities) JSON() runtime.Raw { return c.text.JSON() }

// Server returns what the server said about itself in the handshake or in the last Discover. It is
// zero if the era was known and the server was not asked.
func (c *Client) Server() ServerInfo {
	if info := c.server.Load(); info != nil {
		return *info
	}
	return ServerInfo{}
}

// Discover asks the server for its description (server/discover), and uses the newest common
// revision from then on. For a server of the handshake era it returns the description from the
// handshake.
func (c *Client) Discover(ctx context.Context) (ServerInfo, error) {
	if c.Era() == mcp.Handshake {
		return c.Server(), nil
	}
	out, err := c.do(ctx, &outgoing{method: "server/discover", lasting: true})
	if err != nil {
		return ServerInfo{}, err
	}
	info := out.serverInfo()
	if len(info.Revisions) == 0 {
		return info, &runtime.ResponseError{Method: "server/discover", What: "it names no supportedVersions"}
	}
	best := c.opts.newest(mcp.Stateless, info.Revisions)
	if best == "" {
		return info, &RevisionError{Supported: info.Revisions}
	}
	if best != c.Revision() {
		c.use(best)
	}
	c.server.Store(&info)
	return info, nil
}

// serverInfo reads the result of server/discover or initialize.
func (o *outcome) serverInfo() ServerInfo {
	p := wire.PeekAt(o.text)
	who := p.In("serverInfo")
	if who.Kind() == wire.Invalid {
		who = p.In("_meta").In(protocol.MetaServerInfo)
	}
	info := ServerInfo{Revisions: []string{}, Capabilities: Capabilities{p.In("capabilities").JSON()}}
	info.Implementation, _ = wire.ParseRaw(who.JSON())
	info.Name, _ = who.In("name").Text()
	info.Version, _ = who.In("version").Text()
	info.Title, _ = who.In("title").Text()
	info.Instructions, _ = p.In("instructions").Text()
	if revision, ok := p.In("protocolVersion").Text(); ok {
		info.Revisions = append(info.Revisions, revision)
	}
	if text := p.In("supportedVersions").JSON(); text != nil {
		wire.Unmarshal(text, func(r *wire.Reader) { info.Revisions = wire.Strings(r, info.Revisions) }, nil)
	}
	return info
}
