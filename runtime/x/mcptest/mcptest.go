// Package mcptest has tests for programs that take over an MCP server.
//
//test:sequential
package mcptest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// timeout limits how long a server may take to start and to list what it has.
const timeout = time.Minute

// lists are the lists of a server, with the member that entries are called by.
var lists = []struct{ member, capability, key string }{
	{"tools", "tools", "name"}, {"prompts", "prompts", "name"}, {"resources", "resources", "uri"}, {"resourceTemplates", "resources", "uriTemplate"},
}

// SameLists fails the test if two servers do not list the same tools, prompts, resources and templates, byte for
// byte and in any order. The failure has the entry, a JSON Pointer (RFC 6901) to the first member that differs, and
// both values. A server that cannot be reached or does not answer within a minute fails the test, too.
func SameLists(t testing.TB, old, new mcpclient.Dialer) {
	t.Helper()
	was, err := read(t.Context(), old)
	if err != nil {
		t.Fatalf("the old server: %v", err)
	}
	is, err := read(t.Context(), new)
	if err != nil {
		t.Fatalf("the new server: %v", err)
	}
	for _, l := range lists {
		for _, name := range was[l.member].names {
			before, now := was[l.member].entries[name], is[l.member].entries[name]
			switch {
			case now == "":
				t.Errorf("%s: %s is missing", l.member, name)
			case before != now:
				t.Errorf("%s: %s differs %s", l.member, name, difference(wire.PeekAt([]byte(before)), wire.PeekAt([]byte(now)), ""))
			}
		}
		for _, name := range is[l.member].names {
			if was[l.member].entries[name] == "" {
				t.Errorf("%s: %s is new", l.member, name)
			}
		}
	}
}

// list is a list of a server: entries by their names, and the names in order.
type list struct {
	names   []string
	entries map[string]string
}

func read(ctx context.Context, dial mcpclient.Dialer) (all map[string]list, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c, err := mcpclient.Connect(ctx, dial, mcpclient.Options{Name: "mcptest", Version: "1.0.0"})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	who := c.Server()
	if who.Name == "" { // in revision 2026-07-28 it is not known before it is asked
		if who, err = c.Discover(ctx); err != nil {
			return nil, err
		}
	}
	all = map[string]list{}
	for _, l := range lists {
		one := list{entries: map[string]string{}}
		if who.Capabilities.Has(l.capability) {
			if err := one.read(ctx, c, l.member, l.key); err != nil {
				return nil, fmt.Errorf("its list of %s: %w", l.member, err)
			}
		}
		all[l.member] = one
	}
	return all, nil
}

func (l *list) read(ctx context.Context, c *mcpclient.Client, member, key string) error {
	for entry, err := range mcpclient.Entries(ctx, c, member) {
		if err != nil {
			if refused, ok := errors.AsType[*runtime.Error](err); ok && refused.Code == runtime.CodeMethodNotFound {
				return nil // resources without templates
			}
			return err
		}
		name, _ := wire.PeekAt([]byte(entry.String())).In(key).Text()
		l.names = append(l.names, name)
		l.entries[name] = entry.String()
	}
	return nil
}

// difference describes where two values differ first: a member that is missing, one that is new, or two values. Equal values differ in the order
// of members or in how they are written.
func difference(was, is wire.Peek, pointer string) string {
	if was.Kind() == is.Kind() {
		switch was.Kind() {
		case wire.Object:
			if d := membersDiffer(was, is, pointer); d != "" {
				return d
			}
		case wire.Array:
			i := 0
			for before := range was.Elements() {
				at := pointer + "/" + strconv.Itoa(i)
				if now := is.At(i); now.Kind() == wire.Invalid {
					return "at " + at + ": it is missing, and was " + string(before.JSON())
				} else if string(before.JSON()) != string(now.JSON()) {
					return difference(before, now, at)
				}
				i++
			}
			if more := is.At(i); more.Kind() != wire.Invalid {
				return "at " + pointer + "/" + strconv.Itoa(i) + ": it is new, " + string(more.JSON())
			}
		}
	}
	return fmt.Sprintf("at %q:\n  old %s\n  new %s", pointer, was.JSON(), is.JSON())
}

func membersDiffer(was, is wire.Peek, pointer string) string {
	var before, now []string
	for name := range is.Members() {
		now = append(now, name)
	}
	for name, value := range was.Members() {
		before = append(before, name)
		at := pointer + "/" + violation.EscapePointer(name)
		if other := is.In(name); other.Kind() == wire.Invalid {
			return fmt.Sprintf("at %s: it is missing, and was %s", at, value.JSON())
		} else if string(value.JSON()) != string(other.JSON()) {
			return difference(value, other, at)
		}
	}
	for _, name := range now {
		if !slices.Contains(before, name) {
			return fmt.Sprintf("at %s/%s: it is new, %s", pointer, violation.EscapePointer(name), is.In(name).JSON())
		}
	}
	return ""
}
