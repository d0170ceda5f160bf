package ratelimit_test

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/when"
	"github.com/rpcgen-go/rpcgen/runtime/x/ratelimit"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// service answers every call with {} and counts them.
type service struct {
	served   atomic.Int64
	declared func(runtime.Condition) error
}

func (s *service) Handle(_ context.Context, c *runtime.Call) {
	s.served.Add(1)
	if c.NoParams() {
		c.ReturnEmpty()
	}
}

func (*service) Protocol() runtime.Protocol { return runtime.Plain }
func (*service) Hooks() runtime.Hooks       { return runtime.Hooks{} }

func (s *service) Condition(c runtime.Condition) error {
	if s.declared != nil && c.Kind == when.RateLimited {
		return s.declared(c)
	}
	return nil
}

func dispatcher(s *service, l ratelimit.Limits) (*runtime.Dispatcher, *ratelimit.Limiter) {
	limiter := ratelimit.New(l)
	return runtime.NewDispatcher(s, runtime.Options{Limiter: limiter.Middleware, Logger: quiet}), limiter
}

const (
	call   = `{"jsonrpc":"2.0","id":1,"method":"a"}`
	served = `{"jsonrpc":"2.0","id":1,"result":{}}`
)

func refused(limit, seconds int) string {
	return `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Rate limited","data":{"limit":` + strconv.Itoa(limit) + `,"retryAfter":` + strconv.Itoa(seconds) + `}}}`
}

// step is a message and its answer.
type step struct {
	after     time.Duration // time that passes before
	principal string
	address   string
	msg       string // empty for call
	want      string
}

