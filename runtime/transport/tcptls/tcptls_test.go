package tcptls

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/certs"
	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/transporttest"
)

func TestMain(m *testing.M) { leak.Main(m) }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// configs returns those of a server that verifies client certificates as auth says, and of a client called name; an empty name has no
// certificate, and one that begins with ! has one of another authority.
func configs(t testing.TB, auth tls.ClientAuthType, name string) (server, client *tls.Config) {
	t.Helper()
	authority, other := newAuthority(t), newAuthority(t)
	server = &tls.Config{Certificates: []tls.Certificate{issue(t, authority, "localhost")}, ClientAuth: auth, ClientCAs: authority.Pool}
	client = &tls.Config{RootCAs: authority.Pool, ServerName: "localhost"}
	if foreign, ok := strings.CutPrefix(name, "!"); ok {
		own := issue(t, other, foreign)
		client.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &own, nil }
	} else if name != "" {
		client.Certificates = []tls.Certificate{issue(t, authority, name)}
	}
	return server, client
}

func newAuthority(t testing.TB) *certs.Authority {
	t.Helper()
	a, err := certs.New()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func issue(t testing.TB, a *certs.Authority, name string) tls.Certificate {
	t.Helper()
	c, err := a.Issue(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func commonName(c *x509.Certificate) string { return c.Subject.CommonName }

func TestContract(t *testing.T) {
	serverConfig, clientConfig := configs(t, tls.NoClientCert, "")
	pair := func(t testing.TB) (client, server net.Conn) {
		l, err := net.Listen("tcp", "localhost:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		accepted := make(chan net.Conn, 1)
		go func() {
			c, err := l.Accept()
			if err != nil {
				t.Error(err)
			}
			accepted <- tls.Server(c, serverConfig)
		}()
		raw, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		return tls.Client(raw, clientConfig), <-accepted
	}
	transporttest.Run(t, transporttest.Transport{
		Connect: func(t testing.TB) (client, server frame.Conn) {
			c, s := pair(t)
			o := tcp.WithMaxFrame(transporttest.MaxFrame)
			return tcp.NewConn(c, o), tcp.NewConn(s, o)
		},
		Raw: func(t testing.TB) (io.ReadWriteCloser, frame.Conn) {
			c, s := pair(t)
			return c, tcp.NewConn(s, tcp.WithMaxFrame(transporttest.MaxFrame))
		},
	})
}

// serve serves an office whose answers contain the principal.
func serve(t *testing.T, config *tls.Config, opts ...tcp.Option) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	office := &weather.Server{Way: runtime.Plain, Current: func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		return weather.Report{City: "for " + principal.From(ctx)}, nil
	}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	opts = append(opts, tcp.WithOptions(runtime.Options{Logger: quiet}))
	go func() { done <- Serve(ctx, l, config, weather.NewHandler(office), opts...) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != context.Canceled {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// TestCertificates: the principal of a connection is that of its certificate.
func TestCertificates(t *testing.T) {
	for name, c := range map[string]struct {
		auth   tls.ClientAuthType
		client string
		want   string // empty if the connection is rejected
	}{
		"verified":          {tls.RequireAndVerifyClientCert, "ann", "for ann"},
		"none":              {tls.RequireAndVerifyClientCert, "", ""},
		"another authority": {tls.RequireAndVerifyClientCert, "!ann", ""},
		"not asked for":     {tls.NoClientCert, "ann", ""},
		"not verified":      {tls.RequireAnyClientCert, "!ann", ""},
		"without id":        {tls.RequireAndVerifyClientCert, "unnamed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			server, client := configs(t, c.auth, c.client)
			address := serve(t, server, WithCertificates(func(c *x509.Certificate) string { return strings.TrimPrefix(commonName(c), "unnamed") }))
			s, err := Dial(t.Context(), address, client, nil, tcp.WithOptions(runtime.Options{Logger: quiet}))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Wait()
			defer s.Close()
			got, err := weather.NewClient(s).Current(t.Context(), weather.CurrentParams{City: "x"})
			if got.City != c.want || (err == nil) != (c.want != "") {
				t.Error(got, err)
			}
		})
	}
}

// TestWithoutCertificates: a server need not ask, and a client does not trust any server.
func TestWithoutCertificates(t *testing.T) {
	server, client := configs(t, tls.NoClientCert, "")
	address := serve(t, server)
	s, err := Dial(t.Context(), address, client, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := weather.NewClient(s).Current(t.Context(), weather.CurrentParams{City: "x"}); err != nil || got.City != "for " {
		t.Error(got, err)
	}
	s.Close()
	s.Wait()
	if _, err := Dial(t.Context(), address, nil, nil); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Error("a server with an unknown issuer is trusted:", err)
	}
}

// TestNoHandshake: a connection on which nothing of TLS comes is closed in time, and so is one that still waits when serving ends.
func TestNoHandshake(t *testing.T) {
	server, _ := configs(t, tls.RequireAndVerifyClientCert, "")
	for name, opts := range map[string][]tcp.Option{
		"asked": {WithCertificates(commonName)}, "not asked": nil,
	} {
		t.Run(name, func(t *testing.T) {
			address := serve(t, server, append(opts, tcp.WithFirstTimeout(100*time.Millisecond))...)
			for _, text := range []string{"", "\x16\x03\x01", `{"jsonrpc":"2.0","id":1,"method":"weather/ping"}` + "\n"} {
				c, err := net.Dial("tcp", address)
				if err != nil {
					t.Fatal(err)
				}
				io.WriteString(c, text)
				c.SetReadDeadline(time.Now().Add(10 * time.Second))
				_, err = io.Copy(io.Discard, c)
				if e, ok := err.(net.Error); ok && e.Timeout() {
					t.Error("the connection is kept")
				}
				c.Close()
			}
		})
	}
}
