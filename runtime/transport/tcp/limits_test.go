package tcp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/heap"
	"github.com/rpcgen-go/rpcgen/runtime/internal/idle"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/test/await"
)

const call = `{"jsonrpc":"2.0","id":1,"method":"weather/ping"}`

// dial connects by hand.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

// ends waits for the end of what the server sends, and returns it.
func ends(t *testing.T, c net.Conn) string {
	t.Helper()
	got, err := io.ReadAll(c)
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		t.Fatal("the connection is kept")
	}
	return string(got)
}

// TestDeadlines: a peer that does not send a message in time loses its connection, whatever it sends meanwhile.
func TestDeadlines(t *testing.T) {
	const short = 100 * time.Millisecond
	speak := func(c net.Conn, text, drip string) {
		io.WriteString(c, text)
		for drip != "" {
			if _, err := io.WriteString(c, drip); err != nil {
				return
			}
			time.Sleep(short / 10)
		}
	}
	lines, headers := WithFraming(frame.Lines), WithFraming(frame.Headers)
	first, message := []Option{WithFirstTimeout(short)}, []Option{WithMessageTimeout(short)}
	for name, c := range map[string]struct {
		opts []Option
		send string
		drip string
		want int // answers
	}{
		"silence":                  {first, "", "", 0},
		"blank lines":              {first, "", "\n", 0},
		"a first message by drop":  {first, "{", " ", 0},
		"part of a message":        {message, call + "\n{", "", 1},
		"part of a message, later": {message, call + "\n", "{", 1},
		"a line without an end":    {append(message, WithMaxFrame(64)), call + "\n", "xxxxxxxxxx", 1},
		"part of a header":         {append(message, headers), "Content-Length: 48\r\n\r\n" + call + "Content-Le", "", 1},
		"headers without an end":   {append(message, headers), "Content-Length: 48\r\n\r\n" + call, "X: y\r\n", 1},
		"part of a body":           {append(message, headers), "Content-Length: 48\r\n\r\n" + call + "Content-Length: 100\r\n\r\n{", "", 1},
		"a body by drop":           {append(message, headers), "Content-Length: 48\r\n\r\n" + call + "Content-Length: 1000000\r\n\r\n", "x", 1},
		"idling":                   {[]Option{WithIdleTimeout(short)}, call + "\n", "", 1},
		"idling over blank lines":  {[]Option{WithIdleTimeout(short), lines}, call + "\n" + strings.Replace(call, `"id":1`, `"id":2`, 1) + "\n", "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, end := connected(t, weather.NewHandler(ping()), c.opts)
				var speaking sync.WaitGroup
				defer speaking.Wait()
				defer end()
				conn.SetDeadline(time.Now().Add(20 * time.Second))
				speaking.Go(func() { speak(conn, c.send, c.drip) })
				if got := ends(t, conn); strings.Count(got, `"result"`) != c.want {
					t.Errorf("got %q", got)
				}
			})
		})
	}
}

// TestDeadlinesSpareTheGood: a peer that sends complete messages, waits for a long call, or only listens, keeps its connection.
func TestDeadlinesSpareTheGood(t *testing.T) {
	const short = 400 * time.Millisecond
	server := ping()
	server.Current = func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
		time.Sleep(3 * short)
		return weather.Report{City: p.City}, ctx.Err()
	}
	for name, opts := range map[string][]Option{
		"listening":   {WithFirstTimeout(short), WithMessageTimeout(short)},
		"a long call": {WithFirstTimeout(short), WithMessageTimeout(short), WithIdleTimeout(2 * short)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, end := connected(t, weather.NewHandler(server), opts)
				defer end()
				s := NewSession(t.Context(), conn, nil, WithOptions(runtime.Options{Logger: quiet}))
				client := weather.NewClient(s)
				if err := client.Ping(t.Context()); err != nil {
					t.Error(err)
				}
				if name == "listening" {
					time.Sleep(3 * short)
				}
				if _, err := client.Current(t.Context(), weather.CurrentParams{City: strings.Repeat("x", 1<<16)}); err != nil {
					t.Error(err)
				}
				s.Close()
				s.Wait()
			})
		})
	}
}

// connected returns the client's side of a connection in memory to a server, for tests in a bubble, and ends the server.
func connected(t *testing.T, h runtime.Handler, opts []Option) (client net.Conn, end func()) {
	ctx, stop := context.WithCancel(t.Context())
	l := pipes{make(chan net.Conn, 1), ctx.Done()}
	client, server := net.Pipe()
	l.conns <- server
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, h, append(opts, WithOptions(runtime.Options{Logger: quiet}))...) }()
	return client, func() {
		client.Close()
		stop()
		if err := <-served; err != context.Canceled {
			t.Error(err)
		}
	}
}

