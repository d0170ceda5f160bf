package natsrpc

import (
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/test/port"
)

func TestMain(m *testing.M) { leak.Main(m) }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

const (
	subject  = "weather"
	patience = time.Minute // for events that take no time on an idle machine
)

// site is a NATS server under test.
type site struct {
	t    testing.TB
	o    *server.Options
	nats *server.Server
}

// newSite starts a NATS server that is stopped at the end of the test.
func newSite(t testing.TB, change ...func(*server.Options)) *site {
	t.Helper()
	s := &site{t: t, o: &server.Options{Host: "127.0.0.1", Port: port.Free(), NoLog: true, NoSigs: true}}
	for _, f := range change {
		f(s.o)
	}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *site) start() {
	s.t.Helper()
	var err error
	if s.nats, err = server.NewServer(s.o); err != nil {
		s.t.Fatal(err)
	}
	s.nats.Start()
	if !s.nats.ReadyForConnections(patience) {
		s.t.Fatal("the NATS server does not start")
	}
}

func (s *site) stop() {
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
}

// connect returns a connection that is closed at the end of the test.
func (s *site) connect(opts ...nats.Option) *nats.Conn {
	s.t.Helper()
	nc, err := nats.Connect(s.nats.ClientURL(), append([]nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(20 * time.Millisecond), nats.Timeout(patience), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, opts...)...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(nc.Close)
	return nc
}

// serve serves h over a connection of its own.
func (s *site) serve(h runtime.Handler, o Options) *Server {
	s.t.Helper()
	if o.Subject == "" {
		o.Subject = subject
	}
	o.Runtime.Logger = quiet
	started, err := Start(s.t.Context(), s.connect(), h, o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { started.Close() })
	return started
}

// dial returns a connection to what is served, over a connection of its own.
func (s *site) dial(h runtime.Handler, o ClientOptions) *Conn {
	s.t.Helper()
	o.Runtime.Logger = quiet
	c, err := Dial(s.connect(), subject, h, o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return c
}

// client returns a client of what is served.
func (s *site) client(o ClientOptions) *weather.Client { return weather.NewClient(s.dial(nil, o)) }
