package streams

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/reconnect"
	"github.com/rpcgen-go/rpcgen/test/streams/rpc"
)

// service serves streams. The channel ended gets what the context of a handler ended with.
type service struct {
	rpc.UnimplementedServer
	ended chan error
}

func (s service) LogsTail(ctx context.Context, p rpc.LogsTailParams, out rpc.LogsTailStream) (result rpc.LogsTailResult, err error) {
	if p.File == "none" {
		return result, &rpc.NoFileError{File: p.File}
	}
	for line := range lines(p) {
		if err := out.Send(ctx, line); err != nil {
			return result, err
		}
		result.Lines++
	}
	return result, nil
}

// noting is a service that tells what its handlers return.
type noting struct{ service }

func (n noting) LogsTail(ctx context.Context, p rpc.LogsTailParams, out rpc.LogsTailStream) (result rpc.LogsTailResult, err error) {
	defer func() { n.ended <- err }()
	return n.service.LogsTail(ctx, p, out)
}

// lines are the lines of a log.
func lines(p rpc.LogsTailParams) iter.Seq[rpc.Line] {
	return func(yield func(rpc.Line) bool) {
		text := "line"
		if p.File == "long" {
			text = strings.Repeat("x", 101)
		}
		for n := range p.Most.Or(1 << 60) {
			if !yield(rpc.Line{Seq: n, Text: text}) {
				return
			}
		}
	}
}

// printTen prints ten lines of a log.
func printTen(ctx context.Context, client *rpc.Client) error {
	for line, err := range client.LogsTail(ctx, rpc.LogsTailParams{File: "a.log"}) {
		if err != nil {
			return err
		}
		fmt.Println(line.Text)
		if line.Seq == 9 {
			break // which ends the stream at the server
		}
	}
	return nil
}

func (s service) Changes(ctx context.Context, out rpc.ChangesStream) error {
	for range 9 {
		if err := out.Send(ctx, &rpc.Removed{Name: "old"}); err != nil {
			return err
		}
	}
	return out.Send(ctx, &rpc.Added{Name: "new"})
}

