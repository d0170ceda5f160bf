// Package annotation reads which arguments of a tool its schema mirrors into headers, for clients and for tools that are added while a server
// runs. What is generated from a schema knows its own.
//
//test:by ./runtime/x/mcpdynamic
//test:by ./runtime/mcp/mcpclient
package annotation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// HeadersOf returns which arguments the inputSchema of a tool mirrors into headers, or why its
// annotations are invalid (basic/transports/streamable-http, Schema Extension).
func HeadersOf(tool string, schema wire.Peek) ([]mcpgen.ToolHeader, error) {
	s := headerScan{tool: tool, names: make(map[string]bool)}
	if err := s.object(schema, nil); err != nil {
		return nil, err
	}
	if s.countMisplaced(schema) > len(s.found) {
		return nil, fmt.Errorf("a misplaced %s: it is allowed only in properties, and not below any other keyword", headerKeyword)
	}
	return s.found, nil
}

const headerKeyword = "x-mcp-header"

// mostHeaders is how many arguments of a tool may be mirrored: each is a header of every call.
const mostHeaders = 256

// headerScan collects annotations from a schema.
type headerScan struct {
	tool  string
	found []mcpgen.ToolHeader
	names map[string]bool // of headers, in lower case
}

// object scans the properties of an object.
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

// property reads the annotation of a property, if it has one.
func (s *headerScan) property(p wire.Peek, path []string) error {
	note := p.In(headerKeyword)
	if note.Kind() == wire.Invalid {
		return nil
	}
	name, ok := note.Text()
	switch {
	case !ok || name == "":
		return fmt.Errorf("the value of %s is not a non-empty string", headerKeyword)
	case !isToken(name):
		return fmt.Errorf("the %s %q is not a valid header name (RFC 9110 section 5.1)", headerKeyword, name)
	case s.names[strings.ToLower(name)]:
		return fmt.Errorf("the %s %q occurs twice", headerKeyword, name)
	case len(s.found) == mostHeaders:
		return fmt.Errorf("%s occurs more than %d times", headerKeyword, mostHeaders)
	}
	kinds := map[string]mcpgen.HeaderKind{"string": mcpgen.HeaderString, "integer": mcpgen.HeaderInteger, "boolean": mcpgen.HeaderBoolean}
	word, _ := p.In("type").Text()
	kind, ok := kinds[word]
	if !ok {
		return fmt.Errorf("%s is allowed for strings, integers and booleans, not for %q", headerKeyword, word)
	}
	s.names[strings.ToLower(name)] = true
	s.found = append(s.found, mcpgen.ToolHeader{Tool: s.tool, Path: path, Header: name, Kind: kind})
	return nil
}

// countMisplaced counts the annotations anywhere in a schema, including objects and arrays within it.
func (s *headerScan) countMisplaced(p wire.Peek) (n int) {
	for name, member := range p.Members() {
		if name == "properties" {
			for _, property := range member.Members() {
				n += s.countMisplaced(property)
			}
			continue
		}
		if name == headerKeyword {
			n++
			continue
		}
		if !slices.Contains([]string{"const", "default", "enum", "examples"}, name) {
			n += s.countMisplaced(member)
		}
	}
	for element := range p.Elements() {
		n += s.countMisplaced(element)
	}
	return n
}

// isToken reports whether s may be part of a header name (RFC 9110 section 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c > '~' || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}
