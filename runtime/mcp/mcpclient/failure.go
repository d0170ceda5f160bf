package mcpclient

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// ToolFailure is the error of a typed client for a tool that answered an error which its schema does not declare.
type ToolFailure struct {
	Tool    string
	Text    string      // what a model is told
	Name    string      // of the error, below [mcp.MetaError]; empty: the server does not name it
	Data    runtime.Raw // of the error; null when there are none, see HasData
	HasData bool
}

func (e *ToolFailure) Error() string {
	if e.Text == "" {
		return "the tool " + e.Tool + " failed"
	}
	return "the tool " + e.Tool + " failed: " + e.Text
}

// Declared returns the declared error, whose decode reads the data of e into it; or e itself when the data do not fit.
func (e *ToolFailure) Declared(declared error, decode func(*wire.Reader)) error {
	if err := wire.Unmarshal([]byte(e.Data.String()), decode, nil); err != nil {
		return e
	}
	return declared
}

// failure returns the failure of a tool that a result is.
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
