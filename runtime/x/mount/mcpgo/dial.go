package mcpgo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shared"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// Dial returns a Dialer for a server of mcp-go in the same program. Every connection is a session of the server, which ends with the connection.
func Dial(s *server.MCPServer) mcpclient.Dialer {
	return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
		near, far := pipe.New(0)
		one := &session{
			id: "rpcgen-" + strconv.FormatInt(sessions.Add(1), 10), conn: far, server: s,
			notifications: make(chan sdk.JSONRPCNotification, 100), flush: make(chan chan struct{}),
		}
		if err := s.RegisterSession(ctx, one); err != nil {
			stop()
			return nil, err
		}
		c := &connection{Session: runtime.NewSession(ctx, near, inbound, runtime.Options{}), stop: stop}
		c.serving.Go(func() {
			defer s.UnregisterSession(context.WithoutCancel(ctx), one.id)
			one.serve(s.WithContext(ctx, one))
		})
		return c, nil
	}
}

var sessions atomic.Int64

// connection is a session of a client with the session of the server.
type connection struct {
	*runtime.Session
	stop    context.CancelFunc
	serving sync.WaitGroup
}

// Close closes both ends and waits for their calls.
func (c *connection) Close() error {
	c.Session.Close()
	err := c.Session.Wait()
	c.stop()
	c.serving.Wait()
	return err
}

// session is a session of a server of mcp-go.
type session struct {
	id            string
	conn          frame.Conn
	server        *server.MCPServer
	notifications chan sdk.JSONRPCNotification
	flush         chan chan struct{} // closes what it gets when all notifications are written
	initialized   atomic.Bool
	last          atomic.Int64 // the last id of a request to the client

	level        atomicValue[sdk.LoggingLevel]
	info         atomicValue[sdk.Implementation]
	capabilities atomicValue[sdk.ClientCapabilities]
	revision     atomicValue[string]

	pending shared.Map[string, chan answer]        // requests to the client, by [wire.IDKey]
	running shared.Map[string, context.CancelFunc] // requests of the client, by [wire.IDKey]
}

// atomicValue is a value that several goroutines get and set.
type atomicValue[T any] struct{ atomic.Pointer[T] }

// get returns the value, which is zero before it is set.
func (g *atomicValue[T]) get() (v T) {
	if p := g.Load(); p != nil {
		v = *p
	}
	return v
}

// answer is what the client answers.
type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// serve handles messages until the connection is closed.
func (s *session) serve(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer stop()
	working.Go(func() { s.notify(ctx) })
	for {
		text, err := s.conn.ReadFrame()
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				RequestID json.RawMessage `json:"requestId"`
			} `json:"params"`
			answer
		}
		if json.Unmarshal(text, &m) != nil {
			continue // the client has written it: it is a message
		}
		switch {
		case m.Method == "":
			key := wire.IDKey(string(m.ID))
			if waiting := s.pending.Get(key); waiting != nil {
				s.pending.Delete(key)
				waiting <- m.answer
			}
		case m.ID == nil:
			if m.Method == "notifications/cancelled" {
				if cancel := s.running.Get(wire.IDKey(string(m.Params.RequestID))); cancel != nil {
					cancel()
				}
			}
			s.server.HandleMessage(ctx, text)
		case m.Method == "initialize":
			s.handle(ctx, m.ID, text) // before the messages that follow it
		default:
			ctx, cancel := context.WithCancel(ctx)
			key := wire.IDKey(string(m.ID))
			s.running.Set(key, cancel)
			working.Go(func() {
				defer cancel()
				s.handle(ctx, m.ID, text)
				s.running.Delete(key)
			})
		}
	}
}

// notify writes notifications in their order.
func (s *session) notify(ctx context.Context) {
	for {
		select {
		case n := <-s.notifications:
			_ = s.write(n)
		case written := <-s.flush:
			for len(s.notifications) > 0 {
				_ = s.write(<-s.notifications)
			}
			close(written)
		case <-ctx.Done():
			return
		}
	}
}

