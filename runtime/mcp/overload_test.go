package mcp_test

import (
	"fmt"
	"io"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// line is a client at the other end of a server's standard input and output. It knows only frames.
type line struct {
	t      testing.TB
	era    mcp.Era
	in     *io.PipeWriter
	out    *io.PipeReader
	conn   frame.Conn
	served chan error // gets what serving ends with
}

// serveLine serves srv, and makes the handshake in the handshake era.
func serveLine(t testing.TB, srv *mcp.Server, era mcp.Era, framing frame.Framing, o runtime.Options) *line {
	t.Helper()
	theirIn, in := io.Pipe()
	out, theirOut := io.Pipe()
	l := &line{t: t, era: era, in: in, out: out, served: make(chan error, 1)}
	l.conn = frame.NewConn(framing.NewReader(out, 0), framing.NewWriter(in, 0), in.Close)
	o.Logger = shop.Quiet
	go func() {
		err := stdio.Serve(t.Context(), srv, stdio.WithInput(theirIn), stdio.WithOutput(theirOut), stdio.WithFraming(framing),
			stdio.WithMaxFrame(64<<10), stdio.WithOptions(o))
		theirIn.Close()
		theirOut.Close()
		l.served <- err
	}()
	if era == mcp.Handshake {
		l.send(`{"jsonrpc":"2.0","id":"handshake","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
		l.find(`"id":"handshake"`)
		l.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return l
}

func (l *line) send(msg string) {
	l.t.Helper()
	if err := l.conn.WriteFrame([]byte(msg)); err != nil {
		l.t.Error(err)
	}
}

// find reads until a message holds the text.
func (l *line) find(text string) string {
	l.t.Helper()
	for {
		msg, err := l.conn.ReadFrame()
		if err != nil {
			l.t.Errorf("%s does not come: %v", text, err)
			return ""
		}
		if strings.Contains(string(msg), text) {
			return string(msg)
		}
	}
}

// request returns a request in the form of the era; params are its members, each followed by a
// comma.
func (l *line) request(id, method, params string) string {
	if l.era == mcp.Handshake {
		return `{"jsonrpc":"2.0","id":"` + id + `","method":"` + method + `","params":{` + strings.TrimSuffix(params, ",") + `}}`
	}
	return strings.Replace(request(method, params), `"id":1`, `"id":"`+id+`"`, 1)
}

// alive makes sure that a call is answered.
func (l *line) alive(id string) {
	l.t.Helper()
	l.send(l.request(id, "tools/call", search))
	if got := l.find(`"id":"` + id + `"`); !strings.Contains(got, `"structuredContent"`) {
		l.t.Errorf("a call is answered %s", got)
	}
}

// listen subscribes the client to changes.
func (l *line) listen() {
	l.t.Helper()
	if l.era == mcp.Stateless {
		l.send(l.request("listen", "subscriptions/listen", listenAll))
		l.find("notifications/subscriptions/acknowledged")
		return
	}
	l.send(l.request("subscribe", "resources/subscribe", `"uri":"shop://catalogue",`))
	l.find(`"id":"subscribe"`)
}

// vanish closes the connection without notice. The server has to end the session by itself.
func (l *line) vanish() error {
	l.in.Close()
	l.out.Close()
	return <-l.served
}

// inBothEras runs a test in both eras.
func inBothEras(t *testing.T, test func(t *testing.T, era mcp.Era)) {
	for _, era := range []mcp.Era{mcp.Stateless, mcp.Handshake} {
		t.Run(era.String(), func(t *testing.T) { test(t, era) })
	}
}

// inUse returns the memory that is in use, in bytes.
func inUse() uint64 {
	var m goruntime.MemStats
	for range 4 { // each collection shrinks stacks that are too large
		goruntime.GC()
	}
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// TestManyClients: a thousand idle subscribers of both eras are notified of changes while other
// clients call. When they are gone, no memory is left in use; repeating the test would make a leak
// grow.
func TestManyClients(t *testing.T) {
	const warm, rounds, most = 5, 15, 1000 << 10 // bytes a round: less than a third of what a thousand sessions take
	srv := newServer("")
	goroutines := goruntime.NumGoroutine()
	var before, now uint64
	for round := range warm + rounds {
		crowd(t, srv)
		now = settled(t, goroutines)
		if round < warm { // until about the most goroutines that there ever are have been there: Go keeps some of each
			before = now
		} else if now <= before {
			break
		}
	}
	if now > before+rounds*most {
		t.Errorf("%d bytes are in use, and %d before", now, before)
	}
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// crowd connects a thousand clients, which subscribe and leave.
func crowd(t *testing.T, srv *mcp.Server) {
	clients := make([]*line, 1000)
	for i := range clients {
		clients[i] = serveLine(t, srv, mcp.Stateless+mcp.Era(i%2), frame.Lines, runtime.Options{})
		clients[i].listen()
	}
	srv.ToolsChanged()                      // for those of the stateless era
	srv.ResourceUpdated("shop://catalogue") // for the others
	for i, c := range clients {
		c.find(`"method":"notifications/`)
		if i%100 < 2 {
			c.alive("good")
		}
	}
	for _, c := range clients {
		c.vanish() // what it ends with depends on what it was writing
	}
}

// settled waits until there are no more goroutines than before, and returns the memory in use.
func settled(t *testing.T, goroutines int) uint64 {
	t.Helper()
	await.Until(t, "goroutines end", func() bool { return goruntime.NumGoroutine() <= goroutines })
	return inUse()
}

// TestVanishing: clients disappear during calls, and all other clients are answered.
func TestVanishing(t *testing.T) {
	inBothEras(t, func(t *testing.T, era mcp.Era) {
		const many = 50
		srv := newServer("")
		stays := serveLine(t, srv, era, frame.Lines, runtime.Options{})
		var all sync.WaitGroup
		for range many {
			all.Go(func() {
				c := serveLine(t, srv, era, frame.Lines, runtime.Options{DrainTimeout: 10 * time.Millisecond})
				c.listen()
				for i := range 10 {
					c.send(c.request(fmt.Sprint("wait", i), "tools/call", `"name":"misbehave","arguments":{"how":"wait"},`))
				}
				c.vanish()
			})
		}
		for i := range many {
			stays.alive(fmt.Sprint("good", i))
		}
		all.Wait()
		stays.alive("last")
		if err := stays.vanish(); err != nil {
			t.Error(err)
		}
	})
}

// TestInputEndsMidCall: when the input ends during calls, those that return are answered, and the
// others are cancelled.
func TestInputEndsMidCall(t *testing.T) {
	inBothEras(t, func(t *testing.T, era mcp.Era) {
		c := serveLine(t, newServer(""), era, frame.Lines, runtime.Options{DrainTimeout: 50 * time.Millisecond})
		c.listen()
		c.send(c.request("wait", "tools/call", `"name":"misbehave","arguments":{"how":"wait"},`))
		for i := range 20 {
			c.send(c.request(fmt.Sprint("good", i), "tools/call", search))
			c.find(fmt.Sprintf(`"id":"good%d"`, i))
		}
		c.in.Close()
		c.find(`"id":"wait"`)
		for msg, err := c.conn.ReadFrame(); err == nil; msg, err = c.conn.ReadFrame() {
			if !strings.Contains(string(msg), `"id":"listen"`) { // the subscription ends at the same time
				t.Errorf("after the end came %s", msg)
			}
		}
		if err := <-c.served; err != nil {
			t.Error(err)
		}
	})
}

// TestSlowReader: a client that does not read its responses is disconnected, costs little memory
// until then, and does not delay other clients.
func TestSlowReader(t *testing.T) {
	inBothEras(t, func(t *testing.T, era mcp.Era) {
		srv := newServer("")
		other := serveLine(t, srv, era, frame.Lines, runtime.Options{})
		slow := serveLine(t, srv, era, frame.Lines, runtime.Options{MaxCalls: 8, StallTimeout: 50 * time.Millisecond, DrainTimeout: 50 * time.Millisecond,
			ShutdownTimeout: 50 * time.Millisecond})
		slow.listen()
		before := inUse()
		flooded := make(chan int)
		go func() {
			n := 0
			for slow.conn.WriteFrame([]byte(slow.request(fmt.Sprint(n), "tools/list", ""))) == nil {
				n++
			}
			flooded <- n
		}()
		for i := range 100 {
			srv.ToolsChanged()
			srv.ResourceUpdated("shop://catalogue")
			other.alive(fmt.Sprint("good", i))
		}
		if n := <-flooded; n == 0 {
			t.Error("nothing was taken")
		}
		if now := inUse(); now > before+(4<<20) {
			t.Errorf("%d bytes, and %d before", now, before)
		}
		<-slow.served // although the client has not read it
		other.alive("last")
		other.vanish()
	})
}

// TestMalformedFrames: valid calls between frames that are malformed in every way are answered.
func TestMalformedFrames(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	broken := map[frame.Framing][]string{
		frame.Lines: {
			"\n", "\r\n", " \t \r\n", "{\n", "}\n", "[\n", "[]\n", "[1,{}]\n", "null\n", "\x00\n", "\xff\xfe{}\n", "\ufeff{}\n", "{\"jsonrpc\":\"2.0\",\n", "\"\\ud800\"\n",
			"Content-Length: 7\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\x01\"}\n", long + "\n", strings.Repeat("[", 30<<10) + "\n", "\x1b[31m warning\n",
		},
		frame.Headers: {
			"Content-Length: x\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: 0\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n", "nonsense\r\n\r\n", "\r\n\r\n",
			"Content-Type: x\r\n\r\n", "Content-Length: 2\r\n\r\n{\x00", "Content-Length: 4\r\n\r\nnull", "Content-Length: 2\r\n\r\n[]", "Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
			fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(long), long), strings.Repeat("A", 9<<10) + ": 1\r\n\r\n",
		},
	}
	inBothEras(t, func(t *testing.T, era mcp.Era) {
		for framing, all := range broken {
			srv := newServer("")
			c := serveLine(t, srv, era, framing, runtime.Options{})
			for _, msg := range faults {
				all = append(slices.Clip(all), framed(t, framing, msg))
			}
			for i, text := range all {
				io.WriteString(c.in, text)
				c.alive(fmt.Sprint("good", i))
			}
			// the last words of a client, cut in the middle of one
			io.WriteString(c.in, framed(t, framing, c.request("cut", "tools/list", ""))[:40])
			c.in.Close()
			io.Copy(io.Discard, c.out)
			<-c.served
		}
	})
}

// framed returns a message as a frame.
func framed(t *testing.T, framing frame.Framing, msg string) string {
	t.Helper()
	var b strings.Builder
	if err := framing.NewWriter(&b, 1<<20).WriteFrame([]byte(msg)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPanics: a tool that panics affects only its own call, which is answered nevertheless.
func TestPanics(t *testing.T) {
	inBothEras(t, func(t *testing.T, era mcp.Era) {
		srv := newServer("")
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				c := serveLine(t, srv, era, frame.Lines, runtime.Options{})
				for i := range 20 {
					c.send(c.request(fmt.Sprint("bad", i), "tools/call", `"name":"misbehave","arguments":{"how":"panic"},`))
					if got := c.find(fmt.Sprintf(`"id":"bad%d"`, i)); !strings.Contains(got, "-32603") || strings.Contains(got, "as asked") {
						t.Error(got)
					}
					c.alive(fmt.Sprint("good", i))
				}
				if err := c.vanish(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

// TestLongURI: what a session keeps for its client is limited.
func TestLongURI(t *testing.T) {
	c := serveLine(t, newServer(""), mcp.Handshake, frame.Lines, runtime.Options{})
	for length, want := range map[int]string{8 << 10: `"result"`, 8<<10 + 1: `"rule":"maxLength"`} {
		uri := "x:" + strings.Repeat("y", length-2)
		c.send(c.request("subscribe", "resources/subscribe", `"uri":"`+uri+`",`))
		if got := c.find(`"id":"subscribe"`); !strings.Contains(got, want) {
			t.Errorf("%d bytes: %s", length, got)
		}
	}
	c.vanish()
}
