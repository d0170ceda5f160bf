package protocol

import "github.com/rpcgen-go/rpcgen/runtime/gen/wire"

// The extension with which hosts show pages for tools (SEP-1865, MCP Apps).
const (
	AppsExtension = "io.modelcontextprotocol/ui"
	AppMIMEType   = "text/html;profile=mcp-app" // of pages
	AppScheme     = "ui://"                     // of the URIs of pages
)

// ForApps reports whether a tool is for pages only, not for models (SEP-1865, Visibility).
func ForApps(tool wire.Peek) bool {
	visibility := tool.In("_meta").In("ui").In("visibility")
	if visibility.Kind() != wire.Array {
		return false
	}
	for v := range visibility.Elements() {
		if who, _ := v.Text(); who == "model" {
			return false
		}
	}
	return true
}
