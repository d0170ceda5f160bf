package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/rpc"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/websocket"
)

// socket returns a path for a socket, which has to be short.
func socket(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rpc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s.ipc")
}

// site serves a handler over HTTP until the test ends, and returns its URL.
func site(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// ws is the URL of a WebSocket server whose other one is url.
func ws(url string) string { return "ws" + strings.TrimPrefix(url, "http") }

// TestClient: go-ethereum's client at the weather service.
func TestClient(t *testing.T) {
	handler := weather.NewHandler(office.Office{})
	path := socket(t)
	l, err := tcp.ListenUnix(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- tcp.Serve(ctx, l, handler) }()
	sockets := websocket.NewHandler(handler, websocket.Options{})
	t.Cleanup(func() {
		sockets.Close()
		stop()
		<-served
	})
	for name, url := range map[string]string{
		"HTTP": site(t, rpchttp.NewHandler(handler, rpchttp.Options{})), "WebSocket": ws(site(t, sockets)), "IPC": path,
	} {
		t.Run(name, func(t *testing.T) {
			c, err := rpc.DialContext(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			visit(t, c)
			// Over HTTP, this client waits for a response to a notification, which JSON-RPC 2.0 section 4.1 forbids: no server satisfies it.
			if err := c.Notify(t.Context(), "weather/current", "Oslo"); err != nil && (name != "HTTP" || err != io.EOF) {
				t.Error(err)
			}
		})
	}
}

// visit makes calls of every kind.
func visit(t *testing.T, c *rpc.Client) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var report struct{ Degrees float64 }
	if err := c.CallContext(ctx, &report, "weather/current", "Oslo", "fahrenheit"); err != nil || report.Degrees != 26.6 {
		t.Error(report, err)
	}
	err := c.CallContext(ctx, &report, "weather/current", "Pariz")
	declared, ok := errors.AsType[rpc.DataError](err)
	if !ok || fmt.Sprint(declared.ErrorData()) != "map[city:Pariz didYouMean:[Paris]]" || err.Error() != "city Pariz not found" {
		t.Error(err, declared)
	}
	if code, ok := err.(rpc.Error); !ok || code.ErrorCode() != 1001 {
		t.Error(code)
	}
	if err := c.CallContext(ctx, nil, "weather/nothing"); err == nil || err.(rpc.Error).ErrorCode() != runtime.CodeMethodNotFound {
		t.Error(err)
	}
	batch := []rpc.BatchElem{
		{Method: "weather/current", Args: []any{"Paris"}, Result: new(json.RawMessage)},
		{Method: "weather/current", Args: []any{"Atlantis"}, Result: new(json.RawMessage)},
	}
	if err := c.BatchCallContext(ctx, batch); err != nil || batch[0].Error != nil || batch[1].Error == nil {
		t.Error(err, batch)
	}
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 50 {
				var report struct{ Degrees float64 }
				if err := c.CallContext(ctx, &report, "weather/current", "Lagos"); err != nil || report.Degrees != 31 {
					t.Error(report, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// Service is what go-ethereum serves.
type Service struct{}

// Add returns the sum.
func (Service) Add(a, b int) int { return a + b }

// Fail returns an error.
func (Service) Fail() error { return errors.New("it failed") }

// Count sends the numbers below n to a subscriber.
func (Service) Count(ctx context.Context, n int) (*rpc.Subscription, error) {
	notifier, ok := rpc.NotifierFromContext(ctx)
	if !ok {
		return nil, rpc.ErrNotificationsUnsupported
	}
	s := notifier.CreateSubscription()
	go func() {
		for i := range n {
			notifier.Notify(s.ID, i)
		}
	}()
	return s, nil
}

// inbox takes the notifications of a server.
type inbox chan string

func (inbox) Protocol() runtime.Protocol        { return runtime.Plain }
func (inbox) Condition(runtime.Condition) error { return nil }
func (inbox) Hooks() runtime.Hooks              { return runtime.Hooks{} }

func (b inbox) Handle(_ context.Context, c *runtime.Call) {
	var text string
	for c.Params("") {
		text = string(c.Reader().Text())
	}
	if !c.Answered() {
		b <- c.Method() + " " + text
		c.ReturnEmpty()
	}
}

// TestServer: connections of rpcgen at go-ethereum's server.
func TestServer(t *testing.T) {
	server := rpc.NewServer()
	defer server.Stop()
	if err := server.RegisterName("test", Service{}); err != nil {
		t.Fatal(err)
	}
	path := socket(t)
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go server.ServeListener(l)
	url, wsURL := site(t, server), ws(site(t, server.WebsocketHandler([]string{"*"})))
	in := make(inbox, 10)
	for name, dial := range map[string]func(ctx context.Context) (runtime.Conn, error){
		"HTTP": func(context.Context) (runtime.Conn, error) { return rpchttp.Dial(url, rpchttp.ClientOptions{}) },
		"WebSocket": func(ctx context.Context) (runtime.Conn, error) {
			return websocket.Dial(ctx, wsURL, in, websocket.ClientOptions{})
		},
		"IPC": func(ctx context.Context) (runtime.Conn, error) { return tcp.DialUnix(ctx, path, in) },
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.(interface{ Close() error }).Close()
			expect(t, conn, "test_add", `[2,3]`, `"result":5}`)
			expect(t, conn, "test_fail", `[]`, `"error":{"code":-32000,"message":"it failed"}`)
			expect(t, conn, "test_nothing", `[]`, `"code":-32601`)
			sums(t, conn)
			if name == "HTTP" {
				return // which has no way back
			}
			expect(t, conn, "test_subscribe", `["count",3]`, `"result":"0x`)
			for i := range 3 {
				if got := <-in; !strings.HasPrefix(got, "test_subscription ") || !strings.Contains(got, fmt.Sprintf(`"result":%d}`, i)) {
					t.Error(got)
				}
			}
		})
	}
}

// expect makes a call, whose answer has to hold want.
func expect(t *testing.T, conn runtime.Conn, method, params, want string) {
	t.Helper()
	id, err := conn.NextID(1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := conn.Call(t.Context(), id, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	if err != nil || !strings.Contains(string(got), want) {
		t.Errorf("%s: %s, %v", method, got, err)
	}
}

// sums sends a batch.
func sums(t *testing.T, conn runtime.Conn) {
	t.Helper()
	const n = 20
	first, err := conn.NextID(n)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"test_add","params":[%d,1000]}`, first+int64(i), i))
	}
	answers, err := conn.CallBatch(t.Context(), first, n, []byte("["+strings.Join(all, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range answers {
		if !strings.Contains(string(got), fmt.Sprintf(`"result":%d}`, 1000+i)) {
			t.Errorf("%d: %s", i, got)
		}
	}
}
