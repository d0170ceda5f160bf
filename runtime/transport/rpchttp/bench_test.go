package rpchttp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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
