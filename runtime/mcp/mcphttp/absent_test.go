package mcphttp_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
)

// TestAbsentBody: a request that is refused without its body, which never comes, ends with its connection: net/http reads what is left of a body before it
// writes the answer.
func TestAbsentBody(t *testing.T) {
	srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet})
	auth := mcphttp.Tokens(map[string]string{"secret": "ann"})
	auth.Resource, auth.AuthorizationServers = "https://mcp.example.com/mcp", []string{"https://login.example.com"}
	site := httptest.NewServer(mcphttp.NewHandler(srv, mcphttp.Options{BodyTimeout: 100 * time.Millisecond, Auth: auth}))
	t.Cleanup(site.Close)
	const token = "Authorization: Bearer secret\r\n"
	for request, want := range map[string]int{
		"POST / HTTP/1.1\r\n": 401,
		"POST / HTTP/1.1\r\nOrigin: https://evil.example\r\n" + token:                                  403,
		"PUT / HTTP/1.1\r\n" + token:                                                                   405,
		"POST / HTTP/1.1\r\nContent-Type: text/plain\r\n" + token:                                      415,
		"POST / HTTP/1.1\r\nContent-Type: application/json\r\n" + token:                                400,
		"GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\n":                                   200,
		"DELETE / HTTP/1.1\r\nMcp-Session-Id: unknown\r\nMcp-Protocol-Version: 2025-11-25\r\n" + token: 404,
		"GET / HTTP/1.1\r\nAccept: text/event-stream\r\nMcp-Protocol-Version: 2025-11-25\r\n" + token:  405,
	} {
		for _, body := range []string{"Content-Length: 100000\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{"} {
			conn, err := net.Dial("tcp", site.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			conn.SetDeadline(time.Now().Add(time.Minute)) // instead of for ever
			io.WriteString(conn, strings.Replace(request, "HTTP/1.1\r\n", "HTTP/1.1\r\nHost: localhost\r\n", 1)+body)
			r := bufio.NewReader(conn)
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Errorf("%q: %v", request, err)
				continue
			}
			io.Copy(io.Discard, resp.Body)
			if _, err := r.ReadByte(); err != io.EOF || resp.StatusCode != want {
				t.Errorf("%q: %d, and not %d; then %v", request, resp.StatusCode, want, err)
			}
			conn.Close()
		}
	}
}
