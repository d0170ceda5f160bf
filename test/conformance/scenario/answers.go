package scenario

import (
	"context"

	"github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// agree is a user who sends every form off: what is to be decided is decided with yes, and everything else is left as it is.
func agree(_ context.Context, p mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
	content := make(map[string]mcp20260728.ElicitResultContentValue)
	for name, field := range p.RequestedSchema.Properties {
		if decision, ok := field.(*mcp20260728.BooleanSchema); ok && !decision.Default.IsSet() {
			content[name] = mcp20260728.ElicitResultContentValueBoolean(true)
		}
	}
	return mcp.ElicitResult{Action: mcp20260728.ElicitResultActionAccept, Content: content}, nil
}

// sample is a model with one answer.
func sample(context.Context, mcp.CreateMessageRequestParams) (mcp.CreateMessageResult, error) {
	return mcp.CreateMessageResult{Role: mcp20260728.RoleAssistant, Model: "parrot", Content: &mcp.TextContent{Text: "I do not know."}}, nil
}

// noRoots is a client that has no roots.
func noRoots(context.Context) (mcp.ListRootsResult, error) {
	return mcp.ListRootsResult{Roots: []mcp.Root{}}, nil
}
