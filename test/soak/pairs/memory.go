package pairs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
	ledger "github.com/rpcgen-go/rpcgen/test/ledger/rpc"
)

// A scenario of memory lowers a limit of SECURITY.md, and has a peer send many times as much. The room is for messages that are read
// meanwhile, on each connection one, and for what the runtime of Go keeps.
const (
	limit    = 16 << 20
	size     = 1 << 20 // of each message
	messages = 6 * limit / size
	room     = 8 << 20
)

// heldBooks and heldDesk are servers whose handlers do not return before the memory is measured.
type (
	heldBooks struct {
		ledger.UnimplementedServer
		release chan struct{}
	}
	heldDesk struct {
		toolbox.UnimplementedServer
		release chan struct{}
	}
)

// LedgerNote holds a notification.
func (h heldBooks) LedgerNote(context.Context, ledger.LedgerNoteParams) error {
	<-h.release
	return nil
}

// LedgerEcho holds a call.
func (h heldBooks) LedgerEcho(context.Context, ledger.Asked) (ledger.Answer, error) {
	<-h.release
	return ledger.Answer{}, nil
}

// SearchItems holds a call of a tool.
func (h heldDesk) SearchItems(context.Context, toolbox.SearchItemsInput) (toolbox.SearchItemsOutput, error) {
	<-h.release
	return toolbox.SearchItemsOutput{Items: []toolbox.Item{}}, nil
}

// Introduce holds a task.
func (h heldDesk) Introduce(context.Context, toolbox.Choice) ([]mcp.ContentBlock, error) {
	<-h.release
	return nil, nil
}

// measure runs a scenario of memory.
func measure(s *scenario, all *findings) {
	r := &run{scenario: s, all: all, over: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	release := make(chan struct{})
	before := heap()
	flood, err := r.flood(ctx, release)
	if err != nil {
		r.wrong("nobody", "serve", "a server", err.Error())
		return
	}
	var sending sync.WaitGroup
	sending.Go(flood.send)
	if kept := settled(before, flood.sent); kept > limit+room {
		r.wrong("a peer", "memory of "+s.keeps, fmt.Sprintf("at most %d MiB and some room", limit>>20),
			fmt.Sprintf("%d MiB of %d MiB that were sent", kept>>20, messages*size>>20))
	} else {
		all.right.Add(1)
	}
	close(release)
	flood.end()
	sending.Wait()
}

// settled returns what the heap holds more than before, when it does not change any more. While messages are read and handlers make results,
// it is more for a short time: what is over the limit has the whole deadline to go, which begins again when more has been sent.
func settled(before int64, sent *atomic.Int64) (more int64) {
	const (
		pause  = 50 * time.Millisecond
		steady = 12
	)
	last := sent.Load()
	for began, same := time.Now(), 0; (same < steady || more > limit+room) && time.Since(began) < deadline; same++ {
		time.Sleep(pause)
		now := heap() - before
		if now > more+size/2 || now < more-size/2 {
			same = 0
		}
		more = now
		if n := sent.Load(); n != last {
			last, began, same = n, time.Now(), 0
		}
	}
	return more
}

// heap returns the bytes of what is in use.
func heap() int64 {
	var m goruntime.MemStats
	goruntime.GC()
	goruntime.GC() // what pools hold
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// flood is a peer that sends too much.
type flood struct {
	send func()
	end  func()
	sent *atomic.Int64 // the messages that are written
}

// flood serves what the scenario is about, and returns a peer of it.
func (r *run) flood(ctx context.Context, release chan struct{}) (flood, error) {
	o := runtime.Options{Logger: quiet, MaxBytes: limit}
	books, desk := ledger.NewHandler(heldBooks{release: release}), heldDesk{release: release}
	switch r.keeps {
	case keepNotes:
		return floodTCP(ctx, books, o, func(int) string { return `{"jsonrpc":"2.0","method":"ledger/note","params":{"text":"%s"}}` })
	case keepCalls:
		return floodTCP(ctx, books, o, func(id int) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ledger/echo","params":{"who":"a","what":"b"},"_more":"%%s"}`, id)
		})
	case keepTasks:
		srv := toolbox.NewServer(desk, mcp.Options{Logger: quiet, Tasks: mcptask.New(mcptask.Options{Store: mcptask.NewMemory(mcptask.MemoryOptions{MaxBytes: limit}), MaxBytes: limit})})
		return floodTCP(ctx, srv, o, func(id int) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"introduce","arguments":{"sku":"ABC-0001"},`+meta+`}}`, id,
				`"extensions":{"io.modelcontextprotocol/tasks":{}}`, "%s")
		})
	case keepBodies:
		url, leave, err := web(rpchttp.NewHandler(books, rpchttp.Options{Runtime: runtime.Options{Logger: quiet}, MaxBytes: limit}))
		return floodHTTP(url, leave, "", `{"jsonrpc":"2.0","id":1,"method":"ledger/echo","params":{"who":"a","what":"b"},"_more":"%s"}`), err
	}
	srv := toolbox.NewServer(desk, mcp.Options{Logger: quiet})
	url, leave, err := web(mcphttp.NewHandler(srv, mcphttp.Options{Runtime: runtime.Options{Logger: quiet}, MaxBytes: limit}))
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_items","arguments":{"query":"x"},`+meta+`}}`, "", "%s")
	return floodHTTP(url, leave, "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: "+
		"search_items\r\n", body), err
}

// meta is that of a stateless request, with the capabilities of the client and what makes it large.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{%s},"example.org/more":"%s"}`

// write writes a message, in which the filler replaces %s. The filler is not copied.
func write(w io.Writer, message string) error {
	head, tail, found := strings.Cut(message, "%s")
	parts := [][]byte{[]byte(head), []byte(tail)}
	if found {
		parts = [][]byte{[]byte(head), fillerBytes, []byte(tail)}
	}
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// fillerBytes make a message large.
var fillerBytes = bytes.Repeat([]byte("x"), size)

// floodTCP serves a handler, and returns a peer that sends messages over one connection and reads the answers.
func floodTCP(ctx context.Context, h runtime.Handler, o runtime.Options, message func(id int) string) (flood, error) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return flood{}, err
	}
	ctx, stop := context.WithCancel(ctx)
	var ended sync.WaitGroup
	ended.Go(func() { tcp.Serve(ctx, l, h, tcp.WithOptions(o), tcp.WithGrace(time.Second)) })
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		stop()
		return flood{}, err
	}
	go io.Copy(io.Discard, conn)
	sent := new(atomic.Int64)
	send := func() {
		for id := range messages {
			if write(conn, message(id+1)+"\n") != nil {
				return
			}
			sent.Add(1)
		}
	}
	return flood{send, func() { conn.Close(); stop(); ended.Wait() }, sent}, nil
}

// floodHTTP returns a peer that sends messages over as many connections as there are messages.
func floodHTTP(url string, leave func(), headers, message string) flood {
	var mu sync.Mutex
	var conns []net.Conn
	sent := new(atomic.Int64)
	post := func() {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			return
		}
		mu.Lock()
		conns = append(conns, conn)
		mu.Unlock()
		go io.Copy(io.Discard, conn)
		defer sent.Add(1)
		write(conn, fmt.Sprintf("%s / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n", http.MethodPost,
			headers, len(message)-len("%s")+size)+message)
	}
	send := func() {
		var all sync.WaitGroup
		for range messages {
			all.Go(post)
		}
		all.Wait()
	}
	end := func() {
		mu.Lock()
		for _, conn := range conns {
			conn.Close()
		}
		mu.Unlock()
		leave()
	}
	return flood{send, end, sent}
}
