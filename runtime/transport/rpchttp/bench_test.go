package rpchttp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// BenchmarkPost compares the handler, with 16 callers on connections of their own, with one that reads the body and answers the same bytes.
func BenchmarkPost(b *testing.B) {
	const request = `{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"Paris","days":3}}`
	server := &weather.Server{Way: runtime.Plain, Current: func(_ context.Context, p weather.CurrentParams) (weather.Report, error) {
		return weather.Report{City: p.City, Degrees: 14.5}, nil
	}}
	handler := NewHandler(weather.NewHandler(server), Options{Runtime: runtime.Options{Logger: quiet}})
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(request))
	r.Header.Set("Content-Type", "application/json")
	handler.ServeHTTP(w, r)
	answer := w.Body.Bytes()
	canned := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Write(answer)
	})
	for name, h := range map[string]http.Handler{"rpchttp": handler, "canned": canned} {
		b.Run(name, func(b *testing.B) {
			s := httptest.NewServer(h)
			defer s.Close()
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
			defer client.CloseIdleConnections()
			b.SetParallelism(8) // of each of the processors
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					resp, err := client.Post(s.URL, "application/json", strings.NewReader(request))
					if err != nil || resp.StatusCode != http.StatusOK {
						b.Error(resp, err)
						return
					}
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
			})
		})
	}
}

// BenchmarkGather compares calls that are gathered with calls that are not, for handlers that return at once and for those that wait.
func BenchmarkGather(b *testing.B) {
	for _, waits := range []time.Duration{0, 5 * time.Millisecond} {
		server := &weather.Server{Way: runtime.Plain, Current: func(_ context.Context, p weather.CurrentParams) (weather.Report, error) {
			if waits > 0 {
				time.Sleep(waits)
			}
			return weather.Report{City: p.City, Degrees: 14.5}, nil
		}}
		for _, callers := range []int{1, 4, 12, 16, 64} {
			for _, o := range []ClientOptions{{}, {Gather: func(string) bool { return true }}} {
				b.Run(fmt.Sprintf("waits=%s/callers=%d/gathered=%t", waits, callers, o.Gather != nil), func(b *testing.B) {
					s := httptest.NewServer(NewHandler(weather.NewHandler(server), Options{Runtime: runtime.Options{Logger: quiet}}))
					defer s.Close()
					c, err := Dial(s.URL, o)
					if err != nil {
						b.Fatal(err)
					}
					defer c.Close()
					client := weather.NewClient(c)
					b.ReportAllocs()
					var group sync.WaitGroup
					for i := range callers {
						group.Go(func() {
							for n := i; n < b.N; n += callers {
								if _, err := client.Current(b.Context(), weather.CurrentParams{City: "Paris", Days: 3}); err != nil {
									b.Error(err)
									return
								}
							}
						})
					}
					group.Wait()
				})
			}
		}
	}
}
