package streams

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/test/streams/rpc"
)

// TestCut: a stream that is cut ends with an error, as does one of a server that sends something else, and its request is sent once.
func TestCut(t *testing.T) {
	event := func(msg string) string { return "data: " + msg + "\n\n" }
	item := func(id int, text string) string {
		return event(fmt.Sprintf(`{"jsonrpc":"2.0","method":"rpc.item","params":{"id":%d,"item":{"seq":1,"text":"%s"}}}`, id, text))
	}
	const result = `{"jsonrpc":"2.0","id":1,"result":{"lines":3}}`
	for name, test := range map[string]struct {
		mediaType, body, want string
		items                 int
		lines                 uint64
	}{
		"cut":              {"text/event-stream", item(1, "a"), "cut off", 1, 0},
		"cut in an event":  {"text/event-stream", item(1, "a") + "data: {", "cut off", 1, 0},
		"nothing":          {"text/event-stream", "", "cut off", 0, 0},
		"no JSON":          {"text/event-stream", event("{"), "cut off", 0, 0},
		"large":            {"text/event-stream", item(1, strings.Repeat("x", 2000)), "over the limit", 0, 0},
		"rules":            {"text/event-stream", item(1, strings.Repeat("x", 200)) + event(result), "an item does not fit", 0, 0},
		"error without id": {"text/event-stream", event(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`), "no (code -32600)", 0, 0},
		"others": {"text/event-stream; charset=utf-8", ":\n\n" + item(2, "a") + event(`{"jsonrpc":"2.0","method":"other"}`) + event(`{"jsonrpc":"2.0","id":2,"result":{}}`) +
			event(`{"jsonrpc":"2.0","id":1,"method":"count"}`) + event("7") + item(1, "a") + event(result) + item(1, "b"), "", 1, 3},
		"no stream": {"application/json", result, "", 0, 3},
		"no answer": {"text/plain", "hello", "hello", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				if got := r.Header.Get("Accept"); got != "application/json, text/event-stream" {
					t.Error(got)
				}
				w.Header().Set("Content-Type", test.mediaType)
				io.WriteString(w, test.body)
			}))
			defer web.Close()
			tail := site{web, t}.client(rpchttp.ClientOptions{MaxMessage: 1000}).OpenLogsTail(t.Context(), rpc.LogsTailParams{File: "a"})
			items := 0
			for _, err := range tail.All() {
				if err == nil {
					items++
				}
			}
			got, err := tail.Result()
			if items != test.items || got.Lines != test.lines || (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) || requests.Load() != 1 {
				t.Error(items, got, err, requests.Load())
			}
		})
	}
}

// TestHTTPShutdown: streams end at once when their server shuts down, and the client gets the response.
func TestHTTPShutdown(t *testing.T) {
	w := waiting{service{ended: make(chan error, 1)}, make(chan string, 1)}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan error, 1)
	handler := rpchttp.NewHandler(rpc.NewHandler(w), rpchttp.Options{Runtime: runtime.Options{Logger: quiet}})
	go func() { served <- rpchttp.Serve(ctx, l, "/rpc", handler) }()
	conn, err := rpchttp.Dial("http://"+l.Addr().String()+"/rpc", rpchttp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var last error
	for _, err := range rpc.NewClient(conn).LogsTail(t.Context(), rpc.LogsTailParams{File: "a"}) {
		if last = err; err == nil {
			<-w.begun
			stop()
		}
	}
	if answer, ok := errors.AsType[*runtime.Error](last); !ok || answer.Code != -32800 {
		t.Error(last)
	}
	if err := <-w.ended; err.Error() != "the session is shut down" {
		t.Error(err)
	}
	if err := <-served; err != context.Canceled {
		t.Error(err)
	}
}

// TestHTTPClose: a connection that is closed ends its streams.
func TestHTTPClose(t *testing.T) {
	w := waiting{service{ended: make(chan error, 1)}, make(chan string, 1)}
	s := serveHTTP(t, w, rpchttp.Options{})
	conn, err := rpchttp.Dial(s.URL, rpchttp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	client := rpc.NewClient(conn)
	var last error
	for _, last = range client.LogsTail(t.Context(), rpc.LogsTailParams{File: "a"}) {
		if last == nil {
			conn.Close()
		}
	}
	if !errors.Is(last, runtime.ErrClosed) || <-w.ended == nil {
		t.Error(last)
	}
	for _, err := range client.LogsTail(t.Context(), rpc.LogsTailParams{File: "a"}) {
		if !errors.Is(err, runtime.ErrClosed) {
			t.Error(err)
		}
	}
}

// failing sends an item, and ends in another way.
type failing struct{ service }

func (failing) LogsTail(ctx context.Context, p rpc.LogsTailParams, out rpc.LogsTailStream) (result rpc.LogsTailResult, err error) {
	if err := out.Send(ctx, rpc.Line{}); err != nil {
		return result, err
	}
	switch p.File {
	case "panic":
		panic("no file")
	case "exit":
		goruntime.Goexit()
	}
	return result, &rpc.NoFileError{File: p.File}
}

// TestHTTPFaults: the response of a stream whose handler fails after an item is the last event, whatever the status of the error.
func TestHTTPFaults(t *testing.T) {
	client := serveHTTP(t, failing{}, rpchttp.Options{}).client(rpchttp.ClientOptions{})
	for file, want := range map[string]string{"panic": "Internal error", "exit": "Internal error", "other": "no file other"} {
		tail, items := client.OpenLogsTail(t.Context(), rpc.LogsTailParams{File: file}), 0
		for _, err := range tail.All() {
			if err == nil {
				items++
			}
		}
		_, err := tail.Result()
		if items != 1 || err == nil || !strings.Contains(err.Error(), want) {
			t.Error(file, items, err)
		}
	}
}
