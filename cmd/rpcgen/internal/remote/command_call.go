package remote

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"
)

func newCall(version string) *cobra.Command {
	var s Flags
	var call Call
	c := &cobra.Command{
		Use:   "call URL TOOL [NAME=VALUE...] | call TOOL [NAME=VALUE...] -- COMMAND [ARG...]",
		Short: "Call a tool of an MCP server",
		Long: `Call a tool of an MCP server and print its result: structured content as JSON, else the text. The server is one at a URL, or a
command that is started and talked to over its standard input and output.

Values are read as the tool's input schema has them: numbers and booleans as such, lists by repetition or as JSON, objects as JSON or by
NAME.MEMBER=VALUE, also where a tool takes one of several kinds of objects. Names and values that do not fit are reported before anything is called. When the server asks something, it is asked at the
terminal; without one, the server learns that it cannot ask.

When a server at a URL requires a token, you log in with a browser, as for rpcgen tools.

It exits with 1 when the tool fails, and prints what the tool says of that to the standard error; a call without a result after --timeout is
cancelled, and it exits with 3.`,
		Example: "  rpcgen call http://localhost:4000/mcp search_items query=tea limit=5\n" +
			"  rpcgen call search_items query=tea -- go run ./cmd/shop",
		RunE: func(c *cobra.Command, args []string) error {
			rest, err := s.Take(c, args)
			switch {
			case err != nil:
				return err
			case len(rest) == 0:
				return &UsageError{errors.New("name the tool")}
			case call.Timeout < 0:
				return &UsageError{errors.New("--timeout is more than nothing, or 0 for no limit")}
			case call.Arguments != "" && len(rest) > 1:
				return &UsageError{errors.New("--args takes the place of NAME=VALUE")}
			}
			call.Tool, call.Words = rest[0], rest[1:]
			return s.Run(c, func(ctx context.Context, t Terminal) error { return call.Run(ctx, &s.Server, t) })
		},
	}
	s.AddTo(c, version)
	AddWait(c, &s.Wait)
	const timeout = 5 * time.Minute
	c.Flags().DurationVar(&call.Timeout, "timeout", timeout, "how long the call may take, without the time in which you are asked something; 0 means for ever")
	c.Flags().StringVar(&call.Arguments, "args", "", "all arguments, as a `JSON` object")
	c.Flags().BoolVar(&call.AsTask, "task", false, "run the call as a task and wait for its result; tools that require it run so without the flag")
	c.Flags().BoolVar(&call.AsJSON, "json", false, "print the whole result, as JSON")
	return c
}
