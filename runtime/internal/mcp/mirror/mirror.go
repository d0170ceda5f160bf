// Package mirror compares the headers of an HTTP request with the message that they mirror (basic/transports/streamable-http, Server
// Validation), which only servers over HTTP need.
//
//test:by ./runtime/mcp/mcphttp
//test:by ./runtime/x/mcpdynamic
package mirror

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// Headers are the headers of a request as package mcp sees them. They implement HTTPHeaders of package protocol.
type Headers http.Header

// Get returns the first value of a header, or "".
func (h Headers) Get(name string) string { return http.Header(h).Get(name) }

// Values returns the values of a header.
func (h Headers) Values(name string) []string { return http.Header(h).Values(name) }

// Size returns about how many bytes they take. The context of a task keeps them.
func (h Headers) Size() int {
	const overhead = 64 // of a name or value
	n := 0
	for name, values := range h {
		n += len(name) + overhead
		for _, value := range values {
			n += len(value) + overhead
		}
	}
	return n
}

// Differs compares a header that is never encoded with the value in the message.
func (h Headers) Differs(name, want string) string {
	got, wrong := h.single(name)
	if wrong == "" && got != want {
		wrong = mismatch(name, got, want)
	}
	return wrong
}

// DiffersEncoded compares a header that may be encoded. Integers may be written in other ways: 42 equals 42.0.
func (h Headers) DiffersEncoded(name, want string, integer bool) string {
	got, wrong := h.decode(name)
	if wrong == "" && got != want && !(integer && equalNumbers(got, want)) {
		wrong = mismatch(name, got, want)
	}
	return wrong
}

// single returns the value of a header that must occur exactly once, or what is wrong with it.
func (h Headers) single(name string) (value, wrong string) {
	values := h.Values(name)
	switch {
	case len(values) == 0:
		return "", name + " is missing"
	case len(values) > 1:
		return "", name + " occurs more than once"
	}
	value = strings.Trim(values[0], " \t")
	for i := range len(value) {
		if c := value[i]; c != '\t' && (c < ' ' || c > '~') {
			return "", name + " holds invalid characters"
		}
	}
	return value, ""
}

func mismatch(name, got, want string) string {
	return fmt.Sprintf("%s header value %q does not match body value %q", name, peerlog.Clip(got), peerlog.Clip(want))
}

// decode returns the value of a header, which may be base64 between =?base64? and ?=
// (basic/transports/streamable-http, Value Encoding), or what is wrong with it.
func (h Headers) decode(name string) (value, wrong string) {
	value, wrong = h.single(name)
	encoded, ok := strings.CutPrefix(value, "=?base64?")
	if wrong != "" || !ok || !strings.HasSuffix(encoded, "?=") {
		return value, wrong
	}
	text, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSuffix(encoded, "?="))
	if err != nil {
		return "", name + " is not valid base64"
	}
	return string(text), ""
}

// equalNumbers reports whether two texts are the same number: 42 equals 42.0.
func equalNumbers(a, b string) bool {
	return wire.SkipNumber([]byte(a), 0) == len(a) && wire.CanonicalNumber(a) == wire.CanonicalNumber(b)
}
