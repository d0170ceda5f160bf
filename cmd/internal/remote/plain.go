package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Conn is a connection to a JSON-RPC service that is not one of MCP.
type Conn interface {
	runtime.Conn
	io.Closer
}

// Address returns the URL of a server, whose scheme is one of those that are given.
func Address(text string, schemes ...string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("the URL is invalid") // whose error repeats it, with what it may hold
	}
	if u.Host == "" || !slices.Contains(schemes, u.Scheme) {
		forms := strings.Join(schemes, "://HOST/PATH or ") + "://HOST/PATH"
		return nil, fmt.Errorf("the URL of the server is %s, not %q", strings.Replace(forms, "tcp://HOST/PATH", "tcp://HOST:PORT", 1), u.Redacted())
	}
	return u, nil
}

// isPlain reports whether a URL can only be that of a JSON-RPC service, since MCP is not spoken so.
func (s *Server) isPlain() bool {
	u, err := url.Parse(s.URL)
	return err == nil && slices.Contains([]string{"tcp", "ws", "wss"}, u.Scheme)
}

// Plain returns a function that connects to a JSON-RPC service: by HTTP, TCP or WebSocket, or to a command that is started. Its connections are
// [Conn]. Headers go to the host of the URL only. One by HTTP logs in when it has to.
func (s *Server) Plain(t Terminal, log *slog.Logger) (mcpclient.Dialer, error) {
	limits := runtime.Options{Logger: log, MaxMessage: file.Most}
	if s.URL == "" {
		return s.program(t.Err, limits), nil
	}
	u, err := Address(s.URL, "http", "https", "tcp", "ws", "wss")
	if err != nil {
		return nil, &UsageError{err}
	}
	header, err := s.Header()
	if err != nil {
		return nil, &UsageError{err}
	}
	return func(ctx context.Context, inbound runtime.Handler) (_ runtime.Conn, err error) {
		switch u.Scheme {
		case "tcp":
			return tcp.Dial(ctx, u.Host, inbound, tcp.WithOptions(limits), tcp.WithMaxFrame(file.Most))
		case "ws", "wss":
			conn, err := dialSocket(ctx, u, header)
			if err != nil {
				return nil, err
			}
			return runtime.NewSession(ctx, conn, inbound, limits), nil
		}
		o := rpchttp.ClientOptions{Header: header, MaxMessage: file.Most, Logger: log}
		if u.User == nil { // else it says who calls
			if _, o.HTTP, err = s.HTTP(t); err != nil {
				return nil, err
			}
		}
		return rpchttp.Dial(s.URL, o)
	}, nil
}

// Send calls a method of a JSON-RPC service. The params are JSON, or empty for none. The error is a [*runtime.Error] if the service answers with one.
func Send(ctx context.Context, c runtime.Conn, method string, params []byte) (result []byte, err error) {
	id, err := c.NextID(1)
	if err != nil {
		return nil, err
	}
	b := wire.AppendInt([]byte(`{"jsonrpc":"2.0","id":`), id)
	answer, err := c.Call(ctx, id, appendMethod(b, method, params))
	if err != nil {
		return nil, err
	}
	seen := wire.PeekAt(answer)
	if fault := seen.In("error"); fault.Kind() == wire.Object {
		e := &runtime.Error{HasData: fault.Has("data")}
		e.Data, _ = wire.ParseRaw(fault.In("data").JSON())
		e.Code, _ = fault.In("code").Int64()
		e.Message, _ = fault.In("message").Text()
		return nil, e
	}
	if !seen.Has("result") {
		return nil, fmt.Errorf("the answer has neither result nor error: %.120s", answer)
	}
	return seen.In("result").JSON(), nil
}

// appendMethod appends the rest of a message to what comes before its method.
func appendMethod(b []byte, method string, params []byte) []byte {
	b = wire.AppendString(append(b, `,"method":`...), method)
	if len(params) > 0 {
		b = append(append(b, `,"params":`...), params...)
	}
	return append(b, '}')
}

// Service describes a JSON-RPC service: an OpenRPC document, which for an MCP server has its lists as further members, and its methods. There are none if
// it is an MCP server.
type Service struct {
	Document []byte
	Methods  []contract.Method
}

// RunPlain calls a method of a JSON-RPC service and prints its result. The service is asked for its description if none is given. The error is as for
// [Call.Run].
func (call *Call) RunPlain(ctx context.Context, s *Server, t Terminal, known *Service) (err error) {
	var warned warnings
	log := slog.New(&warned)
	if s.Verbose {
		log = slog.New(slog.NewTextHandler(t.Err, nil))
	}
	t.clock = new(patience)
	dial, err := s.Plain(t, log)
	if err != nil {
		return err
	}
	wait, err := s.firstWait()
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stop := t.clock.end(ctx, end, wait, s.silent(wait, "a JSON-RPC service"))
	defer stop()
	conn, err := dial(ctx, nil)
	if err != nil {
		return s.explain(ctx, err, &warned)
	}
	defer func() {
		if fault := conn.(Conn).Close(); err == nil || ctx.Err() == nil {
			err = closingError(t, err, fault)
		}
	}()
	if known == nil {
		if known, err = call.discover(ctx, conn); err != nil {
			return s.explain(ctx, err, &warned)
		}
	}
	params, notification, err := call.params(known)
	if err != nil {
		return &UsageError{err}
	}
	stop()
	if call.Timeout > 0 {
		defer t.clock.end(ctx, end, call.Timeout, fmt.Errorf("there is no result after %s: give the method longer with --timeout", call.Timeout))()
	}
	if !notification {
		return s.explain(ctx, call.printResult(ctx, conn, t, params), &warned)
	}
	fmt.Fprintf(t.Err, "%s is a notification: it is sent, and has no answer\n", call.Tool)
	return s.explain(ctx, conn.Notify(ctx, appendMethod([]byte(`{"jsonrpc":"2.0"`), call.Tool, params)), &warned)
}

