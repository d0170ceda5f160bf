package mcp

import (
	"slices"
	"strings"
)

// routes are the methods of the protocol, by name.
var routes = byName(
	route{"server/discover", 0, onlyStateless, always, serveDiscover, alone},
	route{"tools/list", hasCursor, bothEras, hasTools, serveTools, alone},
	route{toolsCall, hasName | hasArguments | hasInput, bothEras, hasTools, callTool, asking},
	route{"resources/list", hasCursor, bothEras, hasResources, serveResources, alone},
	route{"resources/templates/list", hasCursor, bothEras, hasResources, serveTemplates, alone},
	route{resourcesRead, hasURI | hasInput, bothEras, hasResources, readResource, asking},
	route{"resources/subscribe", hasURI, onlyHandshake, canSubscribe, serveSubscribe, alone},
	route{"resources/unsubscribe", hasURI, onlyHandshake, canSubscribe, serveUnsubscribe, alone},
	route{"prompts/list", hasCursor, bothEras, hasPrompts, servePrompts, alone},
	route{promptsGet, hasName | hasArguments | hasInput, bothEras, hasPrompts, getPrompt, asking},
	route{"completion/complete", 0, bothEras, canComplete, complete, handled},
	route{"subscriptions/listen", 0, onlyStateless, always, serveListen, handled},
	route{initialize, 0, onlyHandshake, always, serveInitialize, alone},
	route{ping, 0, onlyHandshake, always, servePing, alone},
	route{"logging/setLevel", 0, onlyHandshake, always, serveSetLevel, alone},
	route{"tasks/get", hasTask, bothEras | since20251125, hasTasks, serveTask, alone},
	route{tasksUpdate, hasTask | hasInput, onlyStateless, hasTasks, serveTask, alone},
	route{"tasks/cancel", hasTask, bothEras | since20251125, hasTasks, serveTask, alone},
	route{"tasks/result", hasTask, onlyHandshake | since20251125, hasTasks, serveTask, handled},
	route{"tasks/list", hasCursor, onlyHandshake | since20251125, hasTasks, serveTask, alone},
)

func byName(all ...route) map[string]*route {
	routes := make(map[string]*route, len(all))
	for i := range all {
		routes[all[i].name] = &all[i]
	}
	return routes
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
