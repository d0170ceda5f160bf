package mcpotel

// ServerRefusals returns the OnRefusal of an HTTP handler. It counts mcp.server.refusals: requests
// that were rejected before they were served, for instance because of a limit. They are not
// operations and have no durations.
func ServerRefusals(o Options) func(status int, code int64) {
	return o.Refusals(scope, "mcp.server.refusals")
}
