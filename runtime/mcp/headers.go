package mcp

import (
	"encoding/base64"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// Headers are the header fields of an HTTP request; net/http.Header implements it. Names are not
// case-sensitive.
type Headers interface {
	Get(name string) string
	Values(name string) []string
}

// checkHeaders compares the mirrored headers, except the revision, with the request.
func (s *Server) checkHeaders(q *Request, h Headers) error {
	if err := equalHeader(h, protocol.HeaderMethod, q.method); err != nil {
		return err
	}
	if q.route == nil || !q.route.eras.has(Stateless) || q.route.has&(hasName|hasURI|hasTask) == 0 || q.name == "" {
		return nil
	}
	if err := equalEncoded(h, protocol.HeaderName, q.name); err != nil {
		return err
	}
	if q.route != &toolsCall {
		return nil
	}
	if !q.sees(q.context, listing.Tools, q.name) {
		return nil // it will be answered as unknown
	}
	mirrored, declared := s.headers[q.name]
	if !declared && s.opts.Dynamic != nil {
		mirrored = s.opts.Dynamic.Headers(q.name)
	}
	for i := range mirrored {
		if err := checkHeader(&mirrored[i], h, wire.PeekAt(q.arguments)); err != nil {
			return err
		}
	}
	return nil
}

// checkBatchHeaders refuses a batch whose headers mirror one message of it.
func (s *Server) checkBatchHeaders(h Headers) error {
	for _, name := range []string{protocol.HeaderMethod, protocol.HeaderName} {
		if len(h.Values(name)) > 0 {
			return headerMismatch("%s is that of one message, and this is a batch", name)
		}
	}
	return nil
}

// single returns the value of a header that must occur exactly once.
func single(h Headers, name string) (string, error) {
	values := h.Values(name)
	switch {
	case len(values) == 0:
		return "", headerMismatch("%s is missing", name)
	case len(values) > 1:
		return "", headerMismatch("%s occurs more than once", name)
	}
	value := strings.Trim(values[0], " \t")
	for i := range len(value) {
		if c := value[i]; c != '\t' && (c < ' ' || c > '~') {
			return "", headerMismatch("%s holds invalid characters", name)
		}
	}
	return value, nil
}

// equalHeader compares a header that is never encoded.
func equalHeader(h Headers, name, want string) error {
	got, err := single(h, name)
	if err == nil && got != want {
		err = mismatch(name, got, want)
	}
	return err
}

// equalEncoded compares a header that may be encoded.
func equalEncoded(h Headers, name, want string) error {
	got, err := decoded(h, name)
	if err == nil && got != want {
		err = mismatch(name, got, want)
	}
	return err
}

func mismatch(name, got, want string) error {
	return headerMismatch("%s header value %q does not match body value %q", name, protocol.Clip(got), protocol.Clip(want))
}

// decoded returns the value of a header, which may be base64 between =?base64? and ?=
// (basic/transports/streamable-http, Value Encoding).
func decoded(h Headers, name string) (string, error) {
	value, err := single(h, name)
	if err != nil {
		return "", err
	}
	encoded, ok := strings.CutPrefix(value, "=?base64?")
	if !ok || !strings.HasSuffix(encoded, "?=") {
		return value, nil
	}
	text, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSuffix(encoded, "?="))
	if err != nil {
		return "", headerMismatch("%s is not valid base64", name)
	}
	return string(text), nil
}

// checkHeader compares the header with the argument. An argument that is absent or null has no
// header.
func checkHeader(t *mcpgen.ToolHeader, h Headers, arguments wire.Peek) error {
	name := protocol.HeaderParam + t.Header
	p := arguments
	for _, member := range t.Path {
		p = p.In(member)
	}
	want, ok := t.Text(p)
	if !ok {
		if p.Kind() <= wire.Null && len(h.Values(name)) > 0 {
			return headerMismatch("%s is there, and the argument is not", name)
		}
		return nil // the arguments will be rejected
	}
	got, err := decoded(h, name)
	switch {
	case err != nil:
		return err
	case t.Kind == mcpgen.HeaderInteger && equalNumbers(got, want), got == want:
		return nil
	}
	return mismatch(name, got, want)
}

// equalNumbers reports whether two texts are the same number: 42 equals 42.0.
func equalNumbers(a, b string) bool {
	if wire.SkipNumber([]byte(a), 0) != len(a) {
		return false
	}
	return rule.CanonicalDecimal(a) == rule.CanonicalDecimal(b)
}
