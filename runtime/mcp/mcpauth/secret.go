package mcpauth

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Secret is a token, a password or a key. Packages fmt and log/slog print a placeholder for it. As
// JSON it is a string, so that a [Store] can keep it.
type Secret string

const hidden = "[secret]"

// Format implements [fmt.Formatter]: all verbs print the placeholder.
func (Secret) Format(f fmt.State, _ rune) { io.WriteString(f, hidden) }

// LogValue implements [slog.LogValuer].
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

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
