package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// This file lets another process continue a session, by [runtime.Hooks], and share the changes of lists and resources.

// sessionRecord is what a session is continued from, as JSON. Other versions may have further members.
type sessionRecord struct {
	Revision     string          `json:"revision"`
	Name         string          `json:"name,omitempty"`
	Version      string          `json:"version,omitempty"`
	Title        string          `json:"title,omitempty"`
	Capabilities json.RawMessage `json:"capabilities,omitempty"`
	Level        string          `json:"level"`
	Tools        bool            `json:"tools,omitempty"` // lists whose changes are sent
	Prompts      bool            `json:"prompts,omitempty"`
	Resources    bool            `json:"resources,omitempty"`
	URIs         []string        `json:"uris,omitempty"`      // resources whose changes are sent
	TaskOwner    string          `json:"taskOwner,omitempty"` // see session.taskID
}

// continuation is the hook of that name.
func (h *session) continuation() protocol.Continuation { return h }

// StateVersion returns a number that increases with each change of what State returns. It is 0 before the handshake.
func (h *session) StateVersion() uint64 { return h.version.Load() }

// State returns what the session is continued from in another process, as JSON, or nil before the handshake.
func (h *session) State() []byte {
	handshake := h.handshake.Load()
	if handshake == nil {
		return nil
	}
	c := &handshake.caller
	k := sessionRecord{
		Revision: handshake.revision, Name: c.Name, Version: c.Version, Title: c.Title,
		Capabilities: json.RawMessage(c.Capabilities.text), Level: protocol.Level(handshake.level.Load()).String(),
	}
	var lists protocol.Lists
	lists, k.URIs = h.subscriber.state()
	k.Tools, k.Prompts, k.Resources = lists.Tools, lists.Prompts, lists.Resources
	h.mu.Lock()
	k.TaskOwner = h.id
	h.mu.Unlock()
	text, _ := json.Marshal(k) // cannot fail: the capabilities were read from JSON
	return withMembers(text, handshake.unknown)
}

// withMembers adds members to an object.
func withMembers(object []byte, members map[string]json.RawMessage) []byte {
	if len(members) == 0 {
		return object
	}
	more, _ := json.Marshal(members) // which was read from JSON
	return append(append(object[:len(object)-1], ','), more[1:]...)
}

// unknownMembers returns the members of a state that another version has added.
func unknownMembers(state []byte) (unknown map[string]json.RawMessage) {
	json.Unmarshal(state, &unknown) // was read before
	known := reflect.TypeFor[sessionRecord]()
	for i := range known.NumField() {
		name, _, _ := strings.Cut(known.Field(i).Tag.Get("json"), ",")
		delete(unknown, name)
	}
	return unknown
}

var errState = errors.New("mcp: the state of a session is not valid")

// Restore continues a session from what State returned in another process. It must be called before anything else. Options.OnSession is
// called again. Changes may have been missed, so the client is notified of everything that it subscribed to. The context is that of a
// request of the session: updates of resources that its client does not see are not sent.
func (h *session) Restore(ctx context.Context, state []byte) error {
	var k sessionRecord
	if json.Unmarshal(state, &k) != nil || !slices.Contains(h.srv.handshakes, k.Revision) {
		return errState
	}
	level := protocol.LevelOf(k.Level)
	if level == protocol.NoLevel {
		level = protocol.InfoLevel
	}
	handshake := &handshake{session: h, revision: k.Revision, unknown: unknownMembers(state)}
	handshake.level.Store(int32(level))
	handshake.caller = Caller{
		Name: k.Name, Version: k.Version, Title: k.Title, Revision: k.Revision, Era: Handshake,
		Capabilities: Capabilities{protocol.Capabilities(k.Capabilities)},
	}
	h.opening.Lock()
	defer h.opening.Unlock()
	h.mu.Lock()
	h.id = k.TaskOwner
	h.mu.Unlock()
	h.join(handshake.caller)
	h.subscriber.show(context.WithoutCancel(ctx), h.srv)
	h.subscriber.restore(protocol.Lists{Tools: k.Tools, Prompts: k.Prompts, Resources: k.Resources}.And(h.srv.offeredLists()), k.URIs)
	h.handshake.Store(handshake)
	h.version.Store(1)
	return nil
}

// restore subscribes to what state returned, and notes that all of it has changed.
func (l *subscriber) restore(lists protocol.Lists, uris []string) {
	watches := l.subscribers.watches
	watches.mu.Lock()
	defer watches.mu.Unlock()
	if l.over() {
		return
	}
	uris = watches.holdAll(uris)
	l.subscribers.mu.Lock()
	defer l.subscribers.mu.Unlock()
	l.mu.Lock()
	l.wants = lists
	for _, uri := range uris {
		l.uris[uri] = false
		l.bytes += len(uri)
	}
	l.mu.Unlock()
	l.noteMissed()
}
