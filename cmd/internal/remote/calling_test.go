package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// notice is a writer that calls a function when a text is written.
type notice struct {
	bytes.Buffer
	text string
	call func()
}

func (n *notice) Write(b []byte) (int, error) {
	if strings.Contains(string(b), n.text) {
		n.call()
	}
	return n.Buffer.Write(b)
}

// TestTimeout: a call that is answered with another id, or not at all, ends, and says what came.
func TestTimeout(t *testing.T) {
	for _, id := range []string{"99", "null", ""} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var q struct {
				ID     json.RawMessage
				Method string
			}
			body, _ := io.ReadAll(r.Body)
			_ = json.Unmarshal(body, &q)
			result := "{}"
			switch q.Method {
			case "initialize":
				result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
			case "tools/list":
				result = `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`
			case "tools/call":
				w.Header().Set("Content-Type", "text/event-stream")
				if id != "" {
					fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\n", id)
				}
				http.NewResponseController(w).Flush()
				<-r.Context().Done()
				return
			case "server/discover":
				w.WriteHeader(http.StatusNotFound)
				return
			}
			if q.ID == nil {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, result)
		}))
		clock := new(patience)
		said := &notice{text: "a response", call: func() { clock.asks(-1) }}
		if id != "" {
			clock.asks(1) // it stands still until it is said what came
		}
		s := &Server{URL: site.URL, Wait: time.Minute}
		err := (&Call{Tool: "t", Timeout: time.Millisecond}).Run(t.Context(), s, Terminal{In: strings.NewReader(""), Out: io.Discard, Err: said, clock: clock})
		if err == nil || !strings.Contains(err.Error(), "--timeout") {
			t.Errorf("%q: %v", id, err)
		}
		if id != "" && !strings.Contains(said.String(), said.text) {
			t.Errorf("%q: it says %q", id, said.String())
		}
		site.CloseClientConnections()
		site.Close()
	}
}

// TestHowAServerEnds: what was printed is what counts, and how the server ends is a line on the standard error.
func TestHowAServerEnds(t *testing.T) {
	killed, other := errors.New("the program ended: signal: killed"), errors.New("no answer")
	const line = "the server has answered, and did not end in order: the program ended: signal: killed\n"
	for _, c := range []struct {
		err, end, want error
		said           string
	}{
		{nil, nil, nil, ""},
		{nil, killed, nil, line},
		{ErrFailed, killed, ErrFailed, line},
		{other, nil, other, ""},
		{other, killed, killed, ""},
	} {
		var said bytes.Buffer
		if err := closingError(Terminal{Err: &said}, c.err, c.end); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) || said.String() != c.said {
			t.Errorf("%v, %v: got %v, and %q", c.err, c.end, err, said.String())
		}
	}
}
