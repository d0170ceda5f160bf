package mcp

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// Apps reports whether the client shows pages for tools (SEP-1865, Capability Negotiation).
func (c Capabilities) Apps() bool {
	for m := range wire.PeekAt(c.text).In("extensions").In(protocol.AppsExtension).In("mimeTypes").Elements() {
		if mimeType, _ := m.Text(); mimeType == protocol.AppMIMEType {
			return true
		}
	}
	return false
}

// apps is what a server has of MCP Apps.
type apps struct {
	declared bool            // there are pages, or tools with pages
	tools    map[string]bool // the tools of the schema that only pages call; nil if there are none
}

// appsOf finds what the schema says of MCP Apps.
func appsOf(info *Info) (a apps) {
	for t := range wire.PeekAt([]byte(info.Tools)).Elements() {
		a.declared = a.declared || t.In("_meta").In("ui").Kind() == wire.Object
		if protocol.ForApps(t) {
			if a.tools == nil {
				a.tools = map[string]bool{}
			}
			name, _ := t.In("name").Text()
			a.tools[name] = true
		}
	}
	for l, array := range map[listing.List]string{listing.Resources: info.Resources, listing.Templates: info.Templates} {
		for r := range wire.PeekAt([]byte(array)).Elements() {
			uri, _ := r.In(listing.Keys[l]).Text()
			a.declared = a.declared || strings.HasPrefix(uri, protocol.AppScheme)
		}
	}
	return a
}

// withoutApps returns the tools that a client without MCP Apps sees, as a JSON array: a model must not
// call those that are for pages only (SEP-1865, Visibility).
func withoutApps(tools string) string {
	b := []byte("[")
	for t := range wire.PeekAt([]byte(tools)).Elements() {
		if protocol.ForApps(t) {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, t.JSON()...)
	}
	return string(append(b, ']'))
}
