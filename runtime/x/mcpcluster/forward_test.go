package mcpcluster

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"
)

var _ http.ResponseWriter = (*forwardedWriter)(nil)

// TestHead: requests and answers of replicas that are not valid are errors.
func TestHead(t *testing.T) {
	for _, bad := range []string{"", "{}", "\x01", "\x02\x00\x00\x00\x00\x00", "\x01\x03GET\x03x y\x00\x00\x00", "\x01\x03GET\x01/\x00\x00\xff\xff\xff\xff\x0f"} {
		if _, err := decodeRequest(t.Context(), []byte(bad)); err == nil {
			t.Errorf("%q was taken for a request", bad)
		}
	}
	f := &forwarder{w: nil, timeout: time.Second}
	if err := f.part([]byte("rubbish")); err == nil {
		t.Error("rubbish was taken for an answer")
	}
	if err := f.part([]byte("\x01\x00\x00")); !errors.Is(err, errNotServed) {
		t.Errorf("got %v", err)
	}
}

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
