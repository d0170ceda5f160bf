package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// change is a change that clients are notified of. The zero value stands for changes that were missed: everything may have changed.
type change struct {
	Lists protocol.Lists `json:"lists,omitzero"`
	URI   string         `json:"uri,omitempty"`
	Owned *ownedURI      `json:"owned,omitempty"`
}

// ownedURI is a resource that has changed for one principal only. It is a member of its own, so that a version that does not know it
// reads missed changes, and does not notify other principals of the resource.
type ownedURI struct {
	Principal string `json:"principal"`
	URI       string `json:"uri"`
}

// Relay shares changes with other processes that serve the same clients: send is called with each change that this server is notified of, as
// by [Server.ResourceUpdated], and must not block. The function apply notifies the clients of this server of a change that another
// server has sent; a nil change stands for changes that were missed. The function stop ends that.
func (s *Server) Relay(send func(change []byte)) (apply func(change []byte), stop func()) {
	own := &relay{send}
	s.relays.replace(func(all []*relay) []*relay { return append(slices.Clone(all), own) })
	return s.applyText, func() { s.relays.remove(own) }
}

// applyText notifies the clients of a change. One of a later version that this one does not understand counts as missed changes.
func (s *Server) applyText(text []byte) {
	var c change
	if text != nil && json.Unmarshal(text, &c) != nil {
		s.peerLog.Warn("a change of another process could not be read")
	}
	s.apply(c)
}

// raise notifies the clients of this and of other processes of a change.
func (s *Server) raise(c change) {
	s.apply(c)
	if all := s.relays.all.Load(); all != nil {
		text, _ := json.Marshal(c) // which is text and booleans
		for _, r := range *all {
			r.send(text)
		}
	}
}

// apply notifies the clients of this process of a change.
func (s *Server) apply(c change) {
	s.subscribers.each(func(l *subscriber) {
		switch {
		case c == change{}:
			l.noteMissed()
		case c.Owned != nil:
			if l.ownedBy(c.Owned.Principal) {
				l.update(c.Owned.URI)
			}
		case c.URI != "":
			l.update(c.URI)
		default:
			l.change(c.Lists)
		}
	})
}

// ToolsChanged notifies the clients that subscribed to it that the list of tools has changed
// (server/tools, List Changed Notification). It does not wait for them.
func (s *Server) ToolsChanged() {
	s.raise(change{Lists: protocol.Lists{Tools: true}})
}

// PromptsChanged notifies the clients that subscribed to it that the list of prompts has changed
// (server/prompts, List Changed Notification). It does not wait for them.
func (s *Server) PromptsChanged() {
	s.raise(change{Lists: protocol.Lists{Prompts: true}})
}

// ResourcesChanged notifies the clients that subscribed to it that the lists of resources have
// changed (server/resources, List Changed Notification). It does not wait for them.
func (s *Server) ResourcesChanged() {
	s.raise(change{Lists: protocol.Lists{Resources: true}})
}

// ResourceUpdated notifies the clients that subscribed to the resource that it has changed
// (server/resources). It does not wait for them.
func (s *Server) ResourceUpdated(uri string) {
	s.raise(change{URI: uri})
}

// ResourceUpdatedFor is like [Server.ResourceUpdated] but notifies only the clients of one principal, see [PrincipalFrom]. It is
// for resources whose URI is the same for all principals and whose content is not. An empty principal
// stands for the clients that have none.
func (s *Server) ResourceUpdatedFor(principal, uri string) {
	s.raise(change{Owned: &ownedURI{principal, uri}})
}

// Shutdown ends all subscriptions with a result (basic/patterns/subscriptions, Graceful Closure).
// It cancels the tasks that run. It waits for that, and for handlers that exceed the timeouts of
// their tools, until ctx ends.
// Sessions belong to their transports and continue.
func (s *Server) Shutdown(ctx context.Context) error {
	return cmp.Or(s.subscribers.close(ctx), s.endTasks(ctx), s.overdue.wait(ctx))
}

// Close ends all subscriptions and tasks without waiting. It always returns nil.
func (s *Server) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.subscribers.close(ctx)
	s.endTasks(ctx)
	return nil
}
