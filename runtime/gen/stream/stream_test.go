package stream_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	goruntime "runtime"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/stream"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// forms are the ways in which the streams of these tests travel.
var forms = map[string]*stream.Form{
	"request": {Method: "rpc.item", ID: "id", Item: "item", End: "rpc.cancel", EndID: "id"},
	"id":      {Method: "count_subscription", ID: "subscription", Item: "item", First: true, End: "count_unsubscribe"},
}

// counter serves a stream of numbers, and the method that ends it.
type counter struct {
	form  *stream.Form
	count func(ctx context.Context, send func(n int) error) error
}

func (h *counter) Hooks() runtime.Hooks { return runtime.Hooks{} }
func (h *counter) Protocol() runtime.Protocol {
	return runtime.Protocol{Batch: true, CancelMethod: "rpc.cancel", CancelID: "id"}
}
func (h *counter) Condition(runtime.Condition) error { return nil }

func (h *counter) Handle(ctx context.Context, c *runtime.Call) {
	switch c.Method() {
	case "count":
		ctx, out := stream.Serve(ctx, c, h.form)
		if out == nil {
			return
		}
		defer out.Close()
		if !c.NoParams() {
			return
		}
		err := h.count(ctx, func(n int) (err error) {
			q := out.Begin()
			defer q.Close(&err)
			return out.Send(ctx, q, wire.AppendInt(out.Text(q), int64(n)))
		})
		switch {
		case h.form.First:
			out.Answer(c, err)
		case err != nil:
			c.Fail(err)
		default:
			c.Return(append(c.Result(), `"done"`...))
		}
	case "count_unsubscribe":
		stream.End(ctx, c, "subscription")
	case "ping":
		c.NoParams()
		c.ReturnEmpty()
	case "hold":
		c.NoParams()
		<-ctx.Done()
		c.Fail(context.Cause(ctx))
	default:
		c.MethodNotFound("")
	}
}

func connectCounter(t testing.TB, h *counter, options ...runtime.Options) (client, server *runtime.Session) {
	o := runtime.Options{}
	if len(options) > 0 {
		o = options[0]
	}
	o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	a, b := pipe.New(0)
	server, client = runtime.NewSession(t.Context(), b, h, o), runtime.NewSession(t.Context(), a, nil, o)
	t.Cleanup(func() {
		client.Close()
		server.Close()
		client.Wait()
		server.Wait()
	})
	return client, server
}

func open(ctx context.Context, conn runtime.Conn, f *stream.Form) *stream.Items[int, string] {
	codec := stream.Codec[int, string]{Item: func(r *wire.Reader, item *int) { *item = int(r.Int64()) }}
	if !f.First {
		codec.Result = func(r *wire.Reader, _ *violation.List, result *string) { *result = r.String() }
	}
	return stream.Open(ctx, conn, "count", f, codec, func(q *gen.Request) { q.Send(ctx, append(q.Params(), `{}`...)) })
}

// each runs a test for each form, in a bubble.
func each(t *testing.T, test func(t *testing.T, f *stream.Form)) {
	for name, f := range forms {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, f) })
		})
	}
}

// TestStreamInOrder: many streams at once bring all their items in order.
func TestStreamInOrder(t *testing.T) {
	each(t, func(t *testing.T, f *stream.Form) {
		client, _ := connectCounter(t, &counter{f, func(ctx context.Context, send func(int) error) error {
			for n := range 20 {
				if err := send(n); err != nil {
					return err
				}
			}
			if f.First {
				<-ctx.Done()
			}
			return nil
		}})
		var all sync.WaitGroup
		for range 200 {
			all.Go(func() {
				next := 0
				s := open(t.Context(), client, f)
				for n, err := range s.All() {
					if err != nil || n != next {
						t.Error(n, err)
						return
					}
					if next++; next == 20 && f.First {
						break
					}
				}
				if next != 20 {
					t.Error(next)
				}
				if !f.First {
					if result, err := s.Result(); err != nil || result != "done" {
						t.Error(result, err)
					}
				}
			})
		}
		all.Wait()
	})
}

// TestStreamLeave: who leaves the loop ends the stream at the server, and calls go on.
func TestStreamLeave(t *testing.T) {
	each(t, func(t *testing.T, f *stream.Form) {
		ended := make(chan error, 1)
		client, _ := connectCounter(t, &counter{f, func(_ context.Context, send func(int) error) error {
			for n := 0; ; n++ {
				if err := send(n); err != nil {
					ended <- err
					return err
				}
			}
		}})
		large := *f
		large.Items, large.Bytes = 10_000_000, 1<<40
		for n, err := range open(t.Context(), client, &large).All() {
			if err != nil {
				t.Fatal(err)
			}
			if n == 3 {
				break
			}
		}
		if err := <-ended; err == nil {
			t.Error("the handler got no error")
		}
		ping(t, client)
	})
}

