package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/remote"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
)

// mcpPeer calls tools of an MCP server.
type mcpPeer struct{ client *mcpclient.Client }

func openMCP(ctx context.Context, s *remote.Server, stderr io.Writer) (*mcpPeer, error) {
	c, err := s.Open(ctx, stderr)
	if err != nil {
		return nil, err
	}
	return &mcpPeer{c}, nil
}

// Do implements [Peer]. A call that runs as a task is answered when the task has ended.
func (p *mcpPeer) Do(ctx context.Context, c *Call) ([]byte, error) {
	answer, err := p.result(ctx, c)
	if err != nil {
		return nil, refused(err)
	}
	if seen := wire.PeekAt(answer); string(seen.In("isError").JSON()) == "true" {
		text, _ := seen.In("content").At(0).In("text").Text()
		return answer, &Refused{"failed", text}
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

// refused returns the error of a server as a [*Refused], and any other as it is.
func refused(err error) error {
	if errors.Is(err, mcpclient.ErrTaskCancelled) {
		return &Refused{"cancelled", err.Error()}
	}
	if e, ok := errors.AsType[*runtime.Error](err); ok {
		return &Refused{strconv.FormatInt(e.Code, 10), e.Message}
	}
	return err
}

// rpcPeer calls methods of a JSON-RPC server.
type rpcPeer struct {
	conn runtime.Conn
	end  func() error
}

// openRPC connects to a JSON-RPC server: at http, https or tcp, or a command.
func openRPC(ctx context.Context, s *remote.Server, stderr io.Writer) (*rpcPeer, error) {
	if s.URL == "" {
		cmd := exec.Command(s.Command[0], s.Command[1:]...)
		cmd.Env = os.Environ()
		process, err := stdio.Command(context.WithoutCancel(ctx), cmd, nil, stdio.WithStderr(stderr))
		if err != nil {
			return nil, err
		}
		return &rpcPeer{process, process.Close}, nil
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, &remote.UsageError{Err: errors.New("the URL is invalid")}
	}
	if u.Scheme == "tcp" {
		session, err := tcp.Dial(ctx, u.Host, nil)
		if err != nil {
			return nil, err
		}
		return &rpcPeer{session, session.Close}, nil
	}
	header, err := s.Header()
	if err != nil {
		return nil, err
	}
	conn, err := rpchttp.Dial(s.URL, rpchttp.ClientOptions{Header: header})
	if err != nil {
		return nil, &remote.UsageError{Err: err}
	}
	return &rpcPeer{conn, func() error { return nil }}, nil
}

// Do implements [Peer].
func (p *rpcPeer) Do(ctx context.Context, c *Call) ([]byte, error) {
	id, err := p.conn.NextID(1)
	if err != nil {
		return nil, err
	}
	b := wire.AppendInt([]byte(`{"jsonrpc":"2.0","id":`), id)
	b = wire.AppendString(append(b, `,"method":`...), c.Name)
	if len(c.Args) > 0 {
		b = append(append(b, `,"params":`...), c.Args...)
	}
	answer, err := p.conn.Call(ctx, id, append(b, '}'))
	if err != nil {
		return nil, refused(err)
	}
	seen := wire.PeekAt(answer)
	if fault := seen.In("error"); fault.Kind() == wire.Object {
		text, _ := fault.In("message").Text()
		return answer, &Refused{strings.TrimSpace(string(fault.In("code").JSON())), text}
	}
	result := seen.In("result")
	if result.Kind() == wire.Invalid {
		return nil, fmt.Errorf("the answer has neither result nor error: %s", short(answer))
	}
	return result.JSON(), nil
}

// Close implements [Peer].
func (p *rpcPeer) Close() error { return p.end() }
