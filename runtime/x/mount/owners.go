package mount

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/internal/wake"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// ownedEntry is an entry of a list.
type ownedEntry struct {
	list mcpdynamic.List
	key  string
}

// owner is where an entry comes from.
type owner struct {
	server *upstream
	name   string // without the prefix; empty for resources
}

// ownerOf returns where an entry comes from. For the URI of a resource that is in no list, it is the server whose template matches.
func (s *Upstreams) ownerOf(list mcpdynamic.List, key string) (owner, bool) {
	s.mu.Lock()
	o, known := s.owners[ownedEntry{list, key}]
	s.mu.Unlock()
	if known || list != mcpdynamic.Resources {
		return o, known
	}
	if template, ok := s.TemplateOf(key); ok {
		return s.ownerOf(mcpdynamic.Templates, template)
	}
	return owner{}, false
}

// claimEntry notes where an entry comes from, before it is mounted, and returns nil. If its name belongs to another server, it returns that instead.
func (s *Upstreams) claimEntry(entry ownedEntry, o owner) (other *upstream) {
	other = s.claim(entry, o)
	s.mu.Lock()
	defer s.mu.Unlock()
	if has, there := s.owners[entry]; there {
		other = has.server
	}
	if other != nil && other != o.server {
		s.hidden[o.server] = true
		return other
	}
	s.owners[entry] = o
	return nil
}

// claim returns the server that the name of an entry belongs to, whether or not the server has such an entry: for tools and prompts the one with the
// longest prefix that the name begins with, and for a resource the one that has mounted a template which stands for its URI. It is nil if there is none.
func (s *Upstreams) claim(entry ownedEntry, o owner) *upstream {
	if entry.list == mcpdynamic.Resources {
		if template, ok := s.TemplateOf(entry.key); ok {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.owners[ownedEntry{mcpdynamic.Templates, template}].server
		}
	}
	if o.name == "" {
		return nil
	}
	return s.byPrefix(entry.key)
}

// byPrefix returns the server that the name of a tool or a prompt belongs to: the one with the longest prefix that it begins with. It is nil
// if there is none.
func (s *Upstreams) byPrefix(name string) (longest *upstream) {
	for _, u := range s.all {
		if strings.HasPrefix(name, u.Prefix) && (longest == nil || len(u.Prefix) > len(longest.Prefix)) {
			longest = u
		}
	}
	return longest
}

// disown forgets where an entry came from. Servers that have entries which were not mounted because of another server get another turn.
func (s *Upstreams) disown(entry ownedEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.owners, entry)
	for u := range s.hidden {
		wake.Up(u.refresh)
	}
	clear(s.hidden)
}
