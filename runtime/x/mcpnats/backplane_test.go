package mcpnats

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster/backplanetest"
	"github.com/rpcgen-go/rpcgen/test/await"
	"github.com/rpcgen-go/rpcgen/test/port"
)

func TestMain(m *testing.M) { leak.Main(m) }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

const patience = time.Minute // for events that take no time on an idle machine

// site is a NATS server with JetStream under test.
type site struct {
	t    testing.TB
	o    *server.Options
	nats *server.Server

	connections []*nats.Conn

	mu      sync.Mutex
	refused map[*nats.Conn]int // how often each connection was refused since the login changed
}

func newSite(t testing.TB, change ...func(*server.Options)) *site {
	t.Helper()
	s := &site{t: t, refused: map[*nats.Conn]int{}, o: &server.Options{Host: "127.0.0.1", Port: port.Free(), NoLog: true, NoSigs: true, JetStream: true, StoreDir: t.TempDir()}}
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
func (s *site) connect(o ...nats.Option) *nats.Conn {
	s.t.Helper()
	nc, err := nats.Connect(s.nats.ClientURL(), append([]nats.Option{
		nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(), nats.ReconnectWait(20 * time.Millisecond), nats.ReconnectBufSize(-1), nats.Timeout(patience),
		nats.ErrorHandler(func(nc *nats.Conn, _ *nats.Subscription, err error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if errors.Is(err, nats.ErrAuthorization) {
				s.refused[nc]++
			}
		}),
	}, o...)...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.connections = append(s.connections, nc)
	s.t.Cleanup(nc.Close)
	return nc
}

// within returns a context for calls that succeed: without a deadline, NATS has 5 seconds to answer.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// backplane returns a backplane over a connection of its own.
func (s *site) backplane(o Options) *Backplane {
	s.t.Helper()
	o.Logger = quiet
	b, err := New(within(s.t), s.connect(), o)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

func TestContract(t *testing.T) {
	backplanetest.Run(t, func(t testing.TB, replicas int) (all []mcpcluster.Backplane) {
		s := newSite(t)
		for range replicas {
			all = append(all, s.backplane(Options{interval: time.Second}))
		}
		return all
	})
}

// sessionsAway: while NATS is away the backplane is not ready, and each use fails at once; afterwards everything is there, and replicas learn that
// they may have missed messages.
func sessionsAway(t *testing.T) {
	s := newSite(t)
	b := s.backplane(Options{interval: 100 * time.Millisecond})
	missed, begun := make(chan struct{}, 10), make(chan struct{}, 1)
	leave, err := b.Join(mcpcluster.Replica{
		Name: "home", Heard: func([]byte) {}, Missed: func() { missed <- struct{}{} },
		Answer: func(ctx context.Context, _ []byte, _ func([]byte, bool) error) {
			begun <- struct{}{}
			<-ctx.Done()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	revision, err := b.Save(within(t), "session", []byte("one"), 0, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan error, 1)
	go func() { asked <- b.Ask(context.Background(), "home", nil, func([]byte) error { return nil }) }()
	<-begun
	s.stop()
	await.Until(t, "NATS is away", func() bool { return b.Ready() != nil })
	start := time.Now()
	told := b.Tell([]byte("nothing"))
	_, _, loaded := b.Load(within(t), "session")
	_, saved := b.Save(within(t), "session", []byte("two"), revision, time.Minute)
	for _, err := range []error{b.Ready(), told, loaded, saved, b.Delete(within(t), "session", revision), b.Ask(within(t), "home", nil, nil)} {
		if !errors.Is(err, ErrDisconnected) {
			t.Errorf("got %v", err)
		}
	}
	if took := time.Since(start); took > patience/2 {
		t.Errorf("it took %s", took)
	}
	if err := <-asked; !errors.Is(err, mcpcluster.ErrLost) {
		t.Errorf("got %v", err)
	}
	s.start()
	select {
	case <-missed:
	case <-time.After(patience):
		t.Fatal("the replica did not learn of it")
	}
	await.Until(t, "the record is there, and JetStream is ready", func() bool {
		text, r, err := b.Load(within(t), "session")
		if err == nil && (string(text) != "one" || r != revision) {
			t.Errorf("got %q of %d", text, r)
		}
		return err == nil
	})
}

// sessionsFull: when there is no room for more records, sessions that are there can be saved as often as they like, but not with more; others cannot begin.
func sessionsFull(t *testing.T) {
	s := newSite(t)
	b := s.backplane(Options{MaxBytes: 20 << 10})
	revisions, record := map[string]uint64{}, make([]byte, 400)
	var err error
	for i := 0; err == nil && i < 100; i++ {
		id := "s" + strconv.Itoa(i)
		var revision uint64
		if revision, err = b.Save(within(t), id, record, 0, time.Minute); err == nil {
			revisions[id] = revision
		}
	}
	if !errors.Is(err, errFull) || len(revisions) < 10 {
		t.Fatalf("%d records: %v", len(revisions), err)
	}
	for range 20 {
		for id, revision := range revisions {
			if revisions[id], err = b.Save(within(t), id, record, revision, time.Minute); err != nil {
				t.Fatalf("%s: %v", id, err)
			}
		}
	}
	if _, err := b.Save(within(t), "s0", make([]byte, 1<<10), revisions["s0"], time.Minute); !errors.Is(err, errFull) {
		t.Errorf("a longer record: got %v", err)
	}
	for id, revision := range revisions {
		if err := b.Delete(within(t), id, revision); err != nil {
			t.Fatal(id, err)
		}
	}
}

// sessionExpired: what is left of an expired record does not keep its home from saving it anew.
func sessionExpired(t *testing.T) {
	b := newSite(t).backplane(Options{})
	if _, err := b.Save(within(t), "session", nil, 0, time.Second); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the record has expired", func() bool {
		_, _, err := b.Load(within(t), "session")
		return errors.Is(err, mcpcluster.ErrNoRecord)
	})
	revision, err := b.Save(within(t), "session", nil, 0, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Delete(within(t), "session", revision); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Save(within(t), "session", nil, 0, time.Minute); !errors.Is(err, mcpcluster.ErrConflict) {
		t.Errorf("a session that was deleted: got %v", err)
	}
}

// TestSettings: the log says what differs between a bucket and the options.
func TestSettings(t *testing.T) {
	s := newSite(t)
	s.backplane(Options{MaxBytes: 1 << 20})
	for _, c := range []struct {
		o    Options
		told bool
	}{{Options{}, false}, {Options{MaxBytes: 1 << 20, Copies: 1}, false}, {Options{MaxBytes: 2 << 20}, true}, {Options{Copies: 3}, true}, {Options{InMemory: true}, true}} {
		var log bytes.Buffer
		c.o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		if _, err := New(within(t), s.connect(), c.o); err != nil || strings.Contains(log.String(), "maxBytes=1048576") != c.told {
			t.Errorf("%+v: %v, %q", c.o, err, log.String())
		}
	}
}

// TestNew: what cannot work is an error at the start.
func TestNew(t *testing.T) {
	s := newSite(t, func(o *server.Options) { o.JetStream = false })
	if _, err := New(within(t), s.connect(), Options{}); !errors.Is(err, errNoJetStream) {
		t.Errorf("got %v", err)
	}
	if _, err := New(within(t), s.connect(), Options{Name: "a.b"}); err == nil || !strings.Contains(err.Error(), "Options.Name") {
		t.Errorf("got %v", err)
	}
	nc := s.connect()
	nc.Close()
	if _, err := New(within(t), nc, Options{}); !errors.Is(err, ErrDisconnected) {
		t.Errorf("got %v", err)
	}
}

// TestSize: the storage of an idle session is small, and nothing is left of one that was deleted.
func TestSize(t *testing.T) {
	s := newSite(t)
	b := s.backplane(Options{})
	const n = 1000
	record := []byte(`{"v":1,"home":"ABCDEFGHIJKLMNOPQRSTUVWXYZ","principal":"someone@example.com","state":{"revision":"2025-11-25","name":"client","version":"1.0.0",` +
		`"capabilities":{"elicitation":{},"sampling":{},"roots":{"listChanged":true}},"level":"info","tools":true,"prompts":true,"resources":true}}`)
	for i := range n {
		if _, err := b.Save(within(t), "session"+string(rune('a'+i%26))+strings.Repeat("x", 1+i/26), record, 0, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	status, err := b.records.kv.Status(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if each := status.Bytes() / n; each > 4<<10 {
		t.Errorf("a record takes %d bytes", each)
	} else {
		t.Logf("a record takes %d bytes", each)
	}
	if have, err := b.Records(within(t)); err != nil || have != n {
		t.Errorf("there are %d records, %v", have, err)
	}
}

// sessionsLost: a bucket that is lost is made again by the next use, and one that was made elsewhere is changed so that records expire and are read where they are written.
func sessionsLost(t *testing.T) {
	s := newSite(t)
	js, err := jetstream.New(s.connect())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateKeyValue(within(t), jetstream.KeyValueConfig{Bucket: "mcp_sessions"}); err != nil {
		t.Fatal(err)
	}
	b := s.backplane(Options{})
	save := func(id string) {
		t.Helper()
		if _, err := b.Save(within(t), id, []byte("record"), 0, time.Minute); err != nil {
			t.Errorf("%s is not saved: %v", id, err)
		}
		if text, _, err := b.Load(within(t), id); err != nil || string(text) != "record" {
			t.Errorf("%s is %q, %v", id, text, err)
		}
	}
	save("before")
	for _, use := range []struct {
		name string
		call func() error
	}{
		{"Save", func() error { save("after"); return nil }},
		{"Load", func() error {
			_, _, err := b.Load(within(t), "before")
			return err
		}},
		{"Records", func() error {
			_, err := b.Records(within(t))
			return err
		}},
	} {
		if err := js.DeleteKeyValue(within(t), "mcp_sessions"); err != nil {
			t.Fatal(err)
		}
		if err := use.call(); err != nil && !errors.Is(err, mcpcluster.ErrNoRecord) || b.Ready() != nil {
			t.Errorf("%s: %v, and the replica is %v", use.name, err, b.Ready())
		}
		save("after-" + use.name) // a bucket that was just deleted may still have its old keys
		readsWhatIsWritten(t, js, "KV_mcp_sessions")
	}
}

// readsWhatIsWritten checks that replicas do not read copies that lag, and that keys expire.
func readsWhatIsWritten(t *testing.T, js jetstream.JetStream, bucket string) {
	t.Helper()
	stream, err := js.Stream(within(t), bucket)
	if err != nil {
		t.Fatal(err)
	}
	if c := stream.CachedInfo().Config; c.AllowDirect || !c.AllowMsgTTL {
		t.Errorf("%s: direct reads %t, times to live %t", bucket, c.AllowDirect, c.AllowMsgTTL)
	}
}

// TestLongNames: what comes from others and is not a name, or is too long for a line of NATS, does not reach NATS, which would close the connection for
// ever.
func TestLongNames(t *testing.T) {
	s := newSite(t)
	b, stranger := s.backplane(Options{}), s.connect()
	answering(t, b, 1, 2*maxWaiting) // it waits for its reader, with a subject of its own in the line
	long := strings.Repeat("x", 5000)
	if err := b.Ask(within(t), long, nil, nil); !errors.Is(err, mcpcluster.ErrNoReplica) {
		t.Errorf("a home that is not a name: got %v", err)
	}
	const most = 4096 // bytes of a line
	for _, m := range []*nats.Msg{
		{Subject: b.inbox + "1", Header: nats.Header{partHeader: {"0"}, fromHeader: {long}}},
		{Subject: b.inbox + "1", Header: nats.Header{partHeader: {"0"}, fromHeader: {"a b"}}},
		{Subject: b.o.Name + ".ask.home", Reply: long[:most-30], Header: nats.Header{saysHeader: {"1"}}},
	} {
		if err := stranger.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(stranger.FlushTimeout(patience), b.nc.FlushTimeout(patience)); err != nil {
		t.Fatal(err)
	}
	asked := func() error {
		return b.Ask(within(t), "home", nil, func([]byte) error { return nil })
	}
	if err := asked(); err != nil {
		t.Error(err)
	}
	if err := b.nc.FlushTimeout(patience); err != nil || b.nc.IsClosed() || b.nc.Stats().Reconnects > 0 {
		t.Errorf("the connection was lost: %v, %v", err, b.nc.LastError())
	}
}
