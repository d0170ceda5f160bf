package mcpdynamic

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
)

// replace removes entries of a list by their keys and adds others in one step; make checks one that is added.
func replace[T any](s *Set, l listing.List, remove []string, add []T, make func(T) (entry, error)) error {
	var made []entry
	for _, v := range add {
		e, err := make(v)
		if err != nil {
			return err
		}
		made = append(made, e)
	}
	return s.change(l, remove, made)
}

// invalid is the error for an entry that cannot be added.
func invalid(l listing.List, key string, err error) error {
	return fmt.Errorf("mcpdynamic: the %s %q cannot be added: %w", nouns[l], key, err)
}

// checkName checks the name of a tool or prompt (server/tools, Tool Names).
func checkName(l listing.List, name string) error {
	const most = 128
	if name == "" || len(name) > most || strings.ContainsFunc(name, func(c rune) bool { return !plain(c) }) {
		return invalid(l, name, errors.New("a name has 1 to 128 letters, digits, underscores, hyphens and dots"))
	}
	return nil
}

// plain reports whether names may have a character.
func plain(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("_-.", c)
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
// those others that more has. If more has all of them, they stand where it has them; if they have the same
// values there, the entry is more, word for word. The entry has to fit the type v of the newest revision.
func withMembers(b []byte, more runtime.Raw, v wire.Decoder) ([]byte, error) {
	if !more.IsNull() && more.Kind() != wire.Object {
		return nil, errors.New("its Members are not an object")
	}
	given := wire.CloseObject(append([]byte(nil), b...), 0)
	all := mergeMembers(given, []byte(more.String()))
	return all, wire.UnmarshalCopy(all, v)
}

// mergeMembers returns the members of given and of more.
func mergeMembers(given, more []byte) []byte {
	from, to := wire.PeekAt(given), wire.PeekAt(more)
	within, same := true, true
	for name, value := range from.Members() {
		within = within && to.Has(name)
		same = same && equal(value, to.In(name))
	}
	if within && same {
		return more
	}
	var b []byte
	add := func(name string, value wire.Peek) {
		b = append(append(wire.AppendString(append(b, ','), name), ':'), value.JSON()...)
	}
	if !within {
		for name, value := range from.Members() {
			add(name, value)
		}
	}
	for name, value := range to.Members() {
		if !from.Has(name) {
			add(name, value)
		} else if within {
			add(name, from.In(name))
		}
	}
	return wire.CloseObject(b, 0)
}

// equal reports whether two values are equal, as far as that can be seen without taking objects and arrays apart.
func equal(a, b wire.Peek) bool {
	if text, ok := a.Text(); ok {
		other, ok := b.Text()
		return ok && text == other
	}
	return string(a.JSON()) == string(b.JSON())
}
