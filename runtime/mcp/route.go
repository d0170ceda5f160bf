package mcp

import (
	"context"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// route describes how a method of the protocol is served.
type route struct {
	name   string
	has    members                                     // the params that are scanned
	eras   eras                                        // eras that have the method
	served func(s *Server) bool                        // reports whether the server has the capability
	serve  func(ctx context.Context, q *Request) error // answers the request
	runs   runs                                        // whose code is called
}

// runs says whose code is called when a method is served.
type runs uint8

const (
	alone   runs = iota // only code of the server
	handled             // a handler
	asking              // a handler that may ask the client
)

// eras is a set of eras.
type eras uint8

const (
	onlyStateless = eras(1 << Stateless)
	onlyHandshake = eras(1 << Handshake)
	bothEras      = onlyStateless | onlyHandshake
	since20251125 = eras(1 << 7) // of the handshake era, only the last revision has the method
)

func (e eras) has(era Era) bool { return e&(1<<era) != 0 }

// hasRevision reports whether the set has the revision of a session.
func (e eras) hasRevision(revision string) bool {
	return e.has(Handshake) && (e&since20251125 == 0 || revision >= Revision20251125)
}

// The methods of the protocol.
var (
	discover       = route{"server/discover", 0, onlyStateless, always, serveDiscover, alone}
	toolsList      = route{"tools/list", hasCursor, bothEras, hasTools, serveTools, alone}
	toolsCall      = route{"tools/call", hasName | hasArguments | hasInput, bothEras, hasTools, callTool, asking}
	resourcesList  = route{"resources/list", hasCursor, bothEras, hasResources, serveResources, alone}
	templatesList  = route{"resources/templates/list", hasCursor, bothEras, hasResources, serveTemplates, alone}
	resourcesRead  = route{"resources/read", hasURI | hasInput, bothEras, hasResources, readResource, asking}
	subscribe      = route{"resources/subscribe", hasURI, onlyHandshake, canSubscribe, serveSubscribe, alone}
	unsubscribe    = route{"resources/unsubscribe", hasURI, onlyHandshake, canSubscribe, serveUnsubscribe, alone}
	promptsList    = route{"prompts/list", hasCursor, bothEras, hasPrompts, servePrompts, alone}
	promptsGet     = route{"prompts/get", hasName | hasArguments | hasInput, bothEras, hasPrompts, getPrompt, asking}
	completion     = route{"completion/complete", 0, bothEras, canComplete, complete, handled}
	listen         = route{"subscriptions/listen", 0, onlyStateless, always, serveListen, handled}
	initialize     = route{"initialize", 0, onlyHandshake, always, serveInitialize, alone}
	ping           = route{"ping", 0, onlyHandshake, always, servePing, alone}
	loggingSetting = route{"logging/setLevel", 0, onlyHandshake, always, serveSetLevel, alone}
	tasksGet       = route{"tasks/get", hasTask, bothEras | since20251125, hasTasks, serveTask, alone}
	tasksUpdate    = route{"tasks/update", hasTask | hasInput, onlyStateless, hasTasks, serveTask, alone}
	tasksCancel    = route{"tasks/cancel", hasTask, bothEras | since20251125, hasTasks, serveTask, alone}
	tasksResult    = route{"tasks/result", hasTask, onlyHandshake | since20251125, hasTasks, serveTask, handled}
	tasksList      = route{"tasks/list", hasCursor, onlyHandshake | since20251125, hasTasks, serveTask, alone}
)

// routes are all methods, by name. They refer to functions that look for a method, so they are set when the program starts.
var routes map[string]*route

func init() {
	routes = make(map[string]*route)
	for _, r := range []*route{
		&discover, &toolsList, &toolsCall, &resourcesList, &templatesList, &resourcesRead, &subscribe, &unsubscribe, &promptsList, &promptsGet,
		&completion, &listen, &initialize, &ping, &loggingSetting, &tasksGet, &tasksUpdate, &tasksCancel, &tasksResult, &tasksList,
	} {
		routes[r.name] = r
	}
}

// routeOf returns the route of a method, or nil if the method is not part of the protocol.
func routeOf(method string) *route { return routes[method] }

// methodNames returns the names of the methods that the server has in some eras, newline-separated, to find the closest one.
func methodNames(s *Server, in eras) string {
	var names []string
	for name, r := range routes {
		if r.eras&in&bothEras != 0 && r.served(s) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, "\n")
}

func always(*Server) bool       { return true }
func hasTools(s *Server) bool   { return s.info.Tools != "" || s.opts.Dynamic != nil }
func hasPrompts(s *Server) bool { return s.info.Prompts != "" || s.opts.Dynamic != nil }
func hasResources(s *Server) bool {
	return s.info.Resources != "" || s.info.Templates != "" || s.opts.Dynamic != nil
}
func canSubscribe(s *Server) bool {
	return hasResources(s) && (s.info.Subscribe || s.opts.Dynamic != nil && s.opts.Dynamic.Watches())
}
func canComplete(s *Server) bool { return s.info.Completions || s.opts.Dynamic != nil }

// complete returns an error if required params are missing.
func (r *route) complete(q *Request) error {
	if r == nil || q.named || r.has&(hasName|hasURI|hasTask) == 0 {
		return nil
	}
	member := "name"
	switch {
	case r.has&hasURI != 0:
		member = "uri"
	case r.has&hasTask != 0:
		member = "taskId"
	}
	v := rule.Violation{Pointer: "/" + member, Rule: "required", Expected: "member " + protocol.Quote(member)}
	return runtime.InvalidParams([]rule.Violation{v}, 0)
}

var empty = []byte("{}")

// servePing answers a ping.
func servePing(_ context.Context, q *Request) error { return q.respond(empty) }

// serveSetLevel sets the level from which on messages are logged to the client of the session
// (2025-11-25, server/utilities/logging).
func serveSetLevel(_ context.Context, q *Request) error {
	l := protocol.NoLevel
	p := q.call.PeekParams().In("level")
	if name, ok := p.Text(); ok {
		l = protocol.LevelOf(name)
	}
	if l == protocol.NoLevel {
		v := rule.Violation{Pointer: "/level", Rule: "enum", Expected: rule.OneOf(protocol.Levels[:])}
		if name, ok := p.Text(); ok {
			v.Closest = rule.Closest(name, protocol.Levels[:])
		}
		return runtime.InvalidParams([]rule.Violation{v}, 0)
	}
	q.handshake.level.Store(int32(l))
	q.handshake.session.version.Add(1)
	return q.respond(empty)
}