// TestStreamSlowReader: a reader that sleeps stops nobody.
func TestStreamSlowReader(t *testing.T) {
	each(t, func(t *testing.T, f *stream.Form) {
		ended := make(chan error, 1)
		client, _ := connectCounter(t, &counter{f, func(_ context.Context, send func(int) error) error {
			for n := 0; ; n++ {
				if err := send(n); err != nil {
					ended <- err
					return err
				}
			}
		}})
		s := open(t.Context(), client, f)
		<-ended // the client has ended it
		got := 0
		for _, err := range s.All() {
			if err != nil {
				if !errors.Is(err, runtime.ErrSlowReader) || got != 64 {
					t.Error(got, err)
				}
				break
			}
			got++
		}
	})
}

// TestStreamContext: the stream ends with the context of the reader, and with the session.
func TestStreamContext(t *testing.T) {
	each(t, func(t *testing.T, f *stream.Form) {
		begun, ended := make(chan bool, 9), make(chan bool, 9)
		client, server := connectCounter(t, &counter{f, func(ctx context.Context, send func(int) error) error {
			send(1)
			begun <- true
			<-ctx.Done()
			ended <- true
			return ctx.Err()
		}})
		ctx, cancel := context.WithCancel(t.Context())
		s := open(ctx, client, f)
		<-begun
		cancel()
		<-ended
		if _, err := s.Result(); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		s = open(t.Context(), client, f)
		<-begun
		go server.Shutdown(t.Context())
		<-ended
		if _, err := s.Result(); err == nil {
			t.Error("the stream did not end with the session")
		}
	})
}

// TestStreamMiddleware runs in a bubble: middleware that ends the context of a call ends the stream, also where calls have a time limit, which ends no stream.
func TestStreamMiddleware(t *testing.T) {
	each(t, func(t *testing.T, f *stream.Form) {
		leave, ended := make(chan bool), make(chan error, 1)
		middleware := func(next runtime.HandlerFunc) runtime.HandlerFunc {
			return func(ctx context.Context, c *runtime.Call) {
				ctx, cancel := context.WithCancelCause(ctx)
				defer cancel(nil)
				if c.Method() == "count" {
					go func() { <-leave; cancel(io.EOF) }()
				}
				next(ctx, c)
			}
		}
		client, _ := connectCounter(t, &counter{f, func(ctx context.Context, send func(int) error) error {
			err := send(1)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return err
		}}, runtime.Options{CallTimeout: 10 * time.Millisecond, Middleware: []runtime.Middleware{middleware}})
		for n, err := range open(t.Context(), client, f).All() {
			if n != 1 || err != nil {
				t.Error(n, err)
			}
			time.Sleep(20 * time.Millisecond)
			leave <- true
			if err := <-ended; err != io.EOF {
				t.Error(err)
			}
			break
		}
	})
}

// ping calls a method that answers at once.
func ping(t *testing.T, conn runtime.Conn) {
	t.Helper()
	q := gen.NewRequest(conn, "ping")
	q.SendEmpty(t.Context())
	q.NoResult(nil)
	if q.Err() != nil {
		t.Error(q.Err())
	}
}

// TestStreamLimits runs in a bubble: streams have a limit of their own, and do not count as calls; nor does the time of calls end them.
func TestStreamLimits(t *testing.T) {
	each(t, func(t *testing.T, f *stream.Form) {
		begun := make(chan bool, 9)
		client, _ := connectCounter(t, &counter{f, func(ctx context.Context, send func(int) error) error {
			if err := send(1); err != nil {
				return err
			}
			begun <- true
			<-ctx.Done()
			return context.Cause(ctx)
		}}, runtime.Options{MaxCalls: 1, MaxStreams: 2, CallTimeout: 10 * time.Millisecond})
		first, second := open(t.Context(), client, f), open(t.Context(), client, f)
		<-begun
		<-begun
		time.Sleep(20 * time.Millisecond)
		ping(t, client)
		_, err := open(t.Context(), client, f).Result()
		if e, ok := errors.AsType[*runtime.Error](err); !ok || e.Code != -32000 {
			t.Error(err)
		}
		for _, s := range []*stream.Items[int, string]{first, second} {
			for n, err := range s.All() {
				if n != 1 || err != nil {
					t.Error(n, err)
				}
				break
			}
		}
		for { // both have ended at the server, which may take a moment
			s := open(t.Context(), client, f)
			for _, err = range s.All() {
				break
			}
			if err == nil {
				break
			}
		}
	})
}

