package runtime_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

func TestMain(m *testing.M) { leak.Main(m) }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// connect returns a client session to a server session with h, over a pipe.
func connect(t testing.TB, h runtime.Handler, o runtime.Options) (client, server *runtime.Session) {
	t.Helper()
	if o.Logger == nil {
		o.Logger = quiet
	}
	a, b := pipe.New(0)
	server = runtime.NewSession(context.Background(), b, h, o)
	client = runtime.NewSession(context.Background(), a, nil, o)
	t.Cleanup(func() {
		client.Close()
		server.Close()
		client.Wait()
		server.Wait()
	})
	return client, server
}

func office() *weather.Server {
	return &weather.Server{
		Way: runtime.Plain,
		Current: func(_ context.Context, p weather.CurrentParams) (weather.Report, error) {
			if p.City != "Paris" {
				return weather.Report{}, &weather.CityNotFoundError{City: p.City}
			}
			return weather.Report{City: p.City, Degrees: 14}, nil
		},
		Ping: func(context.Context) error { return nil },
	}
}

func TestCallOverPipe(t *testing.T) {
	session, _ := connect(t, weather.NewHandler(office()), runtime.Options{})
	client := weather.NewClient(session)
	ctx := context.Background()
	got, err := client.Current(ctx, weather.CurrentParams{City: "Paris"})
	if err != nil || got != (weather.Report{City: "Paris", Degrees: 14}) {
		t.Fatalf("got %+v, %v", got, err)
	}
	_, err = client.Current(ctx, weather.CurrentParams{City: "Pariz"})
	if e, ok := errors.AsType[*weather.CityNotFoundError](err); !ok || e.City != "Pariz" {
		t.Fatalf("got %v", err)
	}
	_, err = client.Current(ctx, weather.CurrentParams{})
	if _, ok := errors.AsType[*runtime.ParamsError](err); !ok {
		t.Fatalf("got %v", err)
	}
	if err := client.Ping(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestClientBatchOverPipe(t *testing.T) {
	session, _ := connect(t, weather.NewHandler(office()), runtime.Options{})
	b := weather.NewClient(session).Batch()
	var got weather.Report
	paris, pariz := b.Current(weather.CurrentParams{City: "Paris"}, &got), b.Current(weather.CurrentParams{City: "Pariz"}, nil)
	if err := paris.Err(); err != gen.ErrPending {
		t.Fatalf("got %v", err)
	}
	if err := b.Send(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := paris.Err(); err != nil || got.Degrees != 14 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if _, ok := errors.AsType[*weather.CityNotFoundError](pariz.Err()); !ok {
		t.Fatalf("got %v", pariz.Err())
	}
}
