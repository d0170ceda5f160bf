package mcp

import (
	"slices"
	"strings"
)

// routes are the methods of the protocol. Those that are called most come first, because they are compared one after the other.
var routes = [...]route{
	{toolsCall, hasName | hasArguments | hasInput, bothEras, hasTools, callTool, asking},
	{ping, 0, onlyHandshake, alwaysTrue, servePing, alone},
	{"server/discover", 0, onlyStateless, alwaysTrue, serveDiscover, alone},
	{"tools/list", hasCursor, bothEras, hasTools, serveTools, alone},
	{"resources/list", hasCursor, bothEras, hasResources, serveResources, alone},
	{"resources/templates/list", hasCursor, bothEras, hasResources, serveTemplates, alone},
	{resourcesRead, hasURI | hasInput, bothEras, hasResources, readResource, asking},
	{"resources/subscribe", hasURI, onlyHandshake, canSubscribe, serveSubscribe, alone},
	{"resources/unsubscribe", hasURI, onlyHandshake, canSubscribe, serveUnsubscribe, alone},
	{"prompts/list", hasCursor, bothEras, hasPrompts, servePrompts, alone},
	{promptsGet, hasName | hasArguments | hasInput, bothEras, hasPrompts, getPrompt, asking},
	{"completion/complete", 0, bothEras, canComplete, complete, handled},
	{"subscriptions/listen", 0, onlyStateless, alwaysTrue, serveListen, handled},
	{initialize, 0, onlyHandshake, alwaysTrue, serveInitialize, alone},
	{"logging/setLevel", 0, onlyHandshake, alwaysTrue, serveSetLevel, alone},
	{"tasks/get", hasTask, bothEras | withTasks, hasTasks, serveTask, alone},
	{tasksUpdate, hasTask | hasInput, onlyStateless, hasTasks, serveTask, alone},
	{"tasks/cancel", hasTask, bothEras | withTasks, hasTasks, serveTask, alone},
	{"tasks/result", hasTask, onlyHandshake | withTasks, hasTasks, serveTask, handled},
	{"tasks/list", hasCursor, onlyHandshake | withTasks, hasTasks, serveTask, alone},
}

// routeOf returns the route of a method, or nil if the method is not part of the protocol.
func routeOf(method string) *route {
	for i := range routes {
		if routes[i].name == method {
			return &routes[i]
		}
	}
	return nil
}

// methodNames returns the names of the methods that the server has in some eras, newline-separated, to find the closest one.
func methodNames(s *Server, in eras) string {
	var names []string
	for _, r := range routes {
		if r.eras&in&bothEras != 0 && r.served(s) {
			names = append(names, r.name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, "\n")
}
