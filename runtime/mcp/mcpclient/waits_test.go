package mcpclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
)

// counting is a server whose tool count_stock runs as a task.
type counting struct {
	toolbox.UnimplementedServer
	count func(ctx context.Context) error
}

func (c counting) CountStock(ctx context.Context, _ toolbox.CountStockInput) (out toolbox.CountStockOutput, err error) {
	return out, c.count(ctx)
}

func newCounting(t *testing.T, count func(ctx context.Context) error) *mcp.Server {
	s := toolbox.NewServer(counting{count: count}, mcp.Options{Logger: shop.Quiet, Tasks: mcptask.New(mcptask.Options{PollInterval: 10 * time.Millisecond})})
	t.Cleanup(func() { s.Shutdown(context.Background()); s.Close() })
	return s
}

// streams is a handler of HTTP whose streams to read from can be cut.
type streams struct {
	http.Handler
	mu   sync.Mutex
	cuts []context.CancelFunc
}

func (s *streams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		s.mu.Lock()
		s.cuts = append(s.cuts, cancel)
		s.mu.Unlock()
		r, w = r.WithContext(ctx), &hasty{ResponseWriter: w}
	}
	s.Handler.ServeHTTP(w, r)
}

// hasty writes a stream that clients come back to soon.
type hasty struct {
	http.ResponseWriter
	once sync.Once
}

func (w *hasty) Write(b []byte) (int, error) {
	w.once.Do(func() { b = append([]byte("retry: 1\n\n"), b...) })
	return w.ResponseWriter.Write(b)
}

func (w *hasty) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// cut ends the streams.
func (s *streams) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cancel := range s.cuts {
		cancel()
	}
}

// TestWaitsReconnect: two that wait for a task over HTTP hear all of its progress although the stream is cut that it comes on, and both get the result.
// In the stateless era, progress is in the state, and each request may have a connection of its own.
func TestWaitsReconnect(t *testing.T) {
	for _, era := range []mcp.Era{mcp.Handshake, mcp.Stateless} {
		t.Run(era.String(), func(t *testing.T) {
			steps := make(chan float64)
			server := newCounting(t, func(ctx context.Context) error {
				for done := range steps {
					if err := mcp.Progress(ctx, done, 3, fmt.Sprint(done)); err != nil {
						return err
					}
				}
				return nil
			})
			h := mcphttp.NewHandler(server, mcphttp.Options{Runtime: runtime.Options{Logger: shop.Quiet}, Retry: time.Millisecond})
			over := &streams{Handler: h}
			served := httptest.NewServer(over)
			t.Cleanup(func() { h.Close(); served.CloseClientConnections(); served.Close() })
			plain := &http.Transport{}
			o := mcphttp.ClientOptions{HTTP: &http.Client{Transport: plain}, Runtime: runtime.Options{Logger: shop.Quiet}}
			heard, waiting := make(chan string, 20), make(chan bool, 1000)
			waits := func(next mcpclient.Handler) mcpclient.Handler {
				return func(ctx context.Context, q *mcpclient.Request) error {
					if q.Method() == "tasks/result" || q.Method() == "tasks/get" {
						waiting <- true
					}
					return next(ctx, q)
				}
			}
			report := func(who string) func(mcpclient.ProgressReport) {
				return func(p mcpclient.ProgressReport) { heard <- who + p.Message }
			}
			c, err := mcpclient.Connect(t.Context(), mcphttp.Dial(served.URL, o), mcpclient.Options{Logger: shop.Quiet, Era: era, Middleware: []mcpclient.Middleware{waits}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			task, err := c.StartTool(mcpclient.WithProgress(t.Context(), report("")), "count_stock", runtime.Raw{})
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 2)
			for _, who := range []string{"ann", "bob"} {
				go func() {
					_, err := task.Wait(mcpclient.WithProgress(t.Context(), report(who)))
					ended <- err
				}()
			}
			<-waiting
			<-waiting
			for step := range 3 {
				steps <- float64(step + 1)
				if era == mcp.Handshake {
					got := map[string]bool{<-heard: true, <-heard: true}
					if !got[fmt.Sprint("ann", step+1)] || !got[fmt.Sprint("bob", step+1)] {
						t.Errorf("step %d: heard %v", step+1, got)
					}
				}
				over.cut()
				plain.CloseIdleConnections()
			}
			close(steps)
			for range 2 {
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}
			if len(heard) > 0 {
				t.Error(<-heard)
			}
		})
	}
}

// TestWaitsAsked: a question of a task is put to the user once, however many wait for the task; and again, if the one that asked waits no more.
func TestWaitsAsked(t *testing.T) {
	for _, era := range []mcp.Era{mcp.Handshake, mcp.Stateless} {
		for _, leaves := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				server := newCounting(t, func(ctx context.Context) error {
					_, err := mcp.Elicit(ctx, "sure", mcp.ElicitRequestFormParams{Message: "Sure?"})
					return err
				})
				asked, leave, begun := 0, context.CancelFunc(nil), make(chan bool, 2)
				var mu sync.Mutex
				o := mcpclient.Options{Logger: shop.Quiet, Era: era, OnElicit: func(ctx context.Context, _ mcp.ElicitRequestFormParams) (r mcp.ElicitResult, err error) {
					mu.Lock()
					asked++
					first := asked == 1
					mu.Unlock()
					begun <- true
					time.Sleep(time.Second) // the other one waits, too
					if first && leaves {
						leave()
						<-ctx.Done()
						return r, ctx.Err()
					}
					return mcp.ElicitResult{Action: "decline"}, nil
				}}
				c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(server), o)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				task, err := c.StartTool(t.Context(), "count_stock", runtime.Raw{})
				if err != nil {
					t.Fatal(err)
				}
				ended := make(chan error, 2)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				first, cancel := context.WithCancel(ctx)
				leave = cancel
				go func() {
					_, err := task.Wait(first)
					ended <- err
				}()
				<-begun
				go func() {
					_, err := task.Wait(ctx)
					ended <- err
				}()
				errs := []error{<-ended, <-ended}
				want := 1
				if leaves {
					want = 2
					if !errors.Is(errs[0], context.Canceled) {
						t.Errorf("%v: %v", era, errs)
					}
					errs = errs[1:]
				}
				if asked != want || errors.Join(errs...) != nil {
					t.Errorf("%v, leaves %t: asked %d times, %v", era, leaves, asked, errs)
				}
			})
		}
	}
}
