package mcpclient

import (
	"fmt"
	"maps"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
)

// Apps returns the [Options] Extensions of a host with MCP Apps (SEP-1865): it shows the pages that
// tools name in _meta.ui, passes what the pages call on to the server, and keeps tools whose
// visibility lacks "model" from its model.
func Apps() map[string]runtime.Raw {
	settings, _ := wire.ParseRaw([]byte(`{"mimeTypes":["` + protocol.AppMIMEType + `"]}`))
	return map[string]runtime.Raw{protocol.AppsExtension: settings}
}

// checkExtensions checks the extensions that the client is to declare.
func (o *Options) checkExtensions() error {
	for name, settings := range o.Extensions {
		if name == tasking.Extension {
			return fmt.Errorf("mcp: Options.Extensions must not have %s, which is declared for each call that takes a task", name)
		}
		if !settings.IsNull() && settings.Kind() != wire.Object {
			return fmt.Errorf("mcp: Options.Extensions: the settings of %s are %s, not an object", name, settings)
		}
	}
	return nil
}

// extensions returns the extensions that the client declares, each preceded by a comma.
func (o *Options) extensions(tasks bool) (b []byte) {
	for _, name := range slices.Sorted(maps.Keys(o.Extensions)) {
		b = append(wire.AppendString(append(b, ','), name), ':')
		if settings := o.Extensions[name]; settings.IsNull() {
			b = append(b, "{}"...)
		} else {
			b = wire.AppendRaw(b, settings)
		}
	}
	if tasks {
		b = append(b, `,"`+tasking.Extension+`":{}`...)
	}
	return b
}
