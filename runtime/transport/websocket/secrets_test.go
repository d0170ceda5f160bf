package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

const secretToken = "SECRET-TOKEN.with~some+more_characters-1"

// TestRepeatedToken: a token of the handshake that a server repeats is in no error, neither of the handshake nor of the session. Results are
// data, and stay.
func TestRepeatedToken(t *testing.T) {
	escaped := strings.ReplaceAll(secretToken, "-", `\u002d`)
	refuse := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	accept := func(f func(ctx context.Context, ws *websocket.Conn)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			ws, err := websocket.Accept(w, r, nil)
			if err != nil {
				return
			}
			defer ws.CloseNow()
			f(r.Context(), ws)
		}
	}
	reply := func(text string) http.HandlerFunc {
		return accept(func(ctx context.Context, ws *websocket.Conn) {
			ws.Read(ctx)
			ws.Write(ctx, websocket.MessageText, []byte(text))
			ws.Read(ctx)
		})
	}
	for name, serve := range map[string]http.HandlerFunc{
		"an error of HTTP": refuse(401, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"bad `+secretToken+`","data":"`+escaped+`"}}`),
		"a page":           refuse(403, "bad "+secretToken),
		"a strange header": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", secretToken)
			w.WriteHeader(http.StatusSwitchingProtocols)
		},
		"an answer that is none": func(w http.ResponseWriter, _ *http.Request) {
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				fmt.Fprintf(conn, "HTTP/1.1 %s\r\n\r\n", secretToken)
				conn.Close()
			}
		},
		"an error": reply(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"bad ` + secretToken + `","data":{"` + escaped + `":"` + secretToken + `"}}}`),
		"a reason": accept(func(ctx context.Context, ws *websocket.Conn) {
			ws.Read(ctx)
			ws.Close(websocket.StatusPolicyViolation, "bad "+secretToken)
		}),
	} {
		site := httptest.NewServer(serve)
		header := http.Header{"Authorization": {"Bearer " + secretToken}}
		s, err := Dial(t.Context(), "ws"+strings.TrimPrefix(site.URL, "http"), nil, ClientOptions{Header: header, Runtime: runtime.Options{Logger: quiet}})
		if err == nil {
			_, err = weather.NewClient(s).Current(t.Context(), weather.CurrentParams{City: "x"})
			s.Close()
			err = errors.Join(err, s.Wait())
		}
		text := fmt.Sprintf("%v %+v %#v", err, err, err)
		if e, ok := errors.AsType[*HandshakeError](err); ok {
			text += fmt.Sprintf("%+v", *e)
		}
		if e, ok := errors.AsType[*CloseError](err); ok {
			text += fmt.Sprintf("%+v", *e)
		}
		if e, ok := errors.AsType[*runtime.Error](err); ok {
			text += fmt.Sprintf("%+v %s", *e, e.Data)
		}
		if err == nil || strings.Contains(text, secretToken) || strings.Contains(text, escaped) {
			t.Errorf("%s: %s", name, text)
		}
		site.Close()
	}
}

// TestResultsStay: what a server answers is data.
func TestResultsStay(t *testing.T) {
	s := newSite(t, weather.NewHandler(office()), Options{})
	c := s.must(ClientOptions{Header: http.Header{"Authorization": {"Bearer Lisbon"}}})
	got, err := weather.NewClient(c).Current(t.Context(), weather.CurrentParams{City: "Lisbon"})
	if err != nil || got.City != "Lisbon" {
		t.Error(got, err)
	}
}

// TestLargeHeaders: a server cannot make a client read headers without end.
func TestLargeHeaders(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 1<<20))
	}))
	defer site.Close()
	_, err := Dial(t.Context(), "ws"+strings.TrimPrefix(site.URL, "http"), nil, ClientOptions{})
	if err == nil || !strings.Contains(err.Error(), "server response headers exceeded 65536 bytes") {
		t.Errorf("%.200v", err)
	}
}
