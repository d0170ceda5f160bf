package mcpclient

import (
	"context"
	"maps"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// mirrorContext returns the context for sending a message. A transport with headers gets them from the
// context.
func (c *Client) mirrorContext(ctx context.Context, q *outgoing, rev *negotiation) context.Context {
	return &mirroredContext{ctx, c, q, rev}
}

type mirroredContext struct {
	context.Context
	client  *Client
	request *outgoing
	rev     *negotiation
}

// Value makes the headers when they are looked up, see [HeadersFrom]: other transports never do,
// and pay nothing.
func (m *mirroredContext) Value(key any) any {
	if key == (protocol.HeadersKey{}) {
		m.client.mirrors.Store(true)
		return m.client.headers(m.request, m.rev)
	}
	return m.Context.Value(key)
}

// headers returns the headers that mirror a message (basic/transports/streamable-http, Request
// Metadata). There are none before the handshake, and only the revision after it.
func (c *Client) headers(q *outgoing, rev *negotiation) []Header {
	if protocol.Of(rev.revision).Era == mcp.Handshake {
		if q.method == "initialize" {
			return nil
		}
		return []Header{{Name: protocol.HeaderVersion, Value: rev.revision}}
	}
	all := []Header{{Name: protocol.HeaderVersion, Value: rev.revision}, {Name: protocol.HeaderMethod, Value: q.method}}
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

// headerTables holds the tables of all known tools.
type headerTables struct {
	mu       sync.RWMutex
	declared map[string][]mcpgen.ToolHeader // by generated code
	learned  map[string][]mcpgen.ToolHeader // from lists, which come before what is declared
	bytes    int                            // of learned
}

// declare sets the tables of tools.
func (t *headerTables) declare(headers []mcpgen.ToolHeader) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fresh := make(map[string][]mcpgen.ToolHeader)
	for _, h := range headers {
		fresh[h.Tool] = append(fresh[h.Tool], h)
	}
	if t.declared == nil {
		t.declared = make(map[string][]mcpgen.ToolHeader)
	}
	maps.Copy(t.declared, fresh)
	for tool := range fresh {
		t.forget(tool)
	}
}

// learn sets the table of one tool, as found in the list of tools. If that would take more bytes than most, the other tables that
// were learned are dropped: the server may name other tools in every list.
func (t *headerTables) learn(tool string, headers []mcpgen.ToolHeader, most int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(tool)
	if len(headers) == 0 && t.declared[tool] == nil {
		return
	}
	size := tableSize(tool, headers)
	if t.bytes+size > most {
		clear(t.learned)
		t.bytes = 0
	}
	if size > most {
		return
	}
	if t.learned == nil {
		t.learned = make(map[string][]mcpgen.ToolHeader)
	}
	t.learned[tool] = headers
	t.bytes += size
}

// forget drops what was learned of a tool. The lock must be held.
func (t *headerTables) forget(tool string) {
	if headers, there := t.learned[tool]; there {
		t.bytes -= tableSize(tool, headers)
		delete(t.learned, tool)
	}
}

// tableSize estimates what the table of a tool takes in memory, in bytes.
func tableSize(tool string, headers []mcpgen.ToolHeader) int {
	const overhead = 128 // of each element
	size := overhead + len(tool)
	for _, h := range headers {
		size += overhead + len(h.Header)
		for _, name := range h.Path {
			size += overhead + len(name)
		}
	}
	return size
}

func (t *headerTables) of(tool string) []mcpgen.ToolHeader {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if headers, there := t.learned[tool]; there {
		return headers
	}
	return t.declared[tool]
}

// learn lists the tools to find out which arguments they mirror.
func (c *Client) learn(ctx context.Context) error {
	c.kept.forget("tools/list", "")
	for _, err := range c.ListTools(ctx) {
		if err != nil {
			return err
		}
	}
	return nil
}
