package mount_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/test/await"
	"github.com/rpcgen-go/rpcgen/test/office"
)

// TestUpstreamWeather: a call of an upstream over HTTP that is full, has gone, or neither answers nor ends, has an error within the time for it, and is done
// at most once. Once the upstream is well, calls are answered again.
func TestUpstreamWeather(t *testing.T) {
	ways(t, func(t *testing.T, revision, client string) {
		old := newChanging(t)
		var done atomic.Int64
		old.add(t, "quick", func(context.Context) (string, error) { done.Add(1); return "done", nil })
		h := mcphttp.NewHandler(old.server, mcphttp.Options{Runtime: runtime.Options{Logger: office.Options.Logger}})
		var weather atomic.Value
		weather.Store("well")
		served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch weather.Load() {
			case "full":
				w.Header().Set("Retry-After", "1")
				http.Error(w, `{"jsonrpc":"2.0","error":{"code":503,"message":"Overloaded"}}`, http.StatusServiceUnavailable)
			case "away":
				panic(http.ErrAbortHandler)
			case "asleep":
				_, _ = io.Copy(io.Discard, r.Body)
				<-r.Context().Done()
			default:
				h.ServeHTTP(w, r)
			}
		}))
		t.Cleanup(func() { h.Close(); served.CloseClientConnections(); served.Close() })
		s, up := front(t, mount.UpstreamOptions{}, mount.Upstream{Name: "old", Revisions: []string{revision}, Timeout: time.Second,
			Dial: mcphttp.Dial(served.URL, mcphttp.ClientOptions{Runtime: runtime.Options{Logger: office.Options.Logger}})})
		ready(t, up)
		c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(s), mcpclient.Options{Revisions: []string{client}, Logger: office.Options.Logger})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		user, calls := &office.User{Client: c}, int64(0)
		call := func() string {
			calls++
			return office.Answer(t, user, "tools/call", `{"name":"quick"}`)
		}
		for _, one := range []struct{ weather, want string }{
			{"full", "Overloaded (code 503)"}, {"away", `The server \"old\" cannot be reached at present`}, {"asleep", `The server \"old\" did not answer within 1s`},
			{"away", `The server \"old\" cannot be reached at present`}, {"full", "Overloaded (code 503)"},
		} {
			weather.Store(one.weather)
			got := call()
			for one.weather != "asleep" && strings.Contains(got, "did not answer within 1s") { // this machine is slow
				got = call()
			}
			if !strings.Contains(got, one.want) {
				t.Errorf("%s: got %s, want %s", one.weather, got, one.want)
			}
			weather.Store("well")
			await.Until(t, "calls are answered", func() bool { return strings.Contains(call(), "done") })
		}
		if n := done.Load(); n > calls {
			t.Errorf("%d calls are done %d times", calls, n)
		}
	})
}
