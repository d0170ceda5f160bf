package load

import (
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// mcpPeer calls tools of an MCP server.
type mcpPeer struct{ client *mcpclient.Client }

// Do implements [Peer]. A call that runs as a task is answered when the task has ended.
func (p *mcpPeer) Do(ctx context.Context, c *Call) ([]byte, error) {
	answer, err := p.result(ctx, c)
	if err != nil {
		return nil, refusal(err)
	}
	if seen := wire.PeekAt(answer); string(seen.In("isError").JSON()) == "true" {
		text, _ := seen.In("content").At(0).In("text").Text()
		return answer, &ServerError{"failed", text}
	}
	return answer, nil
}

// result makes a call, as a task if its tool runs as tasks only.
func (p *mcpPeer) result(ctx context.Context, c *Call) ([]byte, error) {
	if !c.target.tasks.Load() {
		b := append(wire.AppendString([]byte(`{"name":`), c.Name), `,"arguments":`...)
		result, err := mcpclient.Call(ctx, p.client, "tools/call", runtime.RawOf(append(append(b, c.Args...), '}')))
		if !remote.NeedsTask(err) {
			return []byte(result.String()), err
		}
		c.target.tasks.Store(true)
	}
	task, err := p.client.StartTool(ctx, c.Name, runtime.RawOf(c.Args))
	if err != nil {
		return nil, err
	}
	result, err := task.Run(ctx)
	if err != nil {
		return nil, err
	}
	if result.Meta != nil {
		delete(result.Meta.Extra, "io.modelcontextprotocol/related-task") // which makes each answer another one
	}
	return wire.Marshal(&result)
}

// Close implements [Peer].
func (p *mcpPeer) Close() error { return p.client.Close() }

// refusal returns the error of a server as a [*Refused], and any other as it is.
func refusal(err error) error {
	if errors.Is(err, mcpclient.ErrTaskCancelled) {
		return &ServerError{"cancelled", err.Error()}
	}
	if e, ok := errors.AsType[*runtime.Error](err); ok {
		return &ServerError{strconv.FormatInt(e.Code, 10), e.Message}
	}
	return err
}

// rpcPeer calls methods of a JSON-RPC server.
type rpcPeer struct{ conn remote.Conn }

// open connects to a server: of JSON-RPC, or of MCP.
func open(ctx context.Context, s *remote.Server, jsonrpc bool, stderr io.Writer) (Peer, error) {
	if !jsonrpc {
		c, err := s.Open(ctx, stderr)
		return &mcpPeer{c}, err
	}
	dial, err := s.Plain(remote.Terminal{Err: stderr}, nil)
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &rpcPeer{conn.(remote.Conn)}, nil
}

// Do implements [Peer].
func (p *rpcPeer) Do(ctx context.Context, c *Call) ([]byte, error) {
	result, err := remote.Send(ctx, p.conn, c.Name, c.Args)
	return result, refusal(err)
}

// Close implements [Peer].
func (p *rpcPeer) Close() error { return p.conn.Close() }
