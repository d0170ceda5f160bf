package allkinds_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
)

// steps is a server that reports each step, and whose first step also reports for a call that has ended.
type steps struct{ allkinds.UnimplementedServer }

func (steps) AllSlow(ctx context.Context, p allkinds.AllSlowParams) (result allkinds.AllSlowResult, err error) {
	reporter := allkinds.ProgressFrom(ctx)
	if reporter == nil {
		return allkinds.AllSlowResult{Steps: -p.Steps}, nil
	}
	for result.Steps < p.Steps {
		result.Steps++
		if err = reporter.Report(ctx, allkinds.ProgressParams{Done: result.Steps}); err != nil {
			return result, err
		}
	}
	stranger := allkinds.ProgressParams{Token: wire.StringID("nobody"), Done: 99}
	return result, allkinds.NewCallbackClient(runtime.PeerFrom(ctx)).Progress(ctx, stranger)
}

// AllNothing reports that nobody has asked: its params have no token.
func (steps) AllNothing(ctx context.Context) error {
	return allkinds.ProgressFrom(ctx).Report(ctx, allkinds.ProgressParams{Done: 1})
}

// rest gets the reports that belong to no call.
type rest struct {
	allkinds.UnimplementedCallbacks
	got chan allkinds.ProgressParams
}

func (r rest) Progress(_ context.Context, p allkinds.ProgressParams) error {
	r.got <- p
	return nil
}

// stepped returns a client of steps, and what gets the reports of no call.
func stepped(t *testing.T) (*allkinds.Client, rest, *runtime.Session) {
	o := runtime.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	near, far := pipe.New(0)
	others := rest{got: make(chan allkinds.ProgressParams, 100)}
	server := runtime.NewSession(context.Background(), far, allkinds.NewHandler(steps{}), o)
	conn := runtime.NewSession(context.Background(), near, allkinds.NewCallbackHandler(others), o)
	t.Cleanup(func() {
		conn.Close()
		conn.Wait()
		server.Wait()
	})
	return allkinds.NewClient(conn), others, server
}

// TestProgress: each call gets its own reports, in order, before it returns; others go to the handler.
func TestProgress(t *testing.T) {
	c, others, _ := stepped(t)
	var wg sync.WaitGroup
	for i := range int32(20) {
		wg.Go(func() {
			var got []int32
			ctx := allkinds.WithProgress(t.Context(), func(p allkinds.ProgressParams) { got = append(got, p.Done) })
			p := allkinds.AllSlowParams{Steps: i}
			if i%2 == 0 { // a token that the caller chooses
				p.WorkDoneToken = runtime.Some(wire.StringID(string(rune('a' + i))))
			}
			result, err := c.AllSlow(ctx, p)
			var want []int32
			for n := range i {
				want = append(want, n+1)
			}
			if err != nil || result.Steps != i || !slices.Equal(got, want) {
				t.Errorf("%d steps: %v, %v, %v", i, result, got, err)
			}
		})
	}
	wg.Wait()
	for range 20 {
		if p := <-others.got; p.Done != 99 || p.Token != wire.StringID("nobody") {
			t.Error(p)
		}
	}
}

// TestProgressUnasked: who does not ask for progress gets none, and a report after the call goes to the handler.
func TestProgressUnasked(t *testing.T) {
	c, others, server := stepped(t)
	if result, err := c.AllSlow(t.Context(), allkinds.AllSlowParams{Steps: 3}); err != nil || result.Steps != -3 {
		t.Error(result, err)
	}
	if err := c.AllNothing(t.Context()); err != nil {
		t.Error(err)
	}
	token := wire.IntID(7)
	ctx := allkinds.WithProgress(t.Context(), func(allkinds.ProgressParams) {})
	if _, err := c.AllSlow(ctx, allkinds.AllSlowParams{Steps: 3, WorkDoneToken: runtime.Some(token)}); err != nil {
		t.Error(err)
	}
	if p := <-others.got; p.Done != 99 {
		t.Error(p)
	}
	if err := allkinds.NewCallbackClient(server).Progress(t.Context(), allkinds.ProgressParams{Token: token, Done: 4}); err != nil {
		t.Error(err)
	}
	if p := <-others.got; p.Done != 4 || p.Token != token {
		t.Error("a late report:", p)
	}
}

// TestProgressFaults: a function that panics and reports that do not fit the schema do not end the session.
func TestProgressFaults(t *testing.T) {
	c, others, server := stepped(t)
	ctx := allkinds.WithProgress(t.Context(), func(allkinds.ProgressParams) { panic("no") })
	if result, err := c.AllSlow(ctx, allkinds.AllSlowParams{Steps: 3}); err != nil || result.Steps != 3 {
		t.Error(result, err)
	}
	<-others.got
	for _, params := range []string{`{"token":{},"done":1}`, `{"token":1.5,"done":1}`, `{"done":1}`, `[]`, `{"token":"x","done":-1}`} {
		if err := server.Notify(t.Context(), []byte(`{"jsonrpc":"2.0","method":"$/progress","params":`+params+`}`)); err != nil {
			t.Fatal(err)
		}
	}
	if result, err := c.AllSlow(t.Context(), allkinds.AllSlowParams{Steps: 3}); err != nil || result.Steps != -3 || len(others.got) != 0 {
		t.Error(result, err, len(others.got))
	}
}

// silent is a connection without notifications, as that of HTTP.
type silent struct{ runtime.Conn }

func TestProgressWithoutNotifications(t *testing.T) {
	near, far := pipe.New(0)
	server := runtime.NewSession(t.Context(), far, allkinds.NewHandler(steps{}), runtime.Options{})
	conn := runtime.NewSession(t.Context(), near, nil, runtime.Options{})
	ctx := allkinds.WithProgress(t.Context(), func(allkinds.ProgressParams) { t.Error("a report") })
	if result, err := allkinds.NewClient(silent{conn}).AllSlow(ctx, allkinds.AllSlowParams{Steps: 3}); err != nil || result.Steps != -3 {
		t.Error(result, err)
	}
	conn.Close()
	conn.Wait()
	server.Wait()
}

// worker reports each of its steps.
type worker struct{ allkinds.UnimplementedServer }

func (worker) AllSlow(ctx context.Context, p allkinds.AllSlowParams) (result allkinds.AllSlowResult, err error) {
	progress := allkinds.ProgressFrom(ctx) // nil if the client does not ask for it, which reports nothing
	for result.Steps < p.Steps {
		result.Steps++
		if err := progress.Report(ctx, allkinds.ProgressParams{Done: result.Steps}); err != nil {
			return result, err
		}
	}
	return result, nil
}

// printSteps prints the progress of a call.
func printSteps(ctx context.Context, conn runtime.Conn) error {
	ctx = allkinds.WithProgress(ctx, func(p allkinds.ProgressParams) { fmt.Println("step", p.Done) })
	_, err := allkinds.NewClient(conn).AllSlow(ctx, allkinds.AllSlowParams{Steps: 2})
	return err
}

func Example_progress() {
	near, far := pipe.New(0)
	server := runtime.NewSession(context.Background(), far, allkinds.NewHandler(worker{}), runtime.Options{})
	conn := runtime.NewSession(context.Background(), near, nil, runtime.Options{})
	fmt.Println(printSteps(context.Background(), conn))
	conn.Close()
	server.Wait()
	// Output:
	// step 1
	// step 2
	// <nil>
}
