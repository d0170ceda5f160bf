package allkinds_test

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache"
	"github.com/rpcgen-go/rpcgen/runtime/x/ratelimit"
	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// TestRateLimits: generated handlers apply the rates of their schema, unless an option replaces them.
func TestRateLimits(t *testing.T) {
	none := ratelimit.New(ratelimit.Limits{})
	for name, test := range map[string]struct {
		limiter runtime.Middleware
		served  int
	}{"schema": {nil, 2}, "options": {none.Middleware, 5}} {
		t.Run(name, func(t *testing.T) {
			handler := allkinds.NewHandler(allkinds.UnimplementedServer{})
			for range 2 {
				a, b := pipe.New(0)
				server := runtime.NewSession(t.Context(), a, handler, runtime.Options{Limiter: test.limiter, Logger: quiet})
				conn := runtime.NewSession(t.Context(), b, nil, runtime.Options{Logger: quiet})
				served := 0
				for range 5 {
					if err := allkinds.NewClient(conn).AllNone(t.Context()); strings.Contains(err.Error(), "-32601") {
						served++
					}
				}
				if served != test.served {
					t.Errorf("%d calls are served, not %d", served, test.served)
				}
				conn.Close()
				conn.Wait()
				server.Wait()
			}
		})
	}
	want := ratelimit.Rate{Calls: 2, Per: time.Hour, Each: ratelimit.EachSession}
	if got := allkinds.RateLimits().Methods[allkinds.MethodAllNone]; got != want {
		t.Error(got)
	}
}

// store is a cache.Store for calls one after the other.
type store map[string]func() []byte

func (s store) Get(key string) ([]byte, bool) {
	if s[key] == nil {
		return nil, false
	}
	value := s[key]()
	return value, value != nil
}

func (s store) Set(key string, value []byte, ttl time.Duration) {
	until := time.Now().Add(ttl)
	s[key] = func() []byte {
		if time.Now().Before(until) {
			return value
		}
		return nil
	}
}

// optional counts the calls of all/optional.
type optional struct {
	allkinds.UnimplementedServer
	calls int32
}

func (o *optional) AllOptional(context.Context, allkinds.AllOptionalParams) (allkinds.AllOptionalResult, error) {
	o.calls++
	return allkinds.AllOptionalResult{Count: o.calls}, nil
}

// TestCacheRules: results are kept as the schema says: for each principal, by some of the fields, for a time.
func TestCacheRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := cache.New(make(store), allkinds.CacheRules())
		d := runtime.NewDispatcher(allkinds.NewHandler(new(optional)), runtime.Options{Middleware: []runtime.Middleware{kept.Middleware}, Logger: quiet})
		for i, test := range []struct {
			principal, params string
			after             time.Duration
			count             int
		}{
			{"ann", `{"limit":3}`, 0, 1},
			{"ann", `{"limit":3}`, time.Minute, 1},
			{"ann", `{"query":"other","limit":3}`, 0, 1}, // the query is not a key
			{"ann", `{"limit":4}`, 0, 2},
			{"bob", `{"limit":3}`, 0, 3},
			{"ann", `{"limit":3}`, 31 * time.Second, 4},
		} {
			time.Sleep(test.after)
			msg := `{"jsonrpc":"2.0","id":1,"method":"all/optional","params":` + test.params + `}`
			answer := string(d.Dispatch(principal.With(t.Context(), test.principal), nil, []byte(msg)))
			if want := `{"jsonrpc":"2.0","id":1,"result":{"count":` + strconv.Itoa(test.count) + `}}`; answer != want {
				t.Errorf("%d: %s, not %s", i, answer, want)
			}
		}
	})
}
