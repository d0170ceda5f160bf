package jsonrpc_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcptls"
	jsonrpc "github.com/rpcgen-go/rpcgen/test/jsonrpc/rpc"
	"github.com/rpcgen-go/rpcgen/test/jsonrpc/section7"
	"github.com/rpcgen-go/rpcgen/test/marked"
)

// TestSpecification sends every example of JSON-RPC 2.0, section 7, to the real server. The module of the WebSocket transport has the same
// test.
func TestSpecification(t *testing.T) {
	server := build(t)
	section7.Run(t, func(t *testing.T, messages []string, _ int) []string {
		cmd := exec.Command(server)
		cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(messages, "\n")+"\n"), io.Discard
		if testing.Verbose() {
			cmd.Stderr = os.Stderr
		}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	})
}

// build builds the server once.
func build(t *testing.T) string {
	t.Helper()
	marked.Watch("../..")
	binary := filepath.Join(t.TempDir(), "server.exe")
	if out, err := exec.Command("go", "build", "-o", binary, "./server").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// TestStreams holds the examples over TCP, a Unix socket and TLS.
func TestStreams(t *testing.T) {
	handler := jsonrpc.NewHandler(section7.Service{})
	site := httptest.NewUnstartedServer(nil) // for its certificate
	site.StartTLS()
	defer site.Close()
	trusting := site.Client().Transport.(*http.Transport).TLSClientConfig
	local := func(t *testing.T) net.Listener {
		l, err := net.Listen("tcp", "localhost:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for name, c := range map[string]struct {
		listen func(t *testing.T) net.Listener
		serve  func(ctx context.Context, l net.Listener) error
		dial   func(l net.Listener) (net.Conn, error)
	}{
		"tcp": {
			local,
			func(ctx context.Context, l net.Listener) error { return tcp.Serve(ctx, l, handler) },
			func(l net.Listener) (net.Conn, error) { return net.Dial("tcp", l.Addr().String()) },
		},
		"unix": {
			func(t *testing.T) net.Listener {
				dir, err := os.MkdirTemp("", "rpc") // the path of a socket has to be short
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { os.RemoveAll(dir) })
				l, err := tcp.ListenUnix(filepath.Join(dir, "s"), 0)
				if err != nil {
					t.Fatal(err)
				}
				return l
			},
			func(ctx context.Context, l net.Listener) error { return tcp.Serve(ctx, l, handler) },
			func(l net.Listener) (net.Conn, error) { return net.Dial("unix", l.Addr().String()) },
		},
		"tls": {
			local,
			func(ctx context.Context, l net.Listener) error { return tcptls.Serve(ctx, l, site.TLS, handler) },
			func(l net.Listener) (net.Conn, error) {
				config := trusting.Clone()
				config.ServerName = "example.com" // as the certificate says
				return tls.Dial("tcp", l.Addr().String(), config)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := c.listen(t)
			ctx, stop := context.WithCancel(context.Background())
			served := make(chan error, 1)
			go func() { served <- c.serve(ctx, l) }()
			section7.Run(t, func(t *testing.T, messages []string, want int) []string {
				conn, err := c.dial(l)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				io.WriteString(conn, strings.Join(messages, "\n")+"\n")
				return lines(t, conn, want)
			})
			stop()
			<-served
		})
	}
}

// lines reads as many lines.
func lines(t *testing.T, r io.Reader, n int) (all []string) {
	t.Helper()
	in := bufio.NewScanner(r)
	for len(all) < n && in.Scan() {
		all = append(all, in.Text())
	}
	if in.Err() != nil {
		t.Error(in.Err())
	}
	return all
}

// TestHTTP holds the examples over HTTP.
func TestHTTP(t *testing.T) {
	s := httptest.NewServer(rpchttp.NewHandler(jsonrpc.NewHandler(section7.Service{}), rpchttp.Options{}))
	defer s.Close()
	section7.Run(t, func(t *testing.T, messages []string, _ int) (answers []string) {
		for _, m := range messages {
			resp, err := s.Client().Post(s.URL, "application/json", strings.NewReader(m))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != http.StatusOK && (resp.StatusCode != http.StatusNoContent || len(body) > 0) {
				t.Fatal(resp.Status, err)
			}
			if len(body) > 0 {
				answers = append(answers, string(body))
			}
		}
		return answers
	})
}
