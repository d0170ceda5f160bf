package playground

import (
	"embed"
	"encoding/json"
	"path"
	"runtime/debug"
	"strings"
)

// CompileJSON is [Compile] for a request and an answer in JSON. A request that is not valid is {"error": ...}.
func CompileJSON(request []byte) []byte {
	var r Request
	if err := json.Unmarshal(request, &r); err != nil {
		return failed("the request is not valid: " + err.Error())
	}
	r.Version = released()
	answer, err := json.Marshal(Compile(r))
	if err != nil {
		return failed(err.Error())
	}
	return answer
}

func failed(message string) []byte {
	text, _ := json.Marshal(map[string]string{"error": message})
	return text
}

// released returns the version of this program; empty if it was not built from a released one.
func released() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || !strings.HasPrefix(info.Main.Version, "v") || strings.Contains(info.Main.Version, "-") || strings.Contains(info.Main.Version, "+") {
		return ""
	}
	return info.Main.Version
}

// Example is a text to begin with.
type Example struct {
	Title string `json:"title"`
	File
	Before string `json:"before,omitempty"` // another version, for the comparison
}

//go:embed examples
var examples embed.FS

// Examples returns the texts to begin with, the simplest first.
func Examples() []Example {
	all := []Example{
		{Title: "JSON-RPC service", File: File{Name: "weather.rpc.yaml"}, Before: "weather.before.yaml"},
		{Title: "MCP server", File: File{Name: "notes.rpc.yaml"}},
		{Title: "OpenAPI document", File: File{Name: "issues.openapi.yaml"}},
		{Title: "OpenRPC document", File: File{Name: "arith.openrpc.json"}},
		{Title: "List of tools", File: File{Name: "files.tools.json"}},
	}
	text := func(name string) string {
		text, err := examples.ReadFile(path.Join("examples", name))
		if err != nil {
			panic(err) // embedded: a test reads all
		}
		return string(text)
	}
	for i := range all {
		e := &all[i]
		e.Text = text(e.Name)
		if e.Before != "" {
			e.Before = text(e.Before)
		}
	}
	return all
}
