package httplog_test

import (
	"bufio"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/x/httplog"
)

// TestFilter: what a server sends unasked is not in the log of net/http, which says all the same that it did; other entries stay as they are.
func TestFilter(t *testing.T) {
	entries := make(chan string, 10)
	was := log.Writer()
	defer log.SetOutput(was)
	log.SetOutput(httplog.Filter(writer(func(p []byte) { entries <- string(p) })))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	more := make(chan bool)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		r, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
		<-more
		io.WriteString(conn, r.Header.Get("Authorization")+"\n"+r.Header.Get("Authorization"))
	}()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer token-123456")
	transport := &http.Transport{}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	close(more)
	if got := <-entries; !strings.HasSuffix(got, " Unsolicited response received on idle HTTP channel\n") || strings.Contains(got, "token") {
		t.Errorf("the entry is %q", got)
	}
	log.Print("another entry")
	if got := <-entries; !strings.HasSuffix(got, " another entry\n") {
		t.Errorf("the entry is %q", got)
	}
}

type writer func(p []byte)

func (f writer) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}
