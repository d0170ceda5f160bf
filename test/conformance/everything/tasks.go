package everything

import (
	"context"
	"strconv"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	conformance "github.com/rpcgen-go/rpcgen/test/conformance/rpc"
)

func (*server) Greet(_ context.Context, in conformance.GreetInput) (mcp.CallToolResult, error) {
	return result(text("Hello, " + in.Name + "!")), nil
}

// SlowCompute reports its progress ten times.
func (*server) SlowCompute(ctx context.Context, in conformance.SlowComputeInput) (mcp.CallToolResult, error) {
	const steps = 10
	for i := range steps {
		if err := sleep(ctx, time.Duration(in.Seconds)*time.Second/steps); err != nil {
			return mcp.CallToolResult{}, err
		}
		if err := mcp.Progress(ctx, float64(i+1), steps, ""); err != nil {
			return mcp.CallToolResult{}, err
		}
	}
	return result(text(in.Label.Or("the result") + " took " + strconv.FormatInt(int64(in.Seconds), 10) + " seconds")), nil
}

func (*server) FailingJob(ctx context.Context) error {
	if err := sleep(ctx, time.Second); err != nil {
		return err
	}
	return &conformance.JobFailedError{}
}

func (*server) ProtocolErrorJob(context.Context) error {
	return runtime.Answer(runtime.CodeInternalError, "The job cannot be done", runtime.Raw{})
}

func (*server) ConfirmDelete(ctx context.Context, in conformance.ConfirmDeleteInput) (mcp.CallToolResult, error) {
	f, err := conformance.AskConfirmDeleteConfirm(ctx, in)
	return answer("Deleted "+in.Filename+": "+strconv.FormatBool(f.Confirm), err)
}

func (*server) MultiInput(ctx context.Context) (mcp.CallToolResult, error) {
	ask := mcp.Ask(ctx)
	first := ask.Elicit("first", form("Who comes first?", "name"))
	second := ask.Elicit("second", form("Who comes second?", "name"))
	if err := ask.Wait(); err != nil {
		return mcp.CallToolResult{}, err
	}
	return answer(said(first.Result(), "name")+" comes before "+said(second.Result(), "name"), nil)
}

func (*server) TestToolWithTask(ctx context.Context) (mcp.CallToolResult, error) {
	f, err := conformance.AskTestToolWithTaskUserName(ctx)
	return answer("Hello, "+f.Name+"!", err)
}

// askBefore asks what has to be known before there is a task. The task takes the answer over, so its handler asks again and is answered at once.
func askBefore(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, q *mcp.Request) error {
		if q.Era() == mcp.Stateless && q.Method() == "tools/call" && q.Name() == conformance.ToolTestToolWithTask {
			if _, err := conformance.AskTestToolWithTaskUserName(ctx); err != nil {
				return err
			}
		}
		return next(ctx, q)
	}
}

// sleep waits, unless ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
