package backend_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
)

// BenchmarkCall is a call with an answer of 6.3 KB, without a network: one issue, most of whose members the output does not have.
func BenchmarkCall(b *testing.B) {
	var more strings.Builder
	for i := range 100 {
		fmt.Fprintf(&more, `,"member_%d":{"url":"https://api.example.com/%d","n":%d}`, i, i, i)
	}
	body := []byte(`{"number":1,"title":"a","state":"open","user":{"login":"ann"}` + more.String() + `}`)
	api, err := rpc.NewBackend(rpc.BackendOptions{Tracker: backend.Options{
		Server: "https://api.example.com", Credentials: backend.Fixed{"token": backend.Bearer("t")},
		Transport: roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body))}, nil
		}),
	}})
	if err != nil {
		b.Fatal(err)
	}
	in := rpc.IssuePatchInput{Number: 1, Changes: map[string]runtime.Raw{"title": runtime.RawOf([]byte(`"b"`))}}
	b.Run("generated", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			if out, err := api.IssuePatch(b.Context(), in); err != nil || out.Number != 1 {
				b.Fatal(out, err)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) { // the answer alone
		b.ReportAllocs()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			var out struct {
				Number int64                   `json:"number"`
				Title  string                  `json:"title"`
				State  string                  `json:"state"`
				User   *struct{ Login string } `json:"user"`
			}
			if err := json.Unmarshal(body, &out); err != nil {
				b.Fatal(err)
			}
		}
	})
}