// handle answers a request. What was notified before the answer is written before it. What cannot be written as JSON, such as an entry with a schema that is
// none, is an error for the client, which would wait otherwise.
func (s *session) handle(ctx context.Context, id json.RawMessage, text []byte) {
	answer := s.server.HandleMessage(ctx, text)
	if answer == nil {
		return
	}
	written := make(chan struct{})
	select {
	case s.flush <- written:
		<-written
	case <-ctx.Done():
	}
	if err := s.write(answer); err != nil {
		failure := map[string]any{"code": runtime.CodeInternalError, "message": "Internal error: " + err.Error()}
		_ = s.write(map[string]any{"jsonrpc": "2.0", "id": id, "error": failure})
	}
}

func (s *session) write(message any) error {
	b, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return s.conn.WriteFrame(b)
}

// ask sends a request to the client and waits for its answer.
func ask[R any](ctx context.Context, s *session, method string, params any) (*R, error) {
	id := s.last.Add(1)
	key := strconv.FormatInt(id, 10)
	answered := make(chan answer, 1)
	s.pending.Set(key, answered)
	defer s.pending.Delete(key)
	err := s.write(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	select {
	case a := <-answered:
		if a.Error != nil {
			return nil, fmt.Errorf("%s (code %d)", a.Error.Message, a.Error.Code)
		}
		result := new(R)
		return result, json.Unmarshal(a.Result, result)
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), s.write(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id}}))
	}
}

// RequestElicitation implements server.SessionWithElicitation.
func (s *session) RequestElicitation(ctx context.Context, r sdk.ElicitationRequest) (*sdk.ElicitationResult, error) {
	return ask[sdk.ElicitationResult](ctx, s, "elicitation/create", r.Params)
}

// RequestSampling implements server.SessionWithSampling.
func (s *session) RequestSampling(ctx context.Context, r sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
	return ask[sdk.CreateMessageResult](ctx, s, "sampling/createMessage", r.CreateMessageParams)
}

// ListRoots implements server.SessionWithRoots.
func (s *session) ListRoots(ctx context.Context, _ sdk.ListRootsRequest) (*sdk.ListRootsResult, error) {
	return ask[sdk.ListRootsResult](ctx, s, "roots/list", struct{}{})
}

// SessionID implements server.ClientSession.
func (s *session) SessionID() string { return s.id }

// NotificationChannel implements server.ClientSession.
func (s *session) NotificationChannel() chan<- sdk.JSONRPCNotification { return s.notifications }

// Initialize implements server.ClientSession.
func (s *session) Initialize() { s.initialized.Store(true) }

// Initialized implements server.ClientSession.
func (s *session) Initialized() bool { return s.initialized.Load() }

// SetLogLevel implements server.SessionWithLogging.
func (s *session) SetLogLevel(level sdk.LoggingLevel) { s.level.Store(&level) }

// GetLogLevel implements server.SessionWithLogging.
func (s *session) GetLogLevel() sdk.LoggingLevel { return cmp.Or(s.level.get(), sdk.LoggingLevelError) }

// GetClientInfo implements server.SessionWithClientInfo.
func (s *session) GetClientInfo() sdk.Implementation { return s.info.get() }

// SetClientInfo implements server.SessionWithClientInfo.
func (s *session) SetClientInfo(info sdk.Implementation) { s.info.Store(&info) }

// GetClientCapabilities implements server.SessionWithClientInfo.
func (s *session) GetClientCapabilities() sdk.ClientCapabilities { return s.capabilities.get() }

// SetClientCapabilities implements server.SessionWithClientInfo.
func (s *session) SetClientCapabilities(c sdk.ClientCapabilities) { s.capabilities.Store(&c) }

// ProtocolVersion implements server.SessionWithProtocolVersion.
func (s *session) ProtocolVersion() string { return s.revision.get() }

// SetProtocolVersion keeps the revision that initialize has chosen.
func (s *session) SetProtocolVersion(revision string) { s.revision.Store(&revision) }

var (
	_ server.SessionWithLogging         = (*session)(nil)
	_ server.SessionWithClientInfo      = (*session)(nil)
	_ server.SessionWithSampling        = (*session)(nil)
	_ server.SessionWithElicitation     = (*session)(nil)
	_ server.SessionWithRoots           = (*session)(nil)
	_ server.SessionWithProtocolVersion = (*session)(nil)
)
