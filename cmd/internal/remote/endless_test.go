//go:build unix

package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// endless is a server whose tool answers without an end. A launcher has started it that passes on no signals, and it stays when its standard output is closed.
const endless = `echo $$ > "$PROCESS"
trap '' PIPE
while read -r line; do
	id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
	case $line in
	*'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}' ;;
	*'"tools/list"'*) result='{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}' ;;
	*'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' "$id"; tr '\0' x < /dev/zero; exec sleep 600 ;;
	*) continue ;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done`

// TestEndlessAnswer: a call whose answer has no end is over in the middle of it, once it has more than 64 MiB and a stream of bytes does not go on to the next
// message either, whatever the transport is: the connection is closed, and nothing stays of a server that was started for it.
func TestEndlessAnswer(t *testing.T) {
	ended := make(chan string, 10)
	filler := bytes.Repeat([]byte("x"), 1<<20)
	fill := func(what string, w io.Writer) { // until nobody takes it
		for {
			if _, err := w.Write(filler); err != nil {
				ended <- what
				return
			}
		}
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     json.RawMessage
			Method string
		}
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &q)
		w.Header().Set("Content-Type", "application/json")
		result := `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
		switch {
		case q.Method == "tools/list":
			result = `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`
		case q.Method == "tools/call" && r.URL.Path == "/stream":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":%s,"result":"`, q.ID)
			fill("a stream", w)
			return
		case q.Method == "tools/call", q.Method == "note/all":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":"`, q.ID)
			fill("a body", w)
			return
		case q.ID == nil:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, result)
	}))
	defer site.Close()
	defer site.CloseClientConnections()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = bufio.NewReader(conn).ReadString('\n')
		io.WriteString(conn, `{"jsonrpc":"2.0","id":1,"result":"`)
		fill("a connection", conn)
	}()
	process := filepath.Join(t.TempDir(), "process")
	tool := func(s *Server) func(ctx context.Context, t Terminal) error {
		return func(ctx context.Context, t Terminal) error { return (&Call{Tool: "t"}).Run(ctx, s, t) }
	}
	launched := &Server{Command: []string{"sh", "-c", `sh -c "$0"; true`, endless}, Wait: time.Minute, Era: mcp.Handshake}
	launched.Env = append(os.Environ(), "PROCESS="+process)
	method := func(s *Server) func(ctx context.Context, t Terminal) error {
		return func(ctx context.Context, terminal Terminal) error {
			return (&Call{Tool: "note/all"}).RunPlain(ctx, s, terminal, described(t, notesDocument))
		}
	}
	for _, c := range []struct {
		what string // that ends; empty for a process
		run  func(ctx context.Context, t Terminal) error
	}{
		{"a body", tool(&Server{URL: site.URL, Wait: time.Minute, Era: mcp.Handshake})},
		{"a stream", tool(&Server{URL: site.URL + "/stream", Wait: time.Minute, Era: mcp.Handshake})},
		{"a body", method(&Server{URL: site.URL, Wait: time.Minute})},
		{"a connection", method(&Server{URL: "tcp://" + l.Addr().String(), Wait: time.Minute})},
		{"", tool(launched)},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // far more than 64 MiB take
		var said bytes.Buffer
		err := c.run(ctx, Terminal{In: strings.NewReader(""), Out: io.Discard, Err: &said})
		if ctx.Err() != nil {
			t.Errorf("%q does not end", c.what)
		}
		cancel()
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint("over the limit of ", file.Most)) {
			t.Errorf("%q: %v\n%s", c.what, err, said.String())
		}
		if c.what != "" {
			if got := <-ended; got != c.what {
				t.Errorf("%q has ended, and not %q", got, c.what)
			}
			continue
		}
		text, _ := os.ReadFile(process)
		var pid int
		if _, err := fmt.Sscan(string(text), &pid); err != nil {
			t.Fatal(err)
		}
		await.Until(t, "the server is gone", func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
	}
}
