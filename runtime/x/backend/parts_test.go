package backend_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
)

// TestPartNames: names of parts that servers read differently are refused, with the member that has them; others are escaped as browsers do.
func TestPartNames(t *testing.T) {
	var sent string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		sent = string(b)
		_, _ = io.WriteString(w, "{}")
	}))
	defer api.Close()
	c, err := backend.New(&backend.API{Name: "api"}, backend.Options{Server: api.URL, Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []backend.Place{{Field: "labels", In: "body", Style: "deep"}, {Field: "labels", In: "body", Whole: true}} {
		for name, want := range map[string]string{
			"plain": "plain", `a"b`: "a%22b", "a\r\nX-B: c": "a%0D%0AX-B: c", "über": "über",
			`a\`: "", "a\x00": "", "a\tb": "", "a\x7f": "", "a\u0085": "",
		} {
			sent = ""
			call := &backend.Call{Tool: "t", Method: "POST", Path: "/", Body: "multipart", Input: []backend.Place{place}}
			err := c.Do(t.Context(), call, func(b []byte) []byte {
				return append(wire.AppendString(append(b, `{"labels":{`...), name), `:"v"}}`...)
			}, func(*wire.Reader) {}, nil)
			if want == "" {
				if err == nil || sent != "" || !strings.Contains(fmt.Sprint(err), "/labels: ") {
					t.Errorf("%q, %+v: %v, sent %q", name, place, err, sent)
				}
				continue
			}
			if !place.Whole {
				want = "labels[" + want + "]"
			}
			if err != nil || !strings.Contains(sent, `form-data; name="`+want+`"`+"\r\n\r\nv\r\n") {
				t.Errorf("%q, %+v: %v, sent %q", name, place, err, sent)
			}
		}
	}
}
