package mcp

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

const (
	shortMeta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	longMeta  = `{"io.modelcontextprotocol/clientInfo":{"name":"c"},"a":[[[]]],"io.modelcontextprotocol/logLevel":"info",` +
		`"io.modelcontextprotocol/protocolVersion":"2026\u002d07-28", "io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`
)

// readMeta reads the _meta at the beginning of text, with a cache or without one.
func readMeta(text string, depth int, c *metaCache) (m meta, end int, failed bool) {
	var r wire.Reader
	r.Reset([]byte(text), 0, depth)
	m.level = protocol.NoLevel
	if c != nil {
		c.scan(&m, &r)
	} else {
		m.scan(&r)
	}
	return m, r.Pos(), r.Failed()
}

// FuzzMetaCache compares reading a _meta with and without a cache that keeps another one, at every depth.
func FuzzMetaCache(f *testing.F) {
	token := strings.Replace(shortMeta, "{", `{"progressToken":1,`, 1)
	for _, text := range []string{shortMeta, longMeta, token, "{}", "[]", shortMeta[:len(shortMeta)-1], shortMeta + ",", " " + longMeta} {
		f.Add(shortMeta, text)
		f.Add(longMeta, text)
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, before, text string) {
		var c metaCache
		readMeta(before, wire.MaxDepth, &c)
		for depth := range 6 {
			want, wantEnd, wantFailed := readMeta(text, depth, nil)
			m, end, failed := readMeta(text, depth, &c)
			if failed != wantFailed || !failed && (end != wantEnd || !reflect.DeepEqual(m, want)) {
				t.Errorf("%q after %q: %+v, end %d, failed %v; without a cache %+v, end %d, failed %v", text, before, m, end, failed, want, wantEnd, wantFailed)
			}
		}
	})
}

// TestMetaCacheKeeps: the first valid _meta without a token is kept, and later one of many others; the text of the message is not.
func TestMetaCacheKeeps(t *testing.T) {
	var c metaCache
	keeps := func(text string) bool { return c.kept.Load() != nil && string(c.kept.Load().text) == text }
	for _, text := range []string{`{}`, `7`, strings.Replace(shortMeta, "{", `{"progressToken":1,`, 1), shortMeta[:40]} {
		if readMeta(text, wire.MaxDepth, &c); c.kept.Load() != nil {
			t.Errorf("%s is kept", text)
		}
	}
	if readMeta(shortMeta, wire.MaxDepth, &c); !keeps(shortMeta) {
		t.Error("the first one is not kept")
	}
	for range keptMisses - 1 {
		readMeta(longMeta, wire.MaxDepth, &c)
		readMeta(shortMeta, wire.MaxDepth, &c)
	}
	if !keeps(shortMeta) {
		t.Error("the one that most requests have is not kept")
	}
	if readMeta(longMeta, wire.MaxDepth, &c); !keeps(longMeta) {
		t.Error("another one is never kept")
	}
	large := strings.Replace(shortMeta, "{}", `{"`+strings.Repeat("a", maxKeptMeta)+`":{}}`, 1)
	for range keptMisses {
		readMeta(large, wire.MaxDepth, &c)
	}
	if !keeps(longMeta) {
		t.Error("a large one is kept")
	}
}
