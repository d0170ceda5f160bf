package peer

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// ToolServer is a contestant that serves the tools of tools.rpc.yaml over MCP, with their input and output checked.
type ToolServer struct {
	Dispatcher
	HTTP   http.Handler // serves the same at any path; nil: it does not
	ByHand bool         // it has the one tool that is called, and lists none
}

// ToolServers returns the contestants that serve MCP, rpcgen first.
func ToolServers() []ToolServer {
	all := append([]ToolServer{RPCGenTools(), RPCGenToolsSession()}, compactToolServers()...)
	return append(all, SonicTools(), SonicToolsTuned(), GoSDK(), MCPGo())
}

// definition is a tool as clients are told of it. All contestants tell the same.
type definition struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  json.RawMessage `json:"annotations"`
}

// definitions are the tools that the schema declares.
func definitions() []definition {
	var answer struct{ Result struct{ Tools []definition } }
	for _, m := range work.ToolMessages() {
		if m.Work == work.ToolList {
			must(json.Unmarshal(RPCGenTools().Dispatch(context.Background(), nil, m.Bytes), &answer))
		}
	}
	return answer.Result.Tools
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