// pipes is a listener for connections in memory.
type pipes struct {
	conns chan net.Conn
	done  <-chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (pipes) Close() error   { return nil }
func (pipes) Addr() net.Addr { return nil }

// TestPagesAreRefused: the body of an HTTP request, which any page in a browser can send, is not a message. A connection that begins otherwise is
// served, whatever comes later.
func TestPagesAreRefused(t *testing.T) {
	const body = call + "\n"
	for name, framing := range map[string]frame.Framing{"lines": frame.Lines, "headers": frame.Headers} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int64
			server := ping()
			server.Ping = func(context.Context) error {
				calls.Add(1)
				return nil
			}
			address, _ := start(t, weather.NewHandler(server), WithFraming(framing))
			request := fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			for _, size := range []int{1, 3, len(request)} {
				c := dial(t, address)
				for part := range slices.Chunk([]byte(request), size) {
					c.Write(part) // fails when the connection is closed
				}
				if got := ends(t, c); got != "" || calls.Load() != 0 {
					t.Errorf("in parts of %d bytes: answered %q, %d calls", size, got, calls.Load())
				}
			}
			c := dial(t, address)
			io.WriteString(c, fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)+request[:17])
			c.(*net.TCPConn).CloseWrite()
			if got := ends(t, c); !strings.Contains(got, `"result":{}`) || calls.Load() != 1 {
				t.Errorf("answered %q, %d calls", got, calls.Load())
			}
		})
	}
}

// TestSilentConnections: silent connections do not keep other clients out for long.
func TestSilentConnections(t *testing.T) {
	address, _ := start(t, weather.NewHandler(ping()), WithMaxConns(8), WithMaxConnsPerAddress(8), WithFirstTimeout(200*time.Millisecond))
	for range 8 {
		dial(t, address)
	}
	await.Until(t, "a connection is served", func() bool {
		c := dial(t, address)
		io.WriteString(c, call+"\n")
		line, _ := bufio.NewReader(c).ReadString('\n')
		return strings.Contains(line, "result")
	})
}

// TestRefusals: a connection too many gets an error that says so, in the framing of the server, also when the peer is sending.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		opts []Option
		want string
	}{
		"in all":      {[]Option{WithMaxConns(1)}, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Overloaded: there are too many connections"}}` + "\n"},
		"one address": {[]Option{WithMaxConns(8), WithMaxConnsPerAddress(1)}, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Rate limited: this address has too many connections"}}` + "\n"},
		"headers":     {[]Option{WithMaxConns(1), WithFraming(frame.Headers)}, "Content-Length: "},
	} {
		t.Run(name, func(t *testing.T) {
			address, _ := start(t, weather.NewHandler(ping()), c.opts...)
			dial(t, address)
			for _, sent := range []string{"", call + "\n", strings.Repeat("x", 100<<10)} {
				conn := dial(t, address)
				io.WriteString(conn, sent)
				if got, _ := io.ReadAll(conn); !strings.HasPrefix(string(got), c.want) {
					t.Errorf("after %d bytes: %q", len(sent), got)
				}
			}
		})
	}
}

// TestHalfMessages: what has arrived of messages without their ends takes little memory in all, and others are served.
func TestHalfMessages(t *testing.T) {
	const most = 16 << 20
	address, _ := start(t, weather.NewHandler(ping()), WithMaxPending(most))
	half := make([]byte, 4<<20)
	for i := range half {
		half[i] = ' '
	}
	half[0] = '{'
	before := inUse()
	closed := make(chan bool, 40)
	for range cap(closed) {
		c := dial(t, address)
		go func() {
			c.Write(half)
			io.ReadAll(c)
			closed <- true
		}()
	}
	time.Sleep(500 * time.Millisecond)
	if now := inUse(); now > before+4*most {
		t.Errorf("%d MB are in use for incomplete messages", (now-before)>>20)
	}
	c := dial(t, address)
	io.WriteString(c, call+"\n")
	if line, err := bufio.NewReader(c).ReadString('\n'); !strings.Contains(line, "result") {
		t.Error("others are not served:", line, err)
	}
	for n := range cap(closed) / 2 {
		select {
		case <-closed:
		case <-time.After(time.Minute):
			t.Fatalf("%d connections were closed", n)
		}
	}
}

// inUse returns the memory that is in use, in bytes.
func inUse() uint64 {
	var m goruntime.MemStats
	goruntime.GC()
	goruntime.GC()
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestHeldBytes: one address may hold half of what all connections may, and messages beyond that are refused.
func TestHeldBytes(t *testing.T) {
	if !idle.InOwnProcess(t) {
		return
	}
	const conns, calls = 4, 16
	limit := heap.Limit()
	size := int(limit) / (conns * calls)
	release := make(chan struct{})
	taken := make(chan string, conns*calls) // an empty text for a call that is handled, and the answers
	server := ping()
	server.Current = func(context.Context, weather.CurrentParams) (weather.Report, error) {
		taken <- ""
		<-release
		return weather.Report{}, nil
	}
	address, _ := start(t, weather.NewHandler(server), WithMaxBytes(limit))
	city := bytes.Repeat([]byte{'x'}, size)
	refused := 0
	heap.AtMost(t, limit/2, func() {
		var all []net.Conn
		for range conns {
			c := dial(t, address)
			all = append(all, c)
			go func() {
				for answers := bufio.NewScanner(c); answers.Scan(); {
					taken <- answers.Text()
				}
			}()
		}
		for id := range conns * calls { // one after the other: the buffers of messages that arrive at the same time count as well
			c := all[id%conns]
			fmt.Fprintf(c, `{"jsonrpc":"2.0","id":%d,"method":"weather/current","params":{"city":"`, id)
			c.Write(city)
			io.WriteString(c, "\"}}\n")
			switch answer := <-taken; {
			case answer == "":
			case strings.Contains(answer, "too much memory"):
				refused++
			default:
				t.Error(answer)
			}
		}
	})
	if refused < conns*calls/2 {
		t.Error(refused, "calls were refused")
	}
	close(release)
}
