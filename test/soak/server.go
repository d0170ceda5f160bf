package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/test/soak/pairs"
)

var quiet = slog.New(slog.DiscardHandler)

// faults are the errors that the server logs: nothing that clients do may be one.
type faults struct {
	slog.Handler
	n atomic.Int64
}

// Handle implements [slog.Handler].
func (f *faults) Handle(ctx context.Context, r slog.Record) error {
	f.n.Add(1)
	return f.Handler.Handle(ctx, r)
}

// box serves what the schema of test/toolbox declares, as far as the load needs it.
type box struct{ toolbox.UnimplementedServer }

// SearchItems finds one item, whose name is what was looked for.
func (box) SearchItems(ctx context.Context, in toolbox.SearchItemsInput) (toolbox.SearchItemsOutput, error) {
	if len(in.Query)%5 == 0 {
		mcp.Progress(ctx, 1, 1, in.Query)
	}
	return toolbox.SearchItemsOutput{Items: []toolbox.Item{{Sku: "ABC-0001", Name: in.Query, Cents: int64(len(in.Query))}}}, nil
}

// PlaceOrder asks the user.
func (box) PlaceOrder(ctx context.Context, in toolbox.PlaceOrderInput) (toolbox.PlaceOrderOutput, error) {
	form, err := toolbox.AskPlaceOrderConfirm(ctx, in)
	if err != nil {
		return toolbox.PlaceOrderOutput{}, err
	}
	return toolbox.PlaceOrderOutput{OrderID: orderID(in, form)}, nil
}

// orderID is what an order is answered with.
func orderID(in toolbox.PlaceOrderInput, form toolbox.PlaceOrderConfirmForm) string {
	return fmt.Sprintf("%s-%d-%v-%s", in.Sku, in.Count, form.Ok, form.Note)
}

// CancelAll takes longer than anybody waits.
func (box) CancelAll(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Minute):
		return errors.New("nobody has cancelled this")
	}
}

// ReadItem reads an item.
func (box) ReadItem(_ context.Context, p toolbox.ItemParams) (toolbox.Item, error) {
	return toolbox.Item{Sku: p.Sku, Name: "item " + string(p.Sku)}, nil
}

// servers are one server, on all transports.
type servers struct {
	mcp      *mcp.Server
	handler  *mcphttp.Handler
	tcp, web string // addresses
	sessions atomic.Int64
	log      *slog.Logger
	faults   faults
	stop     context.CancelFunc
	ended    chan error
}

// limits are short enough for a load of a minute to meet them, and long enough for those who keep them on a busy machine.
const (
	patience = 10 * time.Second // for questions
	short    = 2 * time.Second
)

func serve() (*servers, error) {
	s := &servers{ended: make(chan error, 2)}
	s.faults.Handler = slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})
	s.log = slog.New(&s.faults)
	s.mcp = toolbox.NewServer(box{}, mcp.Options{Logger: s.log, QuestionTimeout: patience, OnSession: func(mcp.Caller) func() {
		s.sessions.Add(1)
		return func() { s.sessions.Add(-1) }
	}})
	o := s.options()
	s.handler = mcphttp.NewHandler(s.mcp, mcphttp.Options{
		Runtime: o, SessionIdle: short, BodyTimeout: short, WriteTimeout: short, KeepAlive: short, MaxSessionsPerClient: 200,
	})
	stream, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return nil, err
	}
	web, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		stream.Close()
		return nil, err
	}
	s.tcp, s.web = stream.Addr().String(), web.Addr().String()
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go func() {
		s.ended <- tcp.Serve(ctx, stream, s.mcp, tcp.WithOptions(o), tcp.WithFirstTimeout(short), tcp.WithMessageTimeout(short), tcp.WithWriteTimeout(short))
	}()
	go func() { s.ended <- mcphttp.Serve(ctx, web, "/mcp", s.handler) }()
	return s, nil
}

// options are those of sessions.
func (s *servers) options() runtime.Options {
	return runtime.Options{Logger: s.log, StallTimeout: short, DrainTimeout: short}
}

// close ends serving.
func (s *servers) close() error {
	s.stop()
	for range 2 {
		if err := <-s.ended; !errors.Is(err, context.Canceled) {
			return fmt.Errorf("serving ended with %v", err)
		}
	}
	if n := s.sessions.Load(); n != 0 {
		return fmt.Errorf("%d sessions are left of a server that is closed", n)
	}
	return nil
}

// way is a transport and an era.
type way struct {
	name string
	era  mcp.Era
	open func() (dial mcpclient.Dialer, done func()) // for one client
}

// ways returns all of them.
func (s *servers) ways() []way {
	o := runtime.Options{Logger: quiet}
	dialers := map[string]mcpclient.Dialer{
		"pipe": mcpclient.InMemory(s.mcp),
		"stdio": func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
			return s.streams(context.WithoutCancel(ctx), inbound), nil
		},
		"tcp": func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
			return tcp.Dial(context.WithoutCancel(ctx), s.tcp, inbound, tcp.WithOptions(o))
		},
	}
	var all []way
	for _, name := range []string{"pipe", "stdio", "tcp", "http"} {
		for _, era := range []mcp.Era{mcp.Stateless, mcp.Handshake} {
			open := func() (mcpclient.Dialer, func()) { return dialers[name], func() {} }
			if name == "http" {
				open = s.openHTTP
			}
			all = append(all, way{name + " " + era.String(), era, open})
		}
	}
	return all
}

// openHTTP returns a dialer with connections of its own: a request that is cancelled may take along another one on its connection, and those
// of one client are not those of others.
func (s *servers) openHTTP() (mcpclient.Dialer, func()) {
	pool := &http.Transport{}
	return mcphttp.Dial("http://"+s.web+"/mcp", mcphttp.ClientOptions{HTTP: &http.Client{Transport: pool},
		Runtime: runtime.Options{Logger: quiet}}), pool.CloseIdleConnections
}

// streams connects a client to the server as standard input and output would.
func (s *servers) streams(ctx context.Context, inbound runtime.Handler) *runtime.Session {
	near, far := pairs.Streams()
	runtime.NewSession(ctx, far, s.mcp, s.options())
	return runtime.NewSession(ctx, near, inbound, runtime.Options{Logger: quiet})
}
