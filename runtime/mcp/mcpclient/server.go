package mcpclient

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// ServerInfo is what a server says of itself. Nothing of it is verified.
type ServerInfo struct {
	Name, Version, Title string // empty: it does not say
	Instructions         string // for models: how to use the server
	Revisions            []string
	Capabilities         Capabilities
}

// Capabilities are what a server has declared that it can do (ServerCapabilities).
type Capabilities struct{ text protocol.Capabilities }

// Has reports whether there is the member at the path, such as "resources", "subscribe".
func (c Capabilities) Has(path ...string) bool { return c.text.Has(path...) }

// JSON returns all of the capabilities.
func (c Capabilities) JSON() runtime.Raw { return c.text.JSON() }

// Server returns what the server has said of itself when it was connected to, or was asked by Discover; nothing when the era was known and
// it was not asked.
func (c *Client) Server() ServerInfo {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server == nil {
		return ServerInfo{}
	}
	return *c.server
}

func (c *Client) remember(info ServerInfo) {
	c.mu.Lock()
	c.server = &info
	c.mu.Unlock()
}

// Discover asks the server what it is (server/discover), and speaks from then on the newest revision that both have. A server of the handshake
// era has said it at the beginning.
func (c *Client) Discover(ctx context.Context) (ServerInfo, error) {
	if c.Era() == mcp.Handshake {
		return c.Server(), nil
	}
	out, err := c.do(ctx, &ask{method: "server/discover", lasting: true})
	if err != nil {
		return ServerInfo{}, err
	}
	info := out.serverInfo()
	if len(info.Revisions) == 0 {
		return info, &runtime.ResponseError{Method: "server/discover", What: "it names no supportedVersions"}
	}
	best := c.newest(mcp.Stateless, info.Revisions)
	if best == "" {
		return info, &RevisionError{Supported: info.Revisions}
	}
	if best != c.Revision() {
		c.speak(best)
	}
	c.remember(info)
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
