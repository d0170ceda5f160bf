package mcpauth

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Secret is a token, a password or a key. Packages fmt, log/slog and encoding/json write a placeholder
// for it; only the JSON of a [Record] contains its secrets.
type Secret string

const hidden = "[secret]"

// Format implements [fmt.Formatter]: all verbs print the placeholder.
func (Secret) Format(f fmt.State, _ rune) { io.WriteString(f, hidden) }

// LogValue implements [slog.LogValuer].
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalJSON implements [json.Marshaler] with the placeholder.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// scrub replaces secrets in a text of a server, which may repeat what it was sent. Short values are
// not replaced: they are no secrets, and may be part of any word.
func scrub(text string, secrets ...string) string {
	const least = 6 // bytes
	for _, secret := range secrets {
		if len(secret) >= least {
			text = strings.ReplaceAll(text, secret, hidden)
		}
	}
	return text
}