// TestStreamEndsAtLimit runs in a bubble: a stream can be ended while the session takes no more calls, or the limiter none.
func TestStreamEndsAtLimit(t *testing.T) {
	each(t, func(t *testing.T, f *stream.Form) {
		ended := make(chan bool, 1)
		client, _ := connectCounter(t, &counter{f, func(ctx context.Context, send func(int) error) error {
			err := send(1)
			<-ctx.Done()
			ended <- true
			return err
		}}, runtime.Options{MaxCalls: 1, Limiter: func(next runtime.HandlerFunc) runtime.HandlerFunc {
			return func(ctx context.Context, c *runtime.Call) {
				if c.Method() == f.End {
					c.MethodNotFound("")
				} else {
					next(ctx, c)
				}
			}
		}})
		for range open(t.Context(), client, f).All() {
			q := gen.NewRequest(client, "hold")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go q.SendEmpty(ctx)
			synctest.Wait()
			break
		}
		synctest.Wait()
		select {
		case <-ended:
		default:
			t.Error("the stream goes on")
		}
	})
}

// TestStreamLeftAtItsEnd runs in a bubble: if the context ends while items wait that came before the response, the stream does not look complete.
func TestStreamLeftAtItsEnd(t *testing.T) {
	each(t, func(t *testing.T, f *stream.Form) {
		if f.First {
			return // such a stream ends with an error in any case
		}
		client, _ := connectCounter(t, &counter{f, func(_ context.Context, send func(int) error) error { return errors.Join(send(1), send(2)) }})
		ctx, cancel := context.WithCancelCause(t.Context())
		s := open(ctx, client, f)
		synctest.Wait() // the response is there
		reason := errors.New("enough")
		cancel(reason)
		synctest.Wait()
		if result, err := s.Result(); !errors.Is(err, reason) {
			t.Error(result, err)
		}
	})
}

// TestStreamOldest: where the oldest items go, the reader gets the latest, and how many it missed.
func TestStreamOldest(t *testing.T) {
	f := *forms["request"]
	f.Items, f.Oldest = 1, true
	client, read, write := scripted(t)
	s := open(t.Context(), client, &f)
	read()
	for n := range 10 {
		write(`{"jsonrpc":"2.0","method":"rpc.item","params":{"id":1,"item":` + strconv.Itoa(n) + `}}`)
	}
	write(`{"jsonrpc":"2.0","id":1,"result":"done"}`)
	for client.Busy() { // until the response is read
		goruntime.Gosched()
	}
	for n, err := range s.All() {
		if err != nil || n != 9 {
			t.Error(n, err)
		}
	}
	if result, err := s.Result(); result != "done" || err != nil || s.Missed() != 9 {
		t.Error(result, err, s.Missed())
	}
}

// BenchmarkItem is an item of a stream, from the handler to the loop.
func BenchmarkItem(b *testing.B) {
	b.ReportAllocs()
	f := *forms["request"]
	f.Items, f.Bytes = b.N+1, 1<<40
	client, _ := connectCounter(b, &counter{&f, func(_ context.Context, send func(int) error) error {
		for n := range b.N {
			if err := send(n); err != nil {
				return err
			}
		}
		return nil
	}})
	got := 0
	for _, err := range open(b.Context(), client, &f).All() {
		if err != nil {
			b.Fatal(err)
		}
		got++
	}
	if got != b.N {
		b.Error(got)
	}
}

// noted counts notifications.
type noted struct {
	counter
	most int
	got  int
	done chan bool
}

func (n *noted) Handle(_ context.Context, c *runtime.Call) {
	value := 0
	for c.Params("") {
		var o wire.Members
		r := c.Reader()
		for r.Object(&o); r.More(&o); {
			if r.Key(&o, 0, `"id":`) {
				r.Skip()
			}
			if r.Key(&o, 1, `"item":`) {
				value = int(r.Int64())
			}
		}
	}
	if n.got++; n.got == n.most && value >= 0 {
		close(n.done)
	}
	c.ReturnEmpty()
}

// BenchmarkNotification is a notification with the same members, for comparison.
func BenchmarkNotification(b *testing.B) {
	b.ReportAllocs()
	h := &noted{most: b.N, done: make(chan bool)}
	o := runtime.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	x, y := pipe.New(0)
	server, client := runtime.NewSession(b.Context(), x, nil, o), runtime.NewSession(b.Context(), y, h, o)
	for n := range b.N {
		q := gen.NewNotification(server, "rpc.item")
		q.Send(b.Context(), append(wire.AppendInt(append(q.Params(), `{"id":1,"item":`...), int64(n)), '}'))
		if q.Err() != nil {
			b.Fatal(q.Err())
		}
		var err error
		q.Close(&err)
	}
	<-h.done
	server.Close()
	client.Close()
	server.Wait()
	client.Wait()
}
