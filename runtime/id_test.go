package runtime_test

import (
	"context"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// TestEqualIDs: ids are compared by value, and repeated as they came: of requests in flight, of a cancellation, in a batch and in responses.
func TestEqualIDs(t *testing.T) {
	for _, way := range []runtime.Protocol{runtime.Plain, {Name: "weather", Batch: true}} {
		for _, ids := range [][2]string{{"4", "4.0"}, {"40e-1", "4"}, {`"a"`, `"\u0061"`}, {"1e400", "10e399"}} {
			started := make(chan struct{}, 1)
			server := office()
			server.Way = way
			server.Current = func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
				started <- struct{}{}
				<-ctx.Done()
				return weather.Report{}, context.Cause(ctx)
			}
			p := newPeer(t, weather.NewHandler(server), runtime.Options{})
			refused := `{"jsonrpc":"2.0","id":` + ids[1] + `,"error":{"code":-32600,"message":"Invalid Request"}}`
			p.send(request(ids[0], "weather/current", "x"))
			<-started
			p.send(`{"jsonrpc":"2.0","id":` + ids[1] + `,"method":"weather/ping"}`)
			p.expect(refused)
			p.send(`[{"jsonrpc":"2.0","id":` + ids[1] + `,"method":"weather/ping"},{"jsonrpc":"2.0","id":"4","method":"weather/ping"}]`)
			p.expect(`[` + refused + `,{"jsonrpc":"2.0","id":"4","result":{}}]`)
			id, _ := wire.ParseID([]byte(ids[1]))
			if !p.s.Cancel(id, context.Canceled) {
				t.Errorf("%s does not cancel %s", ids[1], ids[0])
			}
			p.expect(`{"jsonrpc":"2.0","id":` + ids[0] + `,"error":{"code":-32800,"message":"Request cancelled"}}`)
			p.end()
		}
	}
}

// TestEqualTokens: a notification belongs to the call whose token has the same value.
func TestEqualTokens(t *testing.T) {
	p := newPeer(t, weather.NewHandler(office()), runtime.Options{})
	defer p.end()
	heard := make(chan struct{}, 1)
	stop := p.s.Watch("progress", "token", wire.IntID(4), func(_ *runtime.Call) { heard <- struct{}{} })
	defer stop()
	p.send(`{"jsonrpc":"2.0","method":"progress","params":{"token":"4"}}`)
	p.send(`{"jsonrpc":"2.0","method":"progress","params":{"token":0.4e1}}`)
	<-heard
	if len(heard) > 0 {
		t.Error(`"4" is taken for 4`)
	}
}
