package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

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
		return []Header{{headerVersion, said.revision}}
	}
	all := []Header{{headerVersion, said.revision}, {headerMethod, q.method}}
	if q.target != "" {
		all = append(all, Header{headerName, q.target})
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
			all = append(all, Header{headerParam + t.Header, value})
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

// headersOf returns what the inputSchema of a tool says that it mirrors, or what is wrong with that (basic/transports/streamable-http, Schema
// Extension).
func headersOf(tool string, schema wire.Peek) ([]ToolHeader, error) {
	s := headerScan{tool: tool}
	if err := s.object(schema, nil); err != nil {
		return nil, err
	}
	if s.misplaced(schema) > len(s.found) {
		return nil, fmt.Errorf("an %s where no argument is: it belongs to properties, and not below any other keyword", headerKeyword)
	}
	return s.found, nil
}

const headerKeyword = "x-mcp-header"

// headerScan looks for annotations in a schema.
type headerScan struct {
	tool  string
	found []ToolHeader
}

// object looks through the properties of an object.
func (s *headerScan) object(schema wire.Peek, path []string) error {
	for name, p := range schema.In("properties").Members() {
		at := append(slices.Clone(path), name)
		if err := s.property(p, at); err != nil {
			return fmt.Errorf("/%s: %w", strings.Join(at, "/"), err)
		}
		if err := s.object(p, at); err != nil {
			return err
		}
	}
	return nil
}

// property takes the annotation of a property, if it has one.
func (s *headerScan) property(p wire.Peek, path []string) error {
	note := p.In(headerKeyword)
	if note.Kind() == wire.Invalid {
		return nil
	}
	name, ok := note.Text()
	switch {
	case !ok || name == "":
		return fmt.Errorf("an %s is a name", headerKeyword)
	case !isToken(name):
		return fmt.Errorf("the %s %q is no name of a header (RFC 9110 section 5.1)", headerKeyword, name)
	case slices.ContainsFunc(s.found, func(h ToolHeader) bool { return strings.EqualFold(h.Header, name) }):
		return fmt.Errorf("the %s %q is there twice", headerKeyword, name)
	}
	kinds := map[string]HeaderKind{"string": HeaderString, "integer": HeaderInteger, "boolean": HeaderBoolean}
	word, _ := p.In("type").Text()
	kind, ok := kinds[word]
	if !ok {
		return fmt.Errorf("an %s is for strings, integers and booleans, not for %q", headerKeyword, word)
	}
	s.found = append(s.found, ToolHeader{Tool: s.tool, Path: path, Header: name, Kind: kind})
	return nil
}

// misplaced counts the annotations anywhere in a schema: schemas are objects, in objects and arrays.
func (s *headerScan) misplaced(p wire.Peek) (n int) {
	for name, member := range p.Members() {
		if name == "properties" {
			for _, property := range member.Members() {
				n += s.misplaced(property)
			}
			continue
		}
		if name == headerKeyword {
			n++
			continue
		}
		if !slices.Contains([]string{"const", "default", "enum", "examples"}, name) {
			n += s.misplaced(member)
		}
	}
	for element := range p.Elements() {
		n += s.misplaced(element)
	}
	return n
}

// isToken tells whether s can be a part of the name of a header (RFC 9110 section 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c > '~' || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}
