package mcpclient

import (
	"context"
	"maps"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpgen"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// mirrored returns the context that a message is sent with, which tells its headers to a transport that has such.
func (c *Client) mirrored(ctx context.Context, q *ask, said *speech) context.Context {
	return &mirroredContext{ctx, c, q, said}
}

type mirroredContext struct {
	context.Context
	client *Client
	ask    *ask
	said   *speech
}

// Value makes the headers when they are asked for: see [HeadersFrom].
func (m *mirroredContext) Value(key any) any {
	if key == (protocol.HeadersKey{}) {
		m.client.mirrors.Store(true)
		return m.client.headers(m.ask, m.said)
	}
	return m.Context.Value(key)
}

// headers returns what a message says in headers too (basic/transports/streamable-http, Request Metadata). Before the handshake there are
// none; behind it, the revision.
func (c *Client) headers(q *ask, said *speech) []Header {
	if mcp.EraOf(said.revision) == mcp.Handshake {
		if q.method == "initialize" {
			return nil
		}
		return []Header{{Name: protocol.HeaderVersion, Value: said.revision}}
	}
	all := []Header{{Name: protocol.HeaderVersion, Value: said.revision}, {Name: protocol.HeaderMethod, Value: q.method}}
	if q.target != "" {
		all = append(all, Header{Name: protocol.HeaderName, Value: q.target})
	}
	if q.method != "tools/call" {
		return all
	}
	arguments := wire.PeekAt(q.arguments)
	for _, t := range c.tables.of(q.target) {
		p := arguments
		for _, name := range t.Path {
			p = p.In(name)
		}
		if value, ok := t.Text(p); ok {
			all = append(all, Header{Name: protocol.HeaderParam + t.Header, Value: value})
		}
	}
	return all
}

// headerTables are the tables of all tools that are known.
type headerTables struct {
	mu    sync.RWMutex
	tools map[string][]mcpgen.ToolHeader
}

// declare sets the tables of tools.
func (t *headerTables) declare(headers []mcpgen.ToolHeader) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fresh := make(map[string][]mcpgen.ToolHeader)
	for _, h := range headers {
		fresh[h.Tool] = append(fresh[h.Tool], h)
	}
	if t.tools == nil {
		t.tools = make(map[string][]mcpgen.ToolHeader)
	}
	maps.Copy(t.tools, fresh)
}

// learn sets the table of one tool, as its list has it.
func (t *headerTables) learn(tool string, headers []mcpgen.ToolHeader) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tools == nil {
		t.tools = make(map[string][]mcpgen.ToolHeader)
	}
	t.tools[tool] = headers
}

func (t *headerTables) of(tool string) []mcpgen.ToolHeader {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.tools[tool]
}

// learn lists the tools, for what they mirror.
func (c *Client) learn(ctx context.Context) error {
	for _, err := range c.ListTools(ctx) {
		if err != nil {
			return err
		}
	}
	return nil
}
