// Package mcpdynamic adds tools, resources and prompts to an MCP server while it runs, and hides
// entries of its lists from clients. The tools of the schema stay what they are:
//
//	set := mcpdynamic.New(mcpdynamic.Options{})
//	srv := shop.NewServer(office{}, mcp.Options{Dynamic: set})
//	err := set.AddTools(mcpdynamic.Tool{
//		Name:        "echo",
//		InputSchema: mcpdynamic.JSON(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
//		Call: func(ctx context.Context, arguments runtime.Raw) (runtime.Appender, error) { ... },
//	})
//
// Clients that have subscribed to the list get a notification, in the way of their revision. A
// server without a Set serves constant lists and links nothing of this package.
package mcpdynamic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// List is one of the lists of a server.
type List string

// The lists of a server.
const (
	Tools     List = "tools"
	Prompts   List = "prompts"
	Resources List = "resources"
	Templates List = "resourceTemplates"
)

// Options are the settings of a [Set]. The zero value selects the defaults.
type Options struct {
	// Visible reports whether the client of a request sees an entry, one of the schema or an added one: ctx is that of the request, from which
	// [mcp.PrincipalFrom] returns the principal, and key the name of a tool or prompt, the URI of a resource, or the URI template. An entry that a client
	// does not see is not in its lists, and requests that name it are answered as for an unknown one. For the read of a resource, also of one that a
	// template stands for, and for subscriptions, list is Resources and key the URI. The context is the one that the transport has made: Visible is asked
	// before any middleware runs. It must be fast, because it is called for every entry of a list, and safe for concurrent use. Nil means that all entries
	// are visible.
	Visible func(ctx context.Context, list List, key string) bool

	// Watch lets clients subscribe to resources that are not of the schema (server/resources, Subscriptions). It is called when a client subscribes to a
	// resource that had no subscriber, with its URI; the function that it returns is called when the last subscription to it has ended. In between,
	// [mcp.Server.ResourceUpdated] notifies the subscribers. Nil means that clients cannot subscribe to the resource, and get the answer for an unknown
	// one, unless the schema has resources with subscriptions: then clients can subscribe to every URI. The calls follow one another, so they must neither
	// block nor wait for another subscription. If Watch is nil, only the schema decides.
	Watch func(uri string) (stop func())

	// MaxEntries limits the entries of each list. Zero means 10,000.
	MaxEntries int
}

// Set holds the tools, resources and prompts that are added to one server, see [mcp.Options]. Its
// methods fail until the server has been made. It is safe for concurrent use.
type Set struct {
	opts Options

	mu     sync.RWMutex
	server *mcp.Server // nil until it is made
	own    [listing.Count]map[string]bool
	lists  [listing.Count]list
	last   uint64 // generation of the tool that was added last

	keepsTasks bool // the server has tasks; set before server
}

// list holds the added entries of a list.
type list struct {
	by     map[string]entry
	sorted []listing.Entry // by key; never changed, only replaced
}

// entry is a [Tool], [Prompt], [Resource] or [Template] that was checked.
type entry interface {
	definition() listing.Entry
}

// New returns an empty Set. It is used as [mcp.Options.Dynamic] of one server.
func New(o Options) *Set {
	defaults.Set(&o.MaxEntries, 10_000)
	s := &Set{opts: o}
	for l := range s.lists {
		s.lists[l].by = make(map[string]entry)
	}
	return s
}

// JSON returns a JSON text that is written in the program. It panics if the text is invalid.
func JSON(text string) runtime.Raw {
	raw, err := wire.ParseRaw([]byte(text))
	if err != nil {
		panic("mcpdynamic: " + err.Error())
	}
	return raw
}

// Attach implements [mcp.Dynamic]. It panics if the set already belongs to a server.
func (s *Set) Attach(server *mcp.Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != nil {
		panic("mcpdynamic: the set already belongs to a server")
	}
	s.server = server
	info := server.Info()
	for l, array := range [listing.Count]string{info.Tools, info.Prompts, info.Resources, info.Templates} {
		s.own[l] = make(map[string]bool)
		for e := range wire.PeekAt([]byte(array)).Elements() {
			if key, ok := e.In(listing.Keys[l]).Text(); ok {
				s.own[l][key] = true
			}
		}
	}
}

// Declares reports whether the schema of the server declares an entry, which then cannot be added: a tool or a prompt by its name, a resource by its URI, a
// template by its URI template. It is false before the set has a server.
func (s *Set) Declares(list List, key string) bool {
	l := slices.Index(listing.Members[:], string(list))
	s.mu.RLock()
	defer s.mu.RUnlock()
	return l >= 0 && s.own[l][key]
}