func (s service) NumsSubscribe(ctx context.Context, p rpc.NumsSubscribeParams, out rpc.NumsSubscribeStream) error {
	defer func() { s.ended <- context.Cause(ctx) }() // also if it ends before it is sent all
	for n := range uint64(p.Count) {
		if err := out.Send(ctx, n); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

func (s service) Points(ctx context.Context, out rpc.PointsStream) error {
	if err := out.Open(); err != nil {
		return err
	}
	return out.Send(ctx, rpc.PointsItem{X: 1, Y: runtime.Some(2.0)})
}

// echoed asks the client for a stream.
func (s service) Echoed(ctx context.Context) (rpc.EchoedResult, error) {
	var result rpc.EchoedResult
	for text, err := range rpc.NewCallbackClient(runtime.PeerFrom(ctx)).Echo(ctx) {
		if err != nil {
			return result, err
		}
		result.Text += text
	}
	return result, nil
}

// callbacks serve the streams of a client.
type callbacks struct{ rpc.UnimplementedCallbacks }

func (callbacks) Echo(ctx context.Context, out rpc.EchoStream) error {
	for _, text := range []string{"a", "b", "c"} {
		if err := out.Send(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

func (s service) Count(context.Context) (rpc.CountResult, error) { return rpc.CountResult{N: 7}, nil }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// serve serves streams over TCP.
func serve(t *testing.T) (s service, dial func() *runtime.Session) {
	s, _, dial = serveAt(t)
	return s, dial
}

// serveAt is serve, with the address.
func serveAt(t *testing.T) (s service, address string, dial func() *runtime.Session) {
	t.Helper()
	s = service{ended: make(chan error, 1000)}
	address, dial = serveOf(t, noting{s})
	return s, address, dial
}

// serveOf serves streams of a server over TCP.
func serveOf(t *testing.T, server rpc.Server) (address string, dial func() *runtime.Session) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		served <- tcp.Serve(ctx, l, rpc.NewHandler(server), tcp.WithOptions(runtime.Options{Logger: quiet}))
	}()
	t.Cleanup(func() { stop(); <-served })
	return l.Addr().String(), func() *runtime.Session {
		t.Helper()
		conn, err := tcp.Dial(t.Context(), l.Addr().String(), rpc.NewCallbackHandler(callbacks{}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
}

// TestByRequest: the items come in their order, then the result.
func TestByRequest(t *testing.T) {
	_, dial := serve(t)
	client := rpc.NewClient(dial())
	next := uint64(0)
	tail := client.OpenLogsTail(t.Context(), rpc.LogsTailParams{File: "a", Most: runtime.Some[uint64](200)})
	for line, err := range tail.All() {
		if err != nil || line.Seq != next || line.Text != "line" {
			t.Fatal(line, err)
		}
		next++
	}
	if result, err := tail.Result(); err != nil || result.Lines != 200 || next != 200 {
		t.Error(result, err, next)
	}
	if err := printTen(t.Context(), client); err != nil {
		t.Error(err)
	}
	for line, err := range client.LogsTail(t.Context(), rpc.LogsTailParams{File: "none"}) {
		if declared, ok := errors.AsType[*rpc.NoFileError](err); !ok || declared.File != "none" {
			t.Error(line, err)
		}
	}
	changes := client.OpenChanges(t.Context())
	var last rpc.Change
	for change, err := range changes.All() {
		if last = change; err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := last.(*rpc.Added); !ok {
		t.Errorf("%T", last)
	}
}

// TestEnd: who leaves a loop ends the stream at the server, in both forms.
func TestEnd(t *testing.T) {
	s, dial := serve(t)
	client := rpc.NewClient(dial())
	for line, err := range client.LogsTail(t.Context(), rpc.LogsTailParams{File: "a"}) {
		if err != nil {
			t.Fatal(err)
		}
		if line.Seq == 10 {
			break
		}
	}
	if err := <-s.ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for n, err := range client.NumsSubscribe(t.Context(), rpc.NumsSubscribeParams{Count: 3}) {
		if err != nil {
			t.Fatal(err)
		}
		if n == 2 {
			break
		}
	}
	if err := <-s.ended; err == nil || err.Error() != "the peer has ended the stream" {
		t.Error(err)
	}
	for point, err := range client.Points(t.Context()) {
		if err != nil || point.X != 1 || point.Y.Or(0) != 2 {
			t.Error(point, err)
		}
		break
	}
}

// TestMany: no item of many streams at once is lost, and each has its own in order.
func TestMany(t *testing.T) {
	_, dial := serve(t)
	client := rpc.NewClient(dial())
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			next := uint64(0)
			for n, err := range client.NumsSubscribe(t.Context(), rpc.NumsSubscribeParams{Count: 20}) {
				if err != nil || n != next {
					t.Error(n, next, err)
					return
				}
				if next++; next == 20 {
					break
				}
			}
		})
	}
	all.Wait()
}

// TestBack: a server reads a stream of its client.
func TestBack(t *testing.T) {
	_, dial := serve(t)
	if result, err := rpc.NewClient(dial()).Echoed(t.Context()); err != nil || result.Text != "abc" {
		t.Error(result, err)
	}
}

// TestReconnect: a stream is opened on the next session, and has ended when its session has.
func TestReconnect(t *testing.T) {
	_, address, _ := serveAt(t)
	sessions := make(chan *runtime.Session, 2)
	conn, err := reconnect.Dial(t.Context(), func(ctx context.Context) (*runtime.Session, error) {
		s, err := tcp.Dial(ctx, address, nil)
		sessions <- s
		return s, err
	}, reconnect.Options{MinDelay: time.Millisecond, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := rpc.NewClient(conn)
	var last error
	for n, err := range client.NumsSubscribe(t.Context(), rpc.NumsSubscribeParams{Count: 3}) {
		if last = err; err == nil && n == 2 {
			(<-sessions).Close()
		}
	}
	if !errors.Is(last, runtime.ErrClosed) {
		t.Error(last)
	}
	for line, err := range client.LogsTail(t.Context(), rpc.LogsTailParams{File: "a", Most: runtime.Some[uint64](1)}) {
		if err != nil {
			t.Error(line, err)
		}
	}
}

// TestSlow: a loop that sleeps stops nothing else, and learns that its stream has ended.
func TestSlow(t *testing.T) {
	s, dial := serve(t)
	client := rpc.NewClient(dial())
	slow := client.OpenLogsTail(t.Context(), rpc.LogsTailParams{File: "a"})
	for range 1000 {
		if result, err := client.Count(t.Context()); err != nil || result.N != 7 {
			t.Fatal(result, err)
		}
	}
	<-s.ended
	got := 0
	for _, err := range slow.All() {
		if err != nil {
			if !errors.Is(err, runtime.ErrSlowReader) {
				t.Error(err)
			}
			break
		}
		got++
	}
	if got != 256 {
		t.Error(got)
	}
}

// TestBadItem: an item that breaks the schema is an error of the handler, and is not sent.
func TestBadItem(t *testing.T) {
	s, dial := serve(t)
	client := rpc.NewClient(dial())
	for line, err := range client.LogsTail(t.Context(), rpc.LogsTailParams{File: "long"}) {
		if err == nil {
			t.Error(line)
		}
	}
	if err := <-s.ended; err == nil || !strings.Contains(err.Error(), "/text") {
		t.Error(err)
	}
}

// TestInBatch: a stream is refused in a batch, with a sentence.
func TestInBatch(t *testing.T) {
	_, dial := serve(t)
	conn := dial()
	first, err := conn.NextID(2)
	if err != nil || first != 1 {
		t.Fatal(first, err)
	}
	replies, err := conn.CallBatch(t.Context(), first, 2, []byte(`[{"jsonrpc":"2.0","id":1,"method":"changes"},{"jsonrpc":"2.0","id":2,"method":"count"}]`))
	if err != nil || !strings.Contains(string(replies[0]), "is not part of a batch") || !strings.Contains(string(replies[1]), `"n":7`) {
		t.Error(string(replies[0]), string(replies[1]), err)
	}
}

// TestOfAnother: a session cannot end the streams of another one.
func TestOfAnother(t *testing.T) {
	s, dial := serve(t)
	one, other := dial(), dial()
	end := func(conn *runtime.Session, id string) string {
		n, err := conn.NextID(1)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := conn.Call(t.Context(), n, []byte(`{"jsonrpc":"2.0","method":"nums_unsubscribe","params":[`+id+`],"id":`+string(rune('0'+n))+`}`))
		if err != nil {
			t.Fatal(err)
		}
		return string(reply)
	}
	n, err := one.NextID(1)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := one.Call(t.Context(), n, []byte(`{"jsonrpc":"2.0","id":1,"method":"nums_subscribe","params":["numbers",1]}`))
	if err != nil {
		t.Fatal(err)
	}
	_, id, _ := strings.Cut(strings.TrimSuffix(string(reply), "}"), `"result":`)
	if got := end(other, id); !strings.Contains(got, `"result":false`) {
		t.Error(got)
	}
	if got := end(one, id); !strings.Contains(got, `"result":true`) {
		t.Error(got)
	}
	<-s.ended
}
