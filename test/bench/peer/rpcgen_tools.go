package peer

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"

	"github.com/rpcgen-go/rpcgen/test/bench/tools"
)

// RPCGenTools is the generated MCP server.
func RPCGenTools() ToolServer {
	server := tools.NewServer(bench{}, mcp.Options{Logger: Quiet})
	d := runtime.NewDispatcher(server, runtime.Options{Logger: Quiet})
	return ToolServer{
		Dispatcher: Dispatcher{Name: "rpcgen", Dispatch: d.Dispatch},
		HTTP:       mcphttp.NewHandler(server, mcphttp.Options{Runtime: runtime.Options{Logger: Quiet}}),
	}
}

// RPCGenToolsSession is the generated MCP server after a session: a message is a frame on a connection in memory.
func RPCGenToolsSession() ToolServer {
	return ToolServer{Dispatcher: session(tools.NewServer(bench{}, mcp.Options{Logger: Quiet}), runtime.Options{Logger: Quiet})}
}

// bench is the service of package work on the generated types.
type bench struct{ tools.UnimplementedServer }

// WeatherCurrent answers the tool that is called.
func (bench) WeatherCurrent(_ context.Context, in tools.WeatherCurrentInput) (tools.Report, error) {
	return tools.Report{City: in.City, Degrees: 14.5, Unit: in.Unit, Humidity: 62, Summary: "Light rain, clearing up later"}, nil
}
