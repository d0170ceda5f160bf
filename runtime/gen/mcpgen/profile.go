package mcpgen

// Profile is a listing of the tools for clients whose models take less of JSON Schema than the plain listing has.
type Profile struct {
	Name    string                                     // as in the schema, such as gemini
	Clients []string                                   // what clientInfo.name of these clients begins with
	Tools   string                                     // JSON array of Tool
	Plain   func(tool string, arguments []byte) []byte // makes of arguments those of the plain listing; nil if they are
}
