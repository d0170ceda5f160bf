package mcp

import (
	"slices"
	"strings"
)

// profile returns the profile of the client: the one that [Options.Profile] names, or else the first one that has the
// client's name. It is nil if the client gets the plain listing.
func (q *Request) profile() *profile {
	all := q.server.lists.profiles
	if all == nil {
		return nil
	}
	client, choose := q.Caller(), q.server.opts.Profile
	i := slices.IndexFunc(all, func(p profile) bool {
		if choose != nil {
			return p.Name == choose(client)
		}
		return slices.ContainsFunc(p.Clients, func(name string) bool { return strings.HasPrefix(client.Name, name) })
	})
	if i < 0 {
		return nil
	}
	return &all[i]
}
