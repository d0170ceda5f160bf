package mcphttp

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
)

// FuzzHead reads what another replica may have sent. What is taken is taken again when it is encoded.
func FuzzHead(f *testing.F) {
	r := httptest.NewRequest(http.MethodPost, "http://example.com/mcp?x=1", nil)
	r.Header = http.Header{"Accept": {"a", "b"}, "X": {""}}
	f.Add(encodeRequest(r, []byte(`{"a":1}`)))
	f.Add([]byte{headVersion})
	f.Add([]byte{headVersion + 1, 0})
	f.Add(append([]byte{headVersion}, bytes.Repeat([]byte{255}, 20)...))
	f.Fuzz(func(t *testing.T, text []byte) {
		(&forwarder{w: httptest.NewRecorder()}).part(text) // does not panic
		r, err := decodeRequest(t.Context(), text)
		if err != nil {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeRequest(t.Context(), encodeRequest(r, body))
		if err != nil {
			t.Fatal(err)
		}
		rest, _ := io.ReadAll(again.Body)
		if !bytes.Equal(rest, body) || !reflect.DeepEqual(r.Header, again.Header) || r.Method != again.Method || r.Host != again.Host || r.RemoteAddr != again.RemoteAddr {
			t.Errorf("got %+v %s, want %+v %s", again, rest, r, body)
		}
	})
}
