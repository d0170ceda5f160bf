package peer

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// GoSDK is a server of modelcontextprotocol/go-sdk over a connection in memory, which is the only way to call it. Its AddTool checks
// arguments and results against the schemas.
func GoSDK() ToolServer {
	server := goSDKServer()
	near := &wires{in: make(chan []byte), out: make(chan []byte), closed: make(chan struct{})}
	session, err := server.Connect(context.Background(), near, nil)
	must(err)
	return ToolServer{
		Dispatcher: Dispatcher{
			Name: "go-sdk",
			Dispatch: func(_ context.Context, dst, msg []byte) []byte {
				near.in <- msg
				return append(dst, <-near.out...)
			},
			Close: func() {
				session.Close()
				session.Wait()
			},
		},
		HTTP: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
			&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}),
	}
}

func goSDKServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Title: "Bench", Version: "1.0.0"}, &mcp.ServerOptions{Logger: Quiet})
	for _, d := range definitions() {
		tool := &mcp.Tool{Name: d.Name, Title: d.Title, Description: d.Description, InputSchema: d.InputSchema, OutputSchema: d.OutputSchema,
			Annotations: new(mcp.ToolAnnotations)}
		must(json.Unmarshal(d.Annotations, tool.Annotations))
		if d.Name == work.ToolCurrent {
			mcp.AddTool(server, tool, current)
		} else {
			server.AddTool(tool, nothing)
		}
	}
	return server
}

func current(_ context.Context, _ *mcp.CallToolRequest, in work.CurrentParams) (*mcp.CallToolResult, work.Report, error) {
	return nil, work.Current(&in), nil
}

// nothing is what tools do that are only listed.
func nothing(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{}, nil
}

// wires is a connection in memory, over which bytes come and go.
type wires struct {
	in, out chan []byte
	closed  chan struct{}
}

// Connect implements mcp.Transport.
func (m *wires) Connect(context.Context) (mcp.Connection, error) { return m, nil }

// SessionID implements mcp.Connection.
func (*wires) SessionID() string { return "" }

// Read implements mcp.Connection.
func (m *wires) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case b := <-m.in:
		return jsonrpc.DecodeMessage(b)
	case <-m.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements mcp.Connection.
func (m *wires) Write(_ context.Context, msg jsonrpc.Message) error {
	b, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	select {
	case m.out <- b:
		return nil
	case <-m.closed:
		return io.EOF
	}
}

// Close implements mcp.Connection.
func (m *wires) Close() error {
	select {
	case <-m.closed:
	default:
		close(m.closed)
	}
	return nil
}
