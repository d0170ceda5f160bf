package mcp

import (
	"context"
	"maps"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
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
	if key == (mirrorKey{}) {
		m.client.mirrors.Store(true)
		return m.client.headers(m.ask, m.said)
	}
	return m.Context.Value(key)
}

// headers returns what a message says in headers too (basic/transports/streamable-http, Request Metadata). Before the handshake there are
// none; behind it, the revision.
func (c *Client) headers(q *ask, said *speech) []Header {
	if EraOf(said.revision) == Handshake {
		if q.method == "initialize" {
			return nil
		}
		return []Header{{protocol.HeaderVersion, said.revision}}
	}
	all := []Header{{protocol.HeaderVersion, said.revision}, {protocol.HeaderMethod, q.method}}
	if q.target != "" {
		all = append(all, Header{protocol.HeaderName, q.target})
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
		if value, ok := t.text(p); ok {
			all = append(all, Header{protocol.HeaderParam + t.Header, value})
		}
	}
	return all
}

// headerTables are the tables of all tools that are known.
type headerTables struct {
	mu    sync.RWMutex
	tools map[string][]ToolHeader
}

// declare sets the tables of tools.
func (t *headerTables) declare(headers []ToolHeader) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fresh := make(map[string][]ToolHeader)
	for _, h := range headers {
		fresh[h.Tool] = append(fresh[h.Tool], h)
	}
	if t.tools == nil {
		t.tools = make(map[string][]ToolHeader)
	}
	maps.Copy(t.tools, fresh)
}

// learn sets the table of one tool, as its list has it.
func (t *headerTables) learn(tool string, headers []ToolHeader) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tools == nil {
		t.tools = make(map[string][]ToolHeader)
	}
	t.tools[tool] = headers
}

func (t *headerTables) of(tool string) []ToolHeader {
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