// printResult makes the call.
func (call *Call) printResult(ctx context.Context, conn runtime.Conn, t Terminal, params []byte) error {
	result, err := Send(ctx, conn, call.Tool, params)
	refused, ok := errors.AsType[*runtime.Error](err)
	switch {
	case err == nil:
		return printJSON(t.Out, result)
	case !ok:
		return err
	}
	fmt.Fprintf(t.Err, "error %d: %s\n", refused.Code, text.Line(refused.Message))
	if refused.HasData {
		if err := printJSON(t.Err, []byte(refused.Data.String())); err != nil {
			return err
		}
	}
	return ErrFailed
}

// discover asks a service for its description. One that has none is called with params that are JSON, and has no methods then.
func (call *Call) discover(ctx context.Context, conn runtime.Conn) (*Service, error) {
	document, err := Send(ctx, conn, "rpc.discover", nil)
	if refused, ok := errors.AsType[*runtime.Error](err); ok {
		if call.Arguments != "" {
			return &Service{}, nil
		}
		return nil, &UsageError{fmt.Errorf("the service does not describe itself: it answers rpc.discover with %w; "+
			"name its schema or OpenRPC document before the server, as in rpcgen call shop.rpc.yaml URL METHOD, or give the params as JSON by --args", refused)}
	}
	if err != nil {
		return nil, err
	}
	methods, _, err := contract.OpenRPC(document)
	if err != nil {
		return nil, fmt.Errorf("the answer to rpc.discover: %w", err)
	}
	return &Service{document, methods}, nil
}

// params returns the params of the method, which fit its schema, and whether it is a notification.
func (call *Call) params(known *Service) (params []byte, notification bool, err error) {
	given := []byte(call.Arguments)
	if err := wire.Check(given, wire.MaxDepth); call.Arguments != "" && err != nil {
		return nil, false, fmt.Errorf("--args is not JSON: %w", err)
	}
	if known.Document == nil {
		return given, false, nil
	}
	for entry := range wire.PeekAt(known.Document).In("methods").Elements() {
		name, _ := entry.In("name").Text()
		onWire, _ := entry.In("x-items").In("wire").Text()
		if (call.Tool == name || call.Tool == onWire) && entry.Has("x-items") {
			return nil, false, fmt.Errorf("%s is a stream, whose items this command does not read: write a client with rpcgen generate", call.Tool)
		}
	}
	var m *contract.Method
	var names []string
	for i := range known.Methods {
		if names = append(names, known.Methods[i].Name); names[i] == call.Tool {
			m = &known.Methods[i]
		}
	}
	if m == nil {
		return nil, false, noSuch("method", call.Tool, names)
	}
	for entry := range wire.PeekAt(known.Document).In("methods").Elements() {
		if name, ok := entry.In("name").Text(); ok && name == call.Tool {
			notification = !entry.Has("result")
		}
	}
	s := schemaOf(m.Params)
	var faults []error
	if call.Arguments == "" {
		o, wrong := collect(s, call.Words)
		given, faults = o.appendJSON(nil), append(wrong, o.missingFaults("")...)
	}
	rules, err := values.Compile(m.Params)
	if err != nil {
		return nil, false, fmt.Errorf("the schema of the params of %s: %w", call.Tool, err)
	}
	complete := faults == nil
	for _, v := range rules.Judge(given) {
		if complete || v.Keyword != "required" { // what is missing because of a fault
			one := violation.Violation{Pointer: v.Pointer, Rule: v.Keyword, Expected: v.Expected, Got: v.Got}
			faults = append(faults, errors.New(one.String()))
		}
	}
	if faults != nil {
		return nil, false, fmt.Errorf("the params of %s:\n%w", call.Tool, errors.Join(faults...))
	}
	if call.Arguments == "" && string(given) == "{}" && len(s.fields())+len(s.objects()) == 0 {
		return nil, notification, nil
	}
	if m.Positional != nil {
		given, err = inOrder(wire.PeekAt(given), m.Positional)
	}
	return given, notification, err
}

// inOrder returns an object of params as a list in the order of the names. Those that are left out are at its end.
func inOrder(object wire.Peek, names []string) ([]byte, error) {
	var all [][]byte
	for i, name := range names {
		switch one := object.In(name); {
		case one.Kind() == wire.Invalid:
		case len(all) < i:
			return nil, fmt.Errorf("%s is missing: params are sent as a list, in which %s comes after it", names[len(all)], name)
		default:
			all = append(all, one.JSON())
		}
	}
	return slices.Concat([]byte("["), bytes.Join(all, []byte(",")), []byte("]")), nil
}
