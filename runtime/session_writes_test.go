package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/narrow"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

func TestResultsThatCannotBeSent(t *testing.T) {
	server := office()
	server.Current = func(_ context.Context, q weather.CurrentParams) (weather.Report, error) {
		switch q.City {
		case "nan":
			return weather.Report{Degrees: math.NaN()}, nil
		case "cold":
			return weather.Report{Degrees: -300}, nil
		case "large":
			return weather.Report{City: strings.Repeat("x", 1<<16)}, nil
		case "larger":
			return weather.Report{City: strings.Repeat("x", 1<<20)}, nil
		case "foreign":
			return weather.Report{}, &runtime.Error{Code: 5, Message: "a secret of another service"}
		case "exit":
			panic(errors.New("a secret"))
		}
		return weather.Report{}, errors.New("a secret")
	}
	p := newPeer(t, weather.NewHandler(server), runtime.Options{MaxMessage: 1 << 18})
	defer p.end()
	for i, city := range []string{"nan", "cold", "foreign", "exit", "other"} {
		p.send(request(strconv.Itoa(i), "weather/current", city))
		p.expect(`{"jsonrpc":"2.0","id":` + strconv.Itoa(i) + `,"error":{"code":-32603,"message":"Internal error"}}`)
	}
	p.send(request("7", "weather/current", "large")) // for the connection
	p.expect(`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"Result too large: 65593 bytes, over the limit of 65536","data":{"maxSize":65536,"size":65593,"unit":"bytes"}}}`)
	p.send(request("8", "weather/current", "larger")) // for Options.MaxMessage
	p.expect(`{"jsonrpc":"2.0","id":8,"error":{"code":-32603,"message":"Result too large: 1048633 bytes, over the limit of 262144","data":{"maxSize":262144,"size":1048633,"unit":"bytes"}}}`)
	p.send(`[` + request("9", "weather/current", "large") + `]`)
	p.expect(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Results of the batch too large: 65595 bytes, over the limit of 65536","data":{"maxSize":65536,"size":65595,"unit":"bytes"}}}`)
	p.send(`[` + request("1", "weather/current", "nan") + `,` + request("2", "weather/current", "exit") + `]`)
	p.expect(`[{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}},{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Internal error"}}]`)
}

// TestOversizeFrame: a message over the limit is answered with its id, or ends the call that waits for it, wherever the id stands.
func TestOversizeFrame(t *testing.T) {
	a, b := pipe.New(0)
	s := runtime.NewSession(t.Context(), narrow.Conn{Conn: b, Max: 500}, weather.NewHandler(office()), runtime.Options{Logger: quiet})
	p := &peer{t, a, s}
	defer p.end()
	long := strings.Repeat("x", 1000)
	for _, test := range []struct{ message, id string }{
		{long, "null"},
		{request("1", "weather/current", long), "1"},
		{`{"jsonrpc":"2.0","method":"m","params":{"id":3,"s":"` + long + `"},"id":"a"}`, `"a"`},
		{`{"method": "m", "params": ["` + long + `"], "id": 2 }`, "2"},
		{`{"method":"m","params":{"s":"` + long + `","id":2}}`, "null"},
		{`[` + request("1", "weather/current", long) + `]`, "null"},
		{`[{"jsonrpc":"2.0","id":77,"result":1},` + request("1", "weather/current", long) + `]`, "null"},
		{`{"params":["` + long + `"],"id":4,"method":"m","jsonrpc":"2.0"}`, "4"},
		{`{"method":"m","params":[{"s":"` + long + `","id":5}],"jsonrpc":"2.0"}`, "null"},
		{`{"method":"m","params":{"s":["` + long + `"],"id":6},"jsonrpc":"2.0"}`, "null"},
	} {
		p.send(test.message)
		p.expect(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"Message too large","data":{"maxSize":500,"size":%d,"unit":"bytes"}}}`,
			test.id, len(test.message)))
	}
	client := weather.NewClient(s)
	failed := make(chan error, 1)
	for i, format := range []string{
		`{"jsonrpc":"2.0","id":%d,"result":{"city":"%s","degrees":1}}`, `{"result":{"city":%[2]q},"jsonrpc":"2.0","id":%[1]d}`,
		`{"jsonrpc": "2.0", "error": {"code": 1, "message": %[2]q}, "id": %[1]d}` + "\r",
		`{"result":%[2]q,"id":%[1]d,"jsonrpc":"2.0"}`, `[{"jsonrpc":"2.0","id":%d,"result":%q}]`,
	} {
		go func() {
			if i == 4 {
				_, err := s.CallBatch(t.Context(), 5, 2, []byte(`[{},{}]`))
				failed <- err
				return
			}
			_, err := client.Current(t.Context(), weather.CurrentParams{City: "x"})
			failed <- err
		}()
		if _, err := p.conn.ReadFrame(); err != nil {
			t.Fatal(err)
		}
		p.send(fmt.Sprintf(format, i+1, long))
		err := <-failed
		if _, ok := errors.AsType[*frame.TooLargeError](err); !ok {
			t.Errorf("%s: %v", format, err)
		}
	}
	p.send(request("1", "weather/current", "Paris")) // no response over the limit was answered
	p.expect(`{"jsonrpc":"2.0","id":1,"result":{"city":"Paris","degrees":14}}`)
}

// TestPeerThatDoesNotRead: it loses the connection, and nothing hangs.
func TestPeerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t, weather.NewHandler(office()), runtime.Options{})
		for {
			if err := p.conn.WriteFrame([]byte("rubbish")); err != nil {
				break
			}
		}
		if err := p.s.Wait(); err == nil {
			t.Error("no error")
		}
	})
}

// TestNotificationsUnderPressure: a slow handler slows its peer down, and nothing is lost.
func TestNotificationsUnderPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 500
		count := 0
		server := office()
		server.Watch = func(context.Context, weather.CurrentParams) error {
			time.Sleep(time.Second)
			count++
			return nil
		}
		p := newPeer(t, weather.NewHandler(server), runtime.Options{MaxNotifications: 4, DrainTimeout: time.Hour})
		for range n {
			p.send(`{"jsonrpc":"2.0","method":"weather/watch","params":{"city":"x"}}`)
		}
		p.conn.CloseWrite()
		p.s.Wait()
		if count != n {
			t.Errorf("%d of %d", count, n)
		}
		p.end()
	})
}
