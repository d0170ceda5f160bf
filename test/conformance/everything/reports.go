package everything

import (
	"context"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// step is how long a tool works between two reports.
const step = 50 * time.Millisecond

func (*server) TestToolWithProgress(ctx context.Context) (mcp.CallToolResult, error) {
	for done := 0.0; done <= 100; done += 50 {
		if err := mcp.Progress(ctx, done, 100, ""); err != nil {
			return mcp.CallToolResult{}, err
		}
		if err := sleep(ctx, step); err != nil {
			return mcp.CallToolResult{}, err
		}
	}
	return result(text("The work is done.")), nil
}

func (*server) TestToolWithLogging(ctx context.Context) (mcp.CallToolResult, error) {
	log := mcp.Logger(ctx)
	for _, message := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		log.InfoContext(ctx, message)
		if err := sleep(ctx, step); err != nil {
			return mcp.CallToolResult{}, err
		}
	}
	return result(text("Three messages were logged.")), nil
}

func (*server) TestLoggingTool(ctx context.Context) (mcp.CallToolResult, error) {
	mcp.Logger(ctx).WarnContext(ctx, "The tool was called")
	return result(text("A message was logged, for those who want it.")), nil
}

// TestReconnection goes on after the connection was closed: the client comes back for the answer.
func (*server) TestReconnection(ctx context.Context) (mcp.CallToolResult, error) {
	if err := mcp.CloseStream(ctx); err != nil {
		return result(text("This client would not come back: " + err.Error())), nil
	}
	if err := sleep(ctx, step); err != nil {
		return mcp.CallToolResult{}, err
	}
	return result(text("The client has come back.")), nil
}

func (s *server) TestTriggerToolChange(context.Context) error {
	s.changes.ToolsChanged()
	return nil
}

func (s *server) TestTriggerPromptChange(context.Context) error {
	s.changes.PromptsChanged()
	return nil
}