// errNoServer means that a set is changed before it has a server.
var errNoServer = errors.New("mcpdynamic: the set has no server yet: make the server with mcp.Options.Dynamic first")

// change removes entries and adds others in one step, or does nothing and returns an error.
func (s *Set) change(l listing.List, remove []string, add []entry) error {
	changed, err := s.apply(l, remove, add)
	if !changed || err != nil {
		return err
	}
	switch l {
	case listing.Tools:
		s.server.ToolsChanged()
	case listing.Prompts:
		s.server.PromptsChanged()
	default:
		s.server.ResourcesChanged()
	}
	return nil
}

// apply is change without the notification.
func (s *Set) apply(l listing.List, remove []string, add []entry) (changed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		return false, errNoServer
	}
	old := &s.lists[l]
	gone := make(map[string]bool, len(remove))
	for _, key := range remove {
		if _, there := old.by[key]; there {
			gone[key] = true
		}
	}
	if err := s.admit(l, gone, add); err != nil {
		return false, err
	}
	next := slices.DeleteFunc(slices.Clone(old.sorted), func(e listing.Entry) bool { return gone[e.Key] })
	for key := range gone {
		delete(old.by, key)
	}
	for _, e := range add {
		next = append(next, e.definition())
		old.by[e.definition().Key] = e
		if t, ok := e.(*tool); ok {
			s.last++
			t.generation = s.last
		}
	}
	slices.SortFunc(next, func(a, b listing.Entry) int { return strings.Compare(a.Key, b.Key) })
	changed = !slices.EqualFunc(next, old.sorted, func(a, b listing.Entry) bool { return a.Key == b.Key && string(a.JSON) == string(b.JSON) })
	old.sorted = next
	return changed, nil
}

// admit returns why entries cannot be added, if they cannot. The lock must be held.
func (s *Set) admit(l listing.List, gone map[string]bool, add []entry) error {
	what := nouns[l]
	if n := len(s.lists[l].by) - len(gone) + len(add); n > s.opts.MaxEntries {
		return fmt.Errorf("mcpdynamic: %d entries in the list of %s are more than %d, see Options.MaxEntries", n, listing.Members[l], s.opts.MaxEntries)
	}
	fresh := make(map[string]bool, len(add))
	for _, e := range add {
		key := e.definition().Key
		_, there := s.lists[l].by[key]
		t, isTool := e.(*tool)
		switch {
		case isTool && t.runsAsTask() && !s.keepsTasks:
			return fmt.Errorf("mcpdynamic: the tool %q cannot be added: it runs as a task, and the server keeps none: set mcp.Options.Tasks, or leave "+
				"execution out of its Members", key)
		case s.own[l][key]:
			return fmt.Errorf("mcpdynamic: the %s %q cannot be added: the schema of the server declares it", what, key)
		case fresh[key], there && !gone[key]:
			return fmt.Errorf("mcpdynamic: the %s %q cannot be added: there is one already", what, key)
		}
		fresh[key] = true
	}
	return nil
}

// nouns are the names of entries in errors.
var nouns = [listing.Count]string{"tool", "prompt", "resource", "resource template"}

// lookup returns an added entry, or nil.
func (s *Set) lookup(l listing.List, key string) entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.lists[l].by[key]
}

// After implements [mcp.Dynamic].
func (s *Set) After(l listing.List, key string) []listing.Entry {
	s.mu.RLock()
	all := s.lists[l].sorted
	s.mu.RUnlock()
	if key == "" {
		return all
	}
	i, found := slices.BinarySearchFunc(all, key, func(e listing.Entry, key string) int { return strings.Compare(e.Key, key) })
	if found {
		i++
	}
	return all[i:]
}

// Has implements [mcp.Dynamic].
func (s *Set) Has(l listing.List, key string) bool { return s.lookup(l, key) != nil }

// Watches implements [mcp.Dynamic].
func (s *Set) Watches() bool { return s.opts.Watch != nil }

// Watch implements [mcp.Dynamic].
func (s *Set) Watch(uri string) (stop func()) { return s.opts.Watch(uri) }

// Filters implements [mcp.Dynamic].
func (s *Set) Filters() bool { return s.opts.Visible != nil }

// Visible implements [mcp.Dynamic].
func (s *Set) Visible(ctx context.Context, l listing.List, key string) bool {
	return s.opts.Visible == nil || s.opts.Visible(ctx, List(listing.Members[l]), key)
}
