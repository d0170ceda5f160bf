// Package seal signs what a client carries for a server: it can be read by all, and made by the
// holders of a key only.
//
//test:by ./runtime/mcp
package seal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Encoding is how sealed bytes are written.
var Encoding = base64.RawURLEncoding

// Seal returns b with its signature by key (HMAC with SHA-256), as text of letters, digits, '-',
// '_' and one '.'.
func Seal(key, b []byte) string {
	return Encoding.EncodeToString(b) + "." + Encoding.EncodeToString(Sign(key, b))
}

// Open returns what was sealed with one of the keys. It reports false for every other text.
func Open(keys [][]byte, sealed string) ([]byte, bool) {
	text, signed, _ := strings.Cut(sealed, ".")
	b, err := Encoding.Strict().DecodeString(text)
	mac, macErr := Encoding.Strict().DecodeString(signed)
	if err != nil || macErr != nil {
		return nil, false
	}
	for _, key := range keys {
		if hmac.Equal(mac, Sign(key, b)) {
			return b, true
		}
	}
	return nil, false
}

// Sign returns the signature of b by key.
func Sign(key, b []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(b)
	return mac.Sum(nil)
}
