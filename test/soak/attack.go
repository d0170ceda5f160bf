package main

import (
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// messages are some that a server gets, to be damaged.
var messages = []string{
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"a","version":"1"}}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_items","arguments":{"query":"hammer"}}}`,
	`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"place_order","arguments":{"sku":"ABC-0001","count":1}}}`,
	`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"search_items","arguments":{"query":"saw"},` + meta + `}}`,
	`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"place_order","arguments":{"sku":"ABC-0001","count":1},"inputResponses":{"confirm":{"action":"accept","content":{"ok":true}}},` + meta + `}}`,
	`{"jsonrpc":"2.0","id":6,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["shop://items/ABC-0001"]},` + meta + `}}`,
	`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"cancel_all",` + meta + `}}`,
	`{"jsonrpc":"2.0","id":8,"result":{}}`, `{"jsonrpc":"2.0","id":9}`, `[{"jsonrpc":"2.0","id":10,"method":"ping"}]`, `[[[[`, "\x00\xff", `{}`,
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

// message returns one of them, damaged more often than not.
func (w *worker) message() string {
	b := []byte(messages[w.r.IntN(len(messages))])
	for range w.r.IntN(3) {
		switch i := w.r.IntN(len(b)); w.r.IntN(3) {
		case 0:
			b[i] = byte(w.r.IntN(256))
		case 1:
			b = append(b[:i:i], b[min(len(b)-1, i+1+w.r.IntN(20)):]...)
		case 2:
			b = append(b[:i:i], append([]byte(strings.Repeat(string(b[i:min(len(b), i+8)]), 1+w.r.IntN(50))), b[i:]...)...)
		}
	}
	return string(b)
}

// attack is the life of a connection that does no good: it sends up to so many messages, whole and damaged, reads or does not, ends somehow, and is gone.
func (w *worker) attack(address string, most int, sent func(message string) string, end func(conn net.Conn)) {
	w.t.attacks.Add(1)
	conn, err := net.Dial("tcp", address)
	if err != nil {
		time.Sleep(time.Millisecond)
		return
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(3 * short))
	if w.r.IntN(3) > 0 {
		go io.Copy(io.Discard, conn)
	}
	for range w.r.IntN(most) {
		if _, err := io.WriteString(conn, sent(w.message())); err != nil {
			return
		}
	}
	end(conn)
}

func (w *worker) endTCP(conn net.Conn) {
	switch w.r.IntN(20) {
	case 0: // half a message
		io.WriteString(conn, `{"jsonrpc":`+strings.Repeat(" ", w.r.IntN(1<<20)))
		time.Sleep(time.Duration(w.r.IntN(100)) * time.Millisecond)
	case 1: // silence, until the server ends it
		io.Copy(io.Discard, conn)
	case 2: // many calls, whose answers are not read
		flood := strings.Repeat(messages[4]+"\n", 2000)
		io.WriteString(conn, flood)
	}
}

func (w *worker) endHTTP(conn net.Conn) {
	switch w.r.IntN(20) {
	case 0: // a body that does not come
		io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{")
		time.Sleep(time.Duration(w.r.IntN(100)) * time.Millisecond)
	case 1:
		io.Copy(io.Discard, conn)
	case 2: // many calls, whose answers are not read
		io.WriteString(conn, strings.Repeat(w.request(messages[4]), 500))
	case 3: // a session whose client asks, and goes
		io.WriteString(conn, w.request(messages[0]))
	}
}

// request is a message as a request of HTTP, with headers that may be right.
func (w *worker) request(message string) string {
	headers := []string{"", "Mcp-Session-Id: x\r\n", "Accept: text/plain\r\n", "Content-Type: text/plain\r\n", "Origin: https://evil.example\r\n"}
	stateless := "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: search_items\r\n"
	more := headers[w.r.IntN(len(headers))]
	if w.r.IntN(2) == 0 {
		more = stateless
	}
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", more, len(message), message)
}
