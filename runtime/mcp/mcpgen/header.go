package mcpgen

import "github.com/rpcgen-go/rpcgen/runtime/wire"

// ToolHeader says that an argument of a tool is mirrored into the HTTP header Mcp-Param-Header (basic/transports/streamable-http, Custom
// Headers from Tool Parameters).
type ToolHeader struct {
	Tool   string
	Path   []string // names of properties from the arguments on
	Header string   // what follows Mcp-Param-
	Kind   HeaderKind
}

// HeaderKind is the type of an argument that is mirrored into a header.
type HeaderKind uint8

// The kinds of such arguments.
const (
	HeaderString HeaderKind = iota
	HeaderInteger
	HeaderBoolean
)

// Text returns what an argument is mirrored as. It reports false if the argument is not of the kind.
func (t *ToolHeader) Text(p wire.Peek) (string, bool) {
	switch {
	case t.Kind == HeaderString && p.Kind() == wire.Text:
		return p.Text()
	case t.Kind == HeaderBoolean && p.Kind() == wire.Boolean, t.Kind == HeaderInteger && p.Kind() == wire.NumberKind:
		return string(p.JSON()), true
	}
	return "", false
}
