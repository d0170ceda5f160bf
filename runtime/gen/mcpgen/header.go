package mcpgen

import "github.com/rpcgen-go/rpcgen/runtime/gen/wire"

// ToolHeader says that an argument of a tool is mirrored into an HTTP header Mcp-Param-...
// (basic/transports/streamable-http, Custom Headers from Tool Parameters).
type ToolHeader struct {
	Tool   string
	Path   []string // names of properties, starting at the arguments
	Header string   // the part of the name after Mcp-Param-
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

// Text returns the text of an argument in the header. It reports false if the argument does not
// have the kind.
func (t *ToolHeader) Text(p wire.Peek) (string, bool) {
	switch {
	case t.Kind == HeaderString && p.Kind() == wire.Text:
		return p.Text()
	case t.Kind == HeaderBoolean && p.Kind() == wire.Boolean, t.Kind == HeaderInteger && p.Kind() == wire.NumberKind:
		return string(p.JSON()), true
	}
	return "", false
}
