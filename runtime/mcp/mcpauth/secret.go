package mcpauth

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// Secret is a token, a password or a key. Packages fmt, log/slog and encoding/json write a placeholder
// for it; only the JSON of a [Record] contains its secrets.
type Secret string

const hidden = web.Hidden

// Format implements [fmt.Formatter]: all verbs print the placeholder.
func (Secret) Format(f fmt.State, _ rune) { io.WriteString(f, hidden) }

// LogValue implements [slog.LogValuer].
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalJSON implements [json.Marshaler] with the placeholder.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }
