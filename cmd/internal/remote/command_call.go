package remote

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"
)

func newCall(version string, describe Describe) *cobra.Command {
	var s Flags
	var call Call
	var jsonrpc bool
	c := &cobra.Command{
		Use:   "call [FILE] URL TOOL [NAME=VALUE...] | call [FILE] TOOL [NAME=VALUE...] -- COMMAND [ARG...]",
		Short: "Call a tool of an MCP server, or a method of a JSON-RPC service",
		Long: `Call a tool of an MCP server and print its result: structured content as JSON, else the text. The server is one at a URL, or a
command that is started and talked to over its standard input and output.

Values are read as the tool's input schema has them: numbers and booleans as such, lists by repetition or as JSON, objects as JSON or by
NAME.MEMBER=VALUE, also where a tool takes one of several kinds of objects. Names and values that do not fit are reported before anything is called. When the server asks something, it is asked at the
terminal; without one, the server learns that it cannot ask.

When a server at a URL requires a token, you log in with a browser, as for rpcgen tools.

With FILE, which is a schema or an OpenRPC document, a method of a JSON-RPC service takes the place of the tool, and the URL may be tcp://HOST:PORT,
ws:// or wss:// as well. Params that do not fit the method are reported before anything is called. Without FILE, such a service is asked for its OpenRPC
document by rpc.discover; over HTTP, or for a command, add --jsonrpc. For a token of a WebSocket there is no login: send it by -H.

It exits with 1 when the tool fails or the service answers with an error, and prints what is said of that to the standard error; a call without a result
after --timeout is cancelled, and it exits with 3.`,
		Example: "  rpcgen call http://localhost:4000/mcp search_items query=tea limit=5\n" +
			"  rpcgen call search_items query=tea -- go run ./cmd/shop\n" +
			"  rpcgen call rpc/weather.rpc.yaml tcp://localhost:4100 weather.current city=Paris",
		RunE: func(c *cobra.Command, args []string) error {
			rest, service, err := s.takeService(c, args, describe)
			switch {
			case err != nil:
				return err
			case service != nil && service.Methods == nil:
				return &UsageError{errors.New("the schema is that of an MCP server, which lists its tools itself: leave it out")}
			case s.URL == "" && s.Command == nil:
				return noServer
			case len(rest) == 0:
				return &UsageError{errors.New("name the tool or method")}
			case call.Timeout < 0:
				return &UsageError{errors.New("--timeout is more than nothing, or 0 for no limit")}
			case call.Arguments != "" && len(rest) > 1:
				return &UsageError{errors.New("--args takes the place of NAME=VALUE")}
			}
			call.Tool, call.Words = rest[0], rest[1:]
			return s.Run(c, func(ctx context.Context, t Terminal) error {
				if jsonrpc || service != nil || s.isPlain() {
					return call.RunPlain(ctx, &s.Server, t, service)
				}
				return call.Run(ctx, &s.Server, t)
			})
		},
	}
	s.AddTo(c, version)
	AddWait(c, &s.Wait)
	const timeout = 5 * time.Minute
	c.Flags().DurationVar(&call.Timeout, "timeout", timeout, "how long the call may take, without the time in which you are asked something; 0 means for ever")
	c.Flags().StringVar(&call.Arguments, "args", "", "all arguments, as a `JSON` object")
	c.Flags().BoolVar(&call.AsTask, "task", false, "run the call as a task and wait for its result; tools that require it run so without the flag")
	addJSONRPC(c, &jsonrpc)
	c.Flags().BoolVar(&call.AsJSON, "json", false, "print the whole result, as JSON")
	return c
}
