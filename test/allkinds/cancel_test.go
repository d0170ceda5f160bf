package allkinds_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
)

// slow is a server whose calls last until they are cancelled, and whose notifications take a second.
type slow struct {
	allkinds.UnimplementedServer
	cause chan error
	told  atomic.Int64
}

func (s *slow) AllPosition(ctx context.Context, p allkinds.AllPositionParams) (string, error) {
	if p.Name == "told" {
		return strings.Repeat("x", int(s.told.Load())), nil
	}
	<-ctx.Done()
	s.cause <- context.Cause(ctx)
	return "", ctx.Err()
}

// AllTell takes a second of a bubble.
func (s *slow) AllTell(context.Context, allkinds.Point) error {
	time.Sleep(time.Second)
	s.told.Add(1)
	return nil
}

func connected(t *testing.T, s *slow, o runtime.Options) *allkinds.Client {
	here, there := pipe.New(0)
	server := runtime.NewSession(t.Context(), there, allkinds.NewHandler(s), runtime.Options{})
	session := runtime.NewSession(t.Context(), here, nil, o)
	t.Cleanup(func() {
		session.Close()
		session.Wait()
		server.Wait()
	})
	return allkinds.NewClient(session)
}

// TestCancel ends the context of a call: that of its handler ends, too.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{cause: make(chan error, 4)}
		client := connected(t, s, runtime.Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := client.AllPosition(ctx, allkinds.AllPositionParams{Name: "a"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		synctest.Wait()
		if len(s.cause) != 1 {
			t.Fatal("the handler goes on")
		}
		if cause := <-s.cause; !strings.Contains(cause.Error(), "the peer has cancelled the request") {
			t.Error(cause)
		}
		batch := client.Batch()
		batch.AllPosition(allkinds.AllPositionParams{Name: "a"}, nil)
		batch.AllPosition(allkinds.AllPositionParams{Name: "b"}, nil)
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := batch.Send(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		synctest.Wait()
		if len(s.cause) != 2 {
			t.Errorf("%d handlers of a batch have ended", len(s.cause))
		}
	})
}

// TestCallTimeout ends a call, and a batch, by the limit of the session: their handlers end, too.
func TestCallTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{cause: make(chan error, 4)}
		client := connected(t, s, runtime.Options{CallTimeout: time.Second})
		if _, err := client.AllPosition(t.Context(), allkinds.AllPositionParams{Name: "a"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		batch := client.Batch()
		batch.AllPosition(allkinds.AllPositionParams{Name: "a"}, nil)
		batch.AllPosition(allkinds.AllPositionParams{Name: "b"}, nil)
		if err := batch.Send(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		synctest.Wait()
		if len(s.cause) != 3 {
			t.Errorf("%d of 3 handlers have ended", len(s.cause))
		}
	})
}

// TestOrdered sends notifications, and then calls that see what all of them did.
func TestOrdered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{}
		client := connected(t, s, runtime.Options{})
		for i := 1; i <= 3; i++ {
			if err := client.AllTell(t.Context(), allkinds.Point{}); err != nil {
				t.Fatal(err)
			}
		}
		seen, err := client.AllPosition(t.Context(), allkinds.AllPositionParams{Name: "told"})
		if err != nil || len(seen) != 3 {
			t.Error(seen, err)
		}
		if err := client.AllTell(t.Context(), allkinds.Point{}); err != nil {
			t.Fatal(err)
		}
		batch := client.Batch()
		pending := batch.AllPosition(allkinds.AllPositionParams{Name: "told"}, &seen)
		if err := batch.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := pending.Err(); err != nil || len(seen) != 4 {
			t.Error(seen, err)
		}
	})
}
