package mcpdynamic

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
)

// each makes the entries of a list.
func each[T any](all []T, make func(T) (entry, error)) (made []entry, err error) {
	for _, v := range all {
		e, err := make(v)
		if err != nil {
			return nil, err
		}
		made = append(made, e)
	}
	return made, nil
}

// invalid is the error for an entry that cannot be added.
func invalid(l listing.List, key string, err error) error {
	return fmt.Errorf("mcpdynamic: the %s %q cannot be added: %w", nouns[l], key, err)
}

// checkName checks the name of a tool or prompt (server/tools, Tool Names).
func checkName(l listing.List, name string) error {
	const most = 128
	plain := func(c rune) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("_-.", c)
	}
	if name == "" || len(name) > most || strings.ContainsFunc(name, func(c rune) bool { return !plain(c) }) {
		return invalid(l, name, errors.New("a name has 1 to 128 letters, digits, underscores, hyphens and dots"))
	}
	return nil
}

// checkURI checks the length of the URI of a resource, or of its template. The type of the entry says
// the rest.
func checkURI(l listing.List, uri string) error {
	const most = 8 << 10 // bytes, as for subscriptions
	if len(uri) > most {
		return invalid(l, uri[:64], errors.New("it has more than 8192 bytes"))
	}
	return nil
}

// escape makes a name a part of a JSON Pointer (RFC 6901).
var escape = strings.NewReplacer("~", "~0", "/", "~1").Replace

// appendFields appends the members that tools and prompts have, each preceded by a comma.
func appendFields(name, title, description string) []byte {
	b := appendText(nil, "name", name)
	b = appendText(b, "title", title)
	return appendText(b, "description", description)
}

// appendText appends a member unless its value is empty.
func appendText(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return wire.AppendString(append(append(append(b, `,"`...), name...), `":`...), value)
}

// appendRaw appends a member unless its value is null.
func appendRaw(b []byte, name string, value runtime.Raw) []byte {
	if value.IsNull() {
		return b
	}
	return wire.AppendRaw(append(append(append(b, `,"`...), name...), `":`...), value)
}

// withMembers returns the entry that consists of the members of b, each preceded by a comma, and
// those others that more has. The entry has to fit the type v of the newest revision.
func withMembers(b []byte, more runtime.Raw, v wire.Decoder) ([]byte, error) {
	if !more.IsNull() && more.Kind() != wire.Object {
		return nil, errors.New("its Members are not an object")
	}
	b = wire.CloseObject(append([]byte(nil), b...), 0)
	given := wire.PeekAt(b)
	all := b[: len(b)-1 : len(b)-1]
	for name, value := range wire.PeekAt([]byte(more.String())).Members() {
		if !given.Has(name) {
			all = append(append(wire.AppendString(append(all, ','), name), ':'), value.JSON()...)
		}
	}
	all = append(all, '}')
	return all, wire.UnmarshalCopy(all, v)
}
