package rpchttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web/gatetest"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/test/port"
)

// serve serves h at /rpc until stop is called, which returns what Serve did.
func serve(t *testing.T, h runtime.Handler, o Options) (address string, stop func() error) {
	t.Helper()
	l, err := net.Listen("tcp", port.Address()) // no other server listens there afterwards
	if err != nil {
		t.Fatal(err)
	}
	o.Runtime.Logger = quiet
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, "/rpc", NewHandler(h, o)) }()
	return l.Addr().String(), func() error {
		cancel()
		return <-served
	}
}

// TestServe: serving ends with its context, and what is in flight is answered.
func TestServe(t *testing.T) {
	server, begun, release := office(), make(chan bool), make(chan bool)
	server.Current = func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
		close(begun)
		<-release
		return weather.Report{City: p.City}, ctx.Err()
	}
	address, stop := serve(t, weather.NewHandler(server), Options{})
	c, err := Dial("http://"+address+"/rpc", ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	answered := make(chan error)
	go func() {
		_, err := weather.NewClient(c).Current(context.Background(), weather.CurrentParams{City: "x"})
		answered <- err
	}()
	<-begun
	time.AfterFunc(50*time.Millisecond, func() { close(release) })
	if err := stop(); err != context.Canceled {
		t.Error(err)
	}
	if err := <-answered; err != nil {
		t.Error("the call in flight:", err)
	}
	if err := weather.NewClient(c).Ping(t.Context()); err == nil {
		t.Error("it is served still")
	}
}

// TestServeCuts: a listener that fails ends the calls in flight.
func TestServeCuts(t *testing.T) {
	server, begun, ended := office(), make(chan bool), make(chan bool)
	server.Current = func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		close(begun)
		<-ctx.Done()
		close(ended)
		return weather.Report{}, ctx.Err()
	}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	h := NewHandler(weather.NewHandler(server), Options{Runtime: runtime.Options{Logger: quiet}})
	go func() { served <- Serve(t.Context(), l, "/", h) }()
	c, _ := Dial("http://"+l.Addr().String(), ClientOptions{})
	defer c.Close()
	go weather.NewClient(c).Current(t.Context(), weather.CurrentParams{City: "x"})
	<-begun
	l.Close()
	if err := <-served; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	<-ended
}

// TestHeaderFlood: headers that are too many or too large, or do not end, are refused.
func TestHeaderFlood(t *testing.T) {
	address, stop := serve(t, weather.NewHandler(office()), Options{})
	defer stop()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(5 * time.Minute)) // instead of for ever
	io.WriteString(conn, "POST /rpc HTTP/1.1\r\nHost: localhost\r\n")
	for i := 0; err == nil && i < 10_000; i++ {
		_, err = fmt.Fprintf(conn, "X-%d: %s\r\n", i, strings.Repeat("x", 100))
	}
	got, _ := io.ReadAll(conn)
	if len(got) > 0 && !strings.HasPrefix(string(got), "HTTP/1.1 431 ") {
		t.Errorf("got %.100s", got)
	}
	c, err := Dial("http://"+address+"/other", ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if e, ok := errors.AsType[*StatusError](weather.NewClient(c).Ping(t.Context())); !ok || e.Status != 404 {
		t.Error("others are not served:", e)
	}
}

// TestTokens: a bearer token identifies the caller; requests without a valid one are rejected.
func TestTokens(t *testing.T) {
	server := office()
	server.Current = func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		return weather.Report{City: principal.From(ctx)}, nil
	}
	s := newSite(t, weather.NewHandler(server), Options{Auth: Tokens(map[string]string{"secret-a": "ann", "secret-b": "bob", "": "empty"})})
	for token, who := range map[string]string{"secret-a": "ann", "secret-b": "bob"} {
		c := s.dial(ClientOptions{Token: StaticToken(token)})
		if got, err := weather.NewClient(c).Current(t.Context(), weather.CurrentParams{City: "x"}); err != nil || got.City != who {
			t.Error(got, err)
		}
	}
	for header, challenge := range map[string]string{
		"Authorization": "Bearer", "Authorization: Bearer": `Bearer error="invalid_token"`, "Authorization: Bearer secret": `Bearer error="invalid_token"`,
		"Authorization: Basic secret-a": `Bearer error="invalid_token"`,
	} {
		got := s.send("POST", ping, header)
		if got.status != 401 || got.header.Get("WWW-Authenticate") != challenge || strings.Contains(got.body, "secret") {
			t.Error(header, got)
		}
	}
	c := s.dial(ClientOptions{Token: StaticToken("wrong")})
	if e, ok := errors.AsType[*StatusError](weather.NewClient(c).Ping(t.Context())); !ok || e.Status != 401 || e.Err == nil {
		t.Error(e)
	}
	c = s.dial(ClientOptions{Token: func(context.Context) (string, error) { return "", io.ErrUnexpectedEOF }})
	if err := weather.NewClient(c).Ping(t.Context()); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// TestAuthErrors: what an Auth says is answered with a status, and its text stays here.
func TestAuthErrors(t *testing.T) {
	var result error
	s := newSite(t, weather.NewHandler(office()), Options{Auth: func(context.Context, *http.Request) (context.Context, error) { return nil, result }})
	for status, err := range map[int]error{
		401: errors.New("secret"), 403: fmt.Errorf("secret: %w", ErrForbidden), 503: fmt.Errorf("secret: %w", ErrUnavailable),
	} {
		result = err
		if got := s.send("POST", ping); got.status != status || strings.Contains(got.body, "secret") || (got.header.Get("Retry-After") != "") != (status == 503) {
			t.Error(got)
		}
	}
	result = nil // and no context
	if got := s.send("POST", ping); got.status != 401 {
		t.Error(got)
	}
}

// TestCertificates: the principal of a verified client certificate.
func TestCertificates(t *testing.T) {
	auth := Certificates(func(c *x509.Certificate) string { return c.Subject.CommonName })
	request := func(name string, verified bool) *http.Request {
		c := &x509.Certificate{Subject: pkix.Name{CommonName: name}}
		state := &tls.ConnectionState{PeerCertificates: []*x509.Certificate{c}}
		if verified {
			state.VerifiedChains = [][]*x509.Certificate{{c}}
		}
		return &http.Request{TLS: state}
	}
	if ctx, err := auth(t.Context(), request("ann", true)); err != nil || principal.From(ctx) != "ann" {
		t.Error(err)
	}
	if _, err := auth(t.Context(), request("", true)); !errors.Is(err, ErrForbidden) {
		t.Error(err)
	}
	for _, r := range []*http.Request{request("ann", false), {}} {
		if _, err := auth(t.Context(), r); err != errNoCertificate {
			t.Error(err)
		}
	}
}

// TestGate: few requests are authenticated at the same time, and a panic of Auth is an answer.
func TestGate(t *testing.T) {
	gatetest.Run(t, gatetest.Server{
		New: func(s gatetest.Settings) http.Handler {
			return NewHandler(weather.NewHandler(office()), Options{
				Runtime: runtime.Options{Logger: s.Log}, MaxCalls: s.Max, MaxCallsPerClient: s.MaxEach,
				Auth: func(ctx context.Context, _ *http.Request) (context.Context, error) { return ctx, s.Verify() },
			})
		},
		Request: func() *http.Request { return httptest.NewRequest(http.MethodPost, "/rpc", strings.NewReader(ping)) },
	})
}
