package mcpclient

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// ToolFailure is the error of a typed client for a tool result with isError that is not an error
// declared by the schema.
type ToolFailure struct {
	Tool    string
	Text    string      // the text for the model
	Name    string      // name of the error in [mcp.MetaError]; empty if the server sends none
	Data    runtime.Raw // data of the error; null if there is none, see HasData
	HasData bool
}

func (e *ToolFailure) Error() string {
	if e.Text == "" {
		return "the tool " + e.Tool + " failed"
	}
	return "the tool " + e.Tool + " failed: " + e.Text
}

// Declared returns the error declared, after decode has read the data of e into it. If the data
// does not fit the schema, it returns e.
func (e *ToolFailure) Declared(declared error, decode func(*wire.Reader)) error {
	if err := wire.Unmarshal([]byte(e.Data.String()), decode, nil); err != nil {
		return e
	}
	return declared
}

// failure returns the failure that a result with isError describes.
func (o *outcome) failure(tool string) *ToolFailure {
	e := &ToolFailure{Tool: tool, Text: o.prose()}
	p := wire.PeekAt(o.meta).In(mcp.MetaError)
	e.Name, _ = p.In("name").Text()
	if data := p.In("data"); data.Kind() != wire.Invalid {
		e.Data, _ = wire.ParseRaw(data.JSON())
		e.HasData = true
	}
	return e
}

// prose returns the text blocks of the content, newline-separated.
func (o *outcome) prose() string {
	var all []string
	for block := range wire.PeekAt(o.content).Elements() {
		if text, ok := block.In("text").Text(); ok {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}
