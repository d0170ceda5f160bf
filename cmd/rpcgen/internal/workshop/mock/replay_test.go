package mock

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

func recording(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.txtar")
	if err := os.WriteFile(name, []byte("rpcgen transcript v1\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

const conversation = `-- client --
{"jsonrpc":"2.0","id":1,"method":"a"}
-- server --
{"jsonrpc":"2.0","id":9,"method":"ask"}
-- client --
{"jsonrpc":"2.0","id":9,"result":1}
-- server --
{"jsonrpc":"2.0", "id":1,"result":"a"}
-- client --
{"jsonrpc":"2.0","id":2,"method":"b"}
-- server --
base64:bm90IEpTT04=
{"jsonrpc":"2.0","id":2,"result":"b"}
`

// TestReplay: answers come in the order of the requests; one that waits for the client does not hold up the next.
func TestReplay(t *testing.T) {
	var log strings.Builder
	r, err := newReplay(recording(t, conversation), false, nil, &log)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		near, far := pipe.New(0)
		done := make(chan error, 1)
		go func() { done <- r.serveConn(context.Background(), far) }()
		say := func(text string) { near.WriteFrame([]byte(text)) }
		hear := func(want string) {
			t.Helper()
			if got, err := near.ReadFrame(); err != nil || string(got) != want {
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		}
		say(`{"jsonrpc":"2.0","id":"x","method":"a"}`)
		hear(`{"jsonrpc":"2.0","id":9,"method":"ask"}`)
		say(`{"jsonrpc":"2.0","id":5,"method":"b"}`)
		hear(`not JSON`)
		hear(`{"jsonrpc":"2.0","id":5,"result":"b"}`)
		say(`{"jsonrpc":"2.0","id":9.0,"result":{"other":"answer"}}`)
		hear(`{"jsonrpc":"2.0", "id":"x","result":"a"}`)
		say(`{"jsonrpc":"2.0","method":"notifications/odd"}`)
		say(`{"jsonrpc":"2.0","id":6,"method":"b","params":{"x":1}}`)
		hear(`{"jsonrpc":"2.0","id":6,"error":{"code":-32603,"message":"not recorded: b; the nearest request of the recording differs: /params/x is 1 here, and not there"}}`)
		say(`{"jsonrpc":"2.0","id":7,"method":"a"}`)
		hear(`{"jsonrpc":"2.0","id":9,"method":"ask"}`)
		near.CloseWrite() // which does not wait for the answer to the question
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if r.unknownRequests() != 1 || !strings.Contains(log.String(), "not recorded: b") {
		t.Error(r.unknownRequests(), log.String())
	}
}

func TestReplayRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"redacted: 2\n-- client --\n{}\n": "2 values are redacted",
		"":                                "there are no messages",
		"-- client +x --\n":               "a.txtar:2:",
	} {
		if _, err := newReplay(recording(t, text), false, nil, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestReplayHTTP: a recording is served over HTTP, with the recorded status and headers if it has them.
func TestReplayHTTP(t *testing.T) {
	r, err := newReplay(recording(t, conversation+`-- client --
# 1 POST; content-type: application/json
{"jsonrpc":"2.0","id":1,"method":"c"}
-- server --
# 1 404; content-type: application/json; mcp-session-id: s
base64:ewogImlkIjogMSwgInJlc3VsdCI6IDEKfQ==
-- client --
# 2 GET
-- server --
# 2 200; content-type: text/event-stream
{"jsonrpc":"2.0","method":"changed"}
`), false, nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(&replayHTTP{replay: r})
	defer web.Close()
	post := func(text string) *http.Response {
		resp, err := http.Post(web.URL, "application/json", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	resp := post(`{"jsonrpc":"2.0","id":77,"method":"c"}`)
	body, _ := io.ReadAll(resp.Body)
	if got := fmt.Sprint(resp.StatusCode, resp.Header.Get("Mcp-Session-Id"), string(body)); got != "404s{\n \"id\": 77, \"result\": 1\n}" {
		t.Errorf("%q", got)
	}
	resp = post(`{"jsonrpc":"2.0","id":"x","method":"a"}`)
	lines := bufio.NewScanner(resp.Body)
	next := func() string {
		for lines.Scan() {
			if lines.Text() != "" {
				return lines.Text()
			}
		}
		return "the end"
	}
	if got := next(); got != `data: {"jsonrpc":"2.0","id":9,"method":"ask"}` {
		t.Error(got)
	}
	if resp := post(`{"jsonrpc":"2.0","id":9,"result":1}`); resp.StatusCode != http.StatusAccepted {
		t.Error(resp.Status)
	}
	if got := next() + next(); got != `data: {"jsonrpc":"2.0", "id":"x","result":"a"}the end` {
		t.Error(got)
	}
	if resp := post(`{"jsonrpc":"2.0","method":"notifications/x"}`); resp.StatusCode != http.StatusAccepted {
		t.Error(resp.Status)
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL, nil)
	stream, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	if line, _ := bufio.NewReader(stream.Body).ReadString('\n'); line != "data: {\"jsonrpc\":\"2.0\",\"method\":\"changed\"}\n" {
		t.Errorf("%q", line)
	}
}
