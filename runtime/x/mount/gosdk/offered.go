package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
)

// offers lists what a server has. The SDK has no list of its own, and its client would make each program larger, so the messages of a session are
// written here.
func offers(server *sdk.Server) (map[mount.Kind]map[string]bool, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	near, far := transports()
	serving, err := server.Connect(ctx, far, nil)
	if err != nil {
		return nil, err
	}
	defer serving.Close()
	conn, err := near.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	asking := &asking{ctx: ctx, conn: conn}
	hello := `{"protocolVersion":"` + mcp.Revision20250618 + `","capabilities":{},"clientInfo":{"name":"gosdk","version":"1.0.0"}}`
	if _, err := asking.call("initialize", hello); err != nil {
		return nil, err
	}
	if err := conn.Write(ctx, &jsonrpc.Request{Method: "notifications/initialized"}); err != nil {
		return nil, err
	}
	all := map[mount.Kind]map[string]bool{}
	for _, l := range []struct {
		kind                mount.Kind
		method, member, key string
	}{
		{mount.Tool, "tools/list", "tools", "name"}, {mount.Resource, "resources/list", "resources", "uri"},
		{mount.Template, "resources/templates/list", "resourceTemplates", "uriTemplate"}, {mount.Prompt, "prompts/list", "prompts", "name"},
	} {
		if all[l.kind], err = asking.list(l.method, l.member, l.key); err != nil {
			return nil, fmt.Errorf("%s: %w", l.method, err)
		}
	}
	return all, nil
}

// asking is a session with a server of the SDK.
type asking struct {
	ctx  context.Context
	conn sdk.Connection
	last int
}

// call makes a request. Notifications that come before the answer are skipped.
func (a *asking) call(method, params string) (json.RawMessage, error) {
	a.last++
	id, err := jsonrpc.MakeID(float64(a.last))
	if err != nil {
		return nil, err
	}
	if err := a.conn.Write(a.ctx, &jsonrpc.Request{ID: id, Method: method, Params: json.RawMessage(params)}); err != nil {
		return nil, err
	}
	for {
		m, err := a.conn.Read(a.ctx)
		if err != nil {
			return nil, err
		}
		if answer, ok := m.(*jsonrpc.Response); ok && answer.ID == id {
			return answer.Result, answer.Error
		}
	}
}

// list returns the keys of the entries of a list. A server without the list has none.
func (a *asking) list(method, member, key string) (map[string]bool, error) {
	keys := map[string]bool{}
	for params := []byte("{}"); params != nil; {
		result, err := a.call(method, string(params))
		if refused, ok := errors.AsType[*jsonrpc.Error](err); ok && refused.Code == runtime.CodeMethodNotFound {
			return keys, nil
		}
		if err != nil {
			return nil, err
		}
		var page map[string]json.RawMessage
		var entries []map[string]json.RawMessage
		if err := errors.Join(json.Unmarshal(result, &page), json.Unmarshal(page[member], &entries)); err != nil {
			return nil, err
		}
		for _, e := range entries {
			var name string
			if err := json.Unmarshal(e[key], &name); err != nil {
				return nil, err
			}
			keys[name] = true
		}
		params = nil
		if cursor := page["nextCursor"]; len(cursor) > len(`""`) {
			params = fmt.Appendf(nil, `{"cursor":%s}`, cursor)
		}
	}
	return keys, nil
}