// TestRates shows what each rate counts, and when calls are allowed again.
func TestRates(t *testing.T) {
	tool := func(name string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `"}}`
	}
	const note = `{"jsonrpc":"2.0","method":"note"}`
	for name, test := range map[string]struct {
		limits ratelimit.Limits
		steps  []step
	}{
		"nothing": {ratelimit.Limits{}, []step{{want: served}, {want: served}}},
		"server": {ratelimit.Limits{Server: ratelimit.Rate{Calls: 2, Per: 10 * time.Second}}, []step{
			{want: served}, {principal: "ann", want: served}, {want: refused(2, 5)},
			{after: 4 * time.Second, want: refused(2, 1)}, {after: time.Second, want: served}, {want: refused(2, 5)},
			{after: time.Hour, want: served}, {want: served}, {want: refused(2, 5)},
		}},
		"burst": {ratelimit.Limits{Server: ratelimit.Rate{Calls: 1, Per: time.Minute, Burst: 3}}, []step{
			{want: served}, {want: served}, {want: served}, {want: refused(1, 60)}, {after: time.Minute, want: served}, {want: refused(1, 60)},
		}},
		"principal": {ratelimit.Limits{Principal: ratelimit.Rate{Calls: 1}}, []step{
			{principal: "ann", want: served}, {principal: "ann", want: refused(1, 1)}, {principal: "bob", want: served},
			{address: "192.0.2.1", want: served}, {address: "192.0.2.1", want: refused(1, 1)}, {address: "ann", want: served}, {want: served}, {want: refused(1, 1)},
		}},
		"no sessions": {ratelimit.Limits{Session: ratelimit.Rate{Calls: 1}}, []step{{want: served}, {want: served}}},
		"method": {ratelimit.Limits{Methods: map[string]ratelimit.Rate{"b": {Calls: 1}, "c": {Calls: 1, Each: ratelimit.WholeServer}, "d": {}}}, []step{
			{want: served}, {want: served},
			{principal: "ann", msg: strings.Replace(call, "a", "b", 1), want: served}, {principal: "ann", msg: `{"jsonrpc":"2.0","id":1,"method":"b"}`, want: refused(1, 1)},
			{principal: "bob", msg: `{"jsonrpc":"2.0","id":1,"method":"b"}`, want: served},
			{principal: "ann", msg: `{"jsonrpc":"2.0","id":1,"method":"c"}`, want: served}, {principal: "bob", msg: `{"jsonrpc":"2.0","id":1,"method":"c"}`, want: refused(1, 1)},
			{msg: `{"jsonrpc":"2.0","id":1,"method":"d"}`, want: served}, {msg: `{"jsonrpc":"2.0","id":1,"method":"d"}`, want: served},
		}},
		"tool": {ratelimit.Limits{Tools: map[string]ratelimit.Rate{"dear": {Calls: 1}}}, []step{
			{msg: tool("cheap"), want: served}, {msg: tool("cheap"), want: served}, {msg: tool("dear"), want: served}, {msg: tool("dear"), want: refused(1, 1)},
			{msg: `{"jsonrpc":"2.0","id":1,"method":"other","params":{"name":"dear"}}`, want: served},
			{msg: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, want: served},
			{msg: `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, want: served},
		}},
		"a refusal takes nothing of other rates": {ratelimit.Limits{Server: ratelimit.Rate{Calls: 2}, Principal: ratelimit.Rate{Calls: 1}, Methods: map[string]ratelimit.Rate{"a": {Calls: 10}}}, []step{
			{principal: "ann", want: served}, {principal: "ann", want: refused(1, 1)}, {principal: "ann", want: refused(1, 1)},
			{principal: "bob", want: served}, {principal: "cid", want: refused(2, 1)},
		}},
		"notifications": {ratelimit.Limits{Server: ratelimit.Rate{Calls: 1}, Methods: map[string]ratelimit.Rate{"note": {Calls: 1}}}, []step{
			{msg: `{"jsonrpc":"2.0","method":"a"}`}, {msg: note}, {msg: note}, {want: served}, {want: refused(1, 1)},
		}},
		"batch": {ratelimit.Limits{Server: ratelimit.Rate{Calls: 1}}, []step{
			{msg: "[" + note + "," + call + "]", want: "[" + served + "]"}, {msg: "[" + call + "]", want: "[" + refused(1, 1) + "]"},
		}},
		"invalid messages": {ratelimit.Limits{Server: ratelimit.Rate{Calls: 1}}, []step{
			{msg: `{"jsonrpc":"2.0","id":1}`, want: `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request"}}`}, {want: served},
			{msg: `{"jsonrpc":"2.0","id":1,"method":"a","params":[}`, want: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`},
		}},
		"extremes": {ratelimit.Limits{Server: ratelimit.Rate{Calls: 1 << 62, Burst: 1 << 62}, Principal: ratelimit.Rate{Calls: 1 << 40, Per: 1<<63 - 1}}, []step{{want: served}, {want: served}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, _ := dispatcher(new(service), test.limits)
				for i, s := range test.steps {
					time.Sleep(s.after)
					ctx := principal.With(principal.WithAddress(t.Context(), s.address), s.principal)
					if s.msg == "" {
						s.msg = call
					}
					if got := string(d.Dispatch(ctx, nil, []byte(s.msg))); got != s.want {
						t.Errorf("step %d: %s is answered\n%s, not\n%s", i, s.msg, got, s.want)
					}
				}
			})
		})
	}
}

// TestSession counts the calls of each session for itself, also as those of a client without a principal.
func TestSession(t *testing.T) {
	for name, limits := range map[string]ratelimit.Limits{
		"session":   {Session: ratelimit.Rate{Calls: 2, Per: time.Hour}},
		"principal": {Principal: ratelimit.Rate{Calls: 2, Per: time.Hour}},
		"method":    {Methods: map[string]ratelimit.Rate{weather.MethodWeatherCurrent: {Calls: 2, Per: time.Hour, Each: ratelimit.EachSession}}},
	} {
		t.Run(name, func(t *testing.T) {
			limiter := ratelimit.New(limits)
			for range 2 {
				a, b := pipe.New(0)
				server := runtime.NewSession(t.Context(), a, weather.NewHandler(weather.UnimplementedServer{}), runtime.Options{Limiter: limiter.Middleware, Logger: quiet})
				conn := runtime.NewSession(t.Context(), b, nil, runtime.Options{Logger: quiet})
				client := weather.NewClient(conn)
				for i, code := range []string{"-32601", "-32601", "-32000"} {
					_, err := client.WeatherCurrent(t.Context(), weather.WeatherCurrentParams{City: "Paris"})
					if err == nil || !strings.Contains(err.Error(), code) {
						t.Errorf("call %d: %v, not %s", i, err, code)
					}
				}
				conn.Close()
				conn.Wait()
				server.Wait()
			}
			if limiter.Refused() != 2 || limiter.Buckets() != 0 {
				t.Errorf("%d refused, %d buckets", limiter.Refused(), limiter.Buckets())
			}
		})
	}
}

// TestSet changes limits while calls are served.
func TestSet(t *testing.T) {
	d, limiter := dispatcher(new(service), ratelimit.Limits{Server: ratelimit.Rate{Calls: 1, Per: time.Hour}})
	serves := func(want int) {
		t.Helper()
		n := 0
		for range 5 {
			if string(d.Dispatch(t.Context(), nil, []byte(call))) == served {
				n++
			}
		}
		if n != want {
			t.Errorf("%d of 5 calls are served, not %d", n, want)
		}
	}
	serves(1)
	limiter.Set(ratelimit.Limits{Server: ratelimit.Rate{Calls: 2, Per: time.Hour}})
	serves(2)
	limiter.Set(ratelimit.Limits{})
	serves(5)
	if limiter.Refused() != 4+3 {
		t.Error(limiter.Refused())
	}
}

// TestBuckets: those that are full are dropped, and there are never more than MaxBuckets of principals and of addresses.
func TestBuckets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, limiter := dispatcher(new(service), ratelimit.Limits{Principal: ratelimit.Rate{Calls: 1, Per: time.Minute}, MaxBuckets: 1000})
		answer := func(who string) string {
			return string(d.Dispatch(principal.With(t.Context(), who), nil, []byte(call)))
		}
		for i := range 400 {
			answer("principal " + strconv.Itoa(i))
		}
		if n := limiter.Buckets(); n != 400 {
			t.Error(n, "of 400 are held")
		}
		time.Sleep(30 * time.Second)
		if answer("principal 399") == served {
			t.Error("it has called half a minute ago")
		}
		for range 3 {
			time.Sleep(time.Minute)
			if answer("principal 0") != served {
				t.Error("it has not called for a minute")
			}
		}
		if n := limiter.Buckets(); n != 1 {
			t.Error(n, "buckets are held, but of one principal that calls")
		}
		for i := range 10_000 {
			answer("other " + strconv.Itoa(i))
			d.Dispatch(principal.WithAddress(t.Context(), "address "+strconv.Itoa(i)), nil, []byte(call))
			if n := limiter.Buckets(); n > 2000 {
				t.Fatal(n, "buckets")
			}
		}
		if answer("other 9999") == served {
			t.Error("it has just called")
		}
	})
}

// TestConcurrent: of many callers at once, as many are served as the rate says.
func TestConcurrent(t *testing.T) {
	s := new(service)
	d, limiter := dispatcher(s, ratelimit.Limits{Server: ratelimit.Rate{Calls: 100, Per: time.Hour}, Principal: ratelimit.Rate{Calls: 1000, Per: time.Hour}})
	var callers sync.WaitGroup
	for i := range 8 {
		ctx := principal.With(t.Context(), strconv.Itoa(i%3))
		callers.Go(func() {
			for range 100 {
				d.Dispatch(ctx, nil, []byte(call))
			}
		})
	}
	callers.Wait()
	if s.served.Load() != 100 || limiter.Refused() != 700 {
		t.Error(s.served.Load(), "served,", limiter.Refused(), "refused")
	}
}

// TestOutcome shows what an HTTP transport learns of a refusal.
func TestOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := dispatcher(new(service), ratelimit.Limits{Server: ratelimit.Rate{Calls: 1, Per: time.Minute}})
		var o transport.Outcome
		for range 2 {
			d.Dispatch(transport.WithOutcome(t.Context(), &o), nil, []byte(call))
		}
		if !o.Failed || o.Code != when.CodeOverloaded || o.HTTPStatus != 429 || o.RetryAfter != time.Minute {
			t.Errorf("%+v", o)
		}
	})
}

// TestDeclaredErrors: the error of the schema is asked for once for equal refusals, and again for
// another method or another time to wait. The answers do not share memory of messages.
func TestDeclaredErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := &service{declared: func(c runtime.Condition) error {
			asked++
			return declaredError(c.Method + " may be called again after " + c.RetryAfter.String())
		}}
		d, _ := dispatcher(s, ratelimit.Limits{Server: ratelimit.Rate{Calls: 1, Per: time.Minute}})
		ask := func(method string) string {
			msg := []byte(`{"jsonrpc":"2.0","method":"` + method + `","id":7}`)
			answer := string(d.Dispatch(t.Context(), nil, msg))
			clear(msg)
			return answer
		}
		ask("first")
		for _, test := range []struct {
			after        time.Duration
			method, want string
			asked        int
		}{
			{0, "a", "a may be called again after 1m0s", 1},
			{time.Millisecond, "a", "a may be called again after 1m0s", 1},
			{0, "b", "b may be called again after 1m0s", 2},
			{0, "a", "a may be called again after 1m0s", -1}, // b may have taken its place
			{time.Second, "a", "a may be called again after 59s", -1},
		} {
			time.Sleep(test.after)
			want := `{"jsonrpc":"2.0","id":7,"error":{"code":4,"message":"` + test.want + `"}}`
			if answer := ask(test.method); answer != want {
				t.Errorf("%s, not %s", answer, want)
			}
			if test.asked >= 0 && asked != test.asked {
				t.Errorf("asked %d times, not %d", asked, test.asked)
			}
		}
	})
}

// declaredError is an error of a schema; its value is its message.
type declaredError string

func (e declaredError) Error() string { return string(e) }

func (e declaredError) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: 4, Message: string(e)}
}

// TestLargeRefusals: an error that is larger than a message may be is answered -32603.
func TestLargeRefusals(t *testing.T) {
	s := &service{declared: func(runtime.Condition) error { return declaredError(strings.Repeat("a", 2000)) }}
	d := runtime.NewDispatcher(s, runtime.Options{
		Limiter: ratelimit.New(ratelimit.Limits{Server: ratelimit.Rate{Calls: 1, Per: time.Minute}}).Middleware, MaxMessage: 1500, Logger: quiet,
	})
	for _, want := range []string{"result", "-32603", "-32603"} {
		if answer := string(d.Dispatch(t.Context(), nil, []byte(call))); !strings.Contains(answer, want) {
			t.Errorf("%.100s, not %s", answer, want)
		}
	}
}
