package waits

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
)

// servers are those of the runtime.
func servers() map[string]func(ctx context.Context, l net.Listener) error {
	log := slog.New(slog.DiscardHandler)
	auth := mcphttp.Tokens(map[string]string{"a": "ann"})
	auth.Resource, auth.AuthorizationServers = "http://localhost/rpc", []string{"https://auth.example.com"}
	tools := func() *mcp.Server { return toolbox.NewServer(toolbox.UnimplementedServer{}, mcp.Options{Logger: log}) }
	limits := runtime.Options{Logger: log}
	return map[string]func(ctx context.Context, l net.Listener) error{
		"mcphttp": func(ctx context.Context, l net.Listener) error {
			return mcphttp.Serve(ctx, l, "/rpc", mcphttp.NewHandler(tools(), mcphttp.Options{Runtime: limits}))
		},
		"mcphttp with tokens": func(ctx context.Context, l net.Listener) error {
			return mcphttp.Serve(ctx, l, "/rpc", mcphttp.NewHandler(tools(), mcphttp.Options{Runtime: limits, Auth: auth}))
		},
		"rpchttp": func(ctx context.Context, l net.Listener) error {
			return rpchttp.Serve(ctx, l, "/rpc", rpchttp.NewHandler(weather.NewHandler(weather.UnimplementedServer{}), rpchttp.Options{Runtime: limits}))
		},
		"handlers of a server of one's own": func(ctx context.Context, l net.Listener) error {
			h := mcphttp.NewHandler(tools(), mcphttp.Options{Runtime: limits})
			mux := http.NewServeMux()
			mux.Handle("/rpc", h)
			mux.Handle("/livez", mcphttp.Live())
			mux.Handle("/readyz", h.Readiness())
			mux.Handle("/", rpchttp.NewHandler(weather.NewHandler(weather.UnimplementedServer{}), rpchttp.Options{Runtime: limits}))
			s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
				HTTP2: &http.HTTP2Config{WriteByteTimeout: 30 * time.Second}, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
			context.AfterFunc(ctx, func() { s.Close() })
			err := s.Serve(l)
			return errors.Join(err, h.Shutdown(context.WithoutCancel(ctx)))
		},
	}
}

func TestWaits(t *testing.T) {
	for name, serve := range servers() {
		t.Run(name, func(t *testing.T) { Test(t, serve) })
	}
}

// A connection of HTTP/2 begins with these frames (RFC 9113). The window is that for an answer.
func beginning(window uint32) string {
	return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, string(binary.BigEndian.AppendUint32([]byte{0, 4}, window))) + frame(4, 1, 0, "")
}

func frame(kind, flags byte, stream uint32, payload string) string {
	b := []byte{byte(len(payload) >> 16), byte(len(payload) >> 8), byte(len(payload)), kind, flags}
	return string(binary.BigEndian.AppendUint32(b, stream)) + payload
}

// fields is a block of headers (RFC 7541) without compression.
func fields(pairs ...string) string {
	var b strings.Builder
	for i, s := range pairs {
		if i%2 == 0 {
			b.WriteByte(0)
		}
		b.WriteByte(byte(len(s))) // which is below 127
		b.WriteString(s)
	}
	return b.String()
}

// statesOfHTTP2 are those after the handshake of TLS.
func statesOfHTTP2() []State {
	const endStream, endHeaders, ping = 1, 4, `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	block := fields(":method", "POST", ":scheme", "https", ":authority", "localhost", ":path", "/rpc", "content-type", "application/json", "accept", "*/*")
	request := func(stream uint32) string {
		return frame(1, endHeaders, stream, block) + frame(0, endStream, stream, ping)
	}
	var many strings.Builder
	for i := range 200 {
		many.WriteString(request(uint32(2*i + 1)))
	}
	headersFrame := frame(1, endHeaders, 1, block)
	return []State{
		{Name: "nothing", Within: headers},
		{Name: "the preface alone", Sent: beginning(1 << 16)[:24], Within: headers},
		{Name: "the preface and settings", Sent: beginning(1 << 16), Within: idle},
		{Name: "half a HEADERS frame", Sent: beginning(1<<16) + headersFrame[:len(headersFrame)/2], Within: idle},
		{Name: "half a HEADERS frame in bytes", Sent: beginning(1<<16) + "\x00\x20\x00\x01\x04\x00\x00\x00\x01", Trickle: time.Second, Within: idle},
		{Name: "HEADERS without their end", Sent: beginning(1<<16) + frame(1, 0, 1, block), Within: idle},
		{Name: "pings", Sent: beginning(1<<16) + strings.Repeat(frame(6, 0, 0, "12345678"), 20), Within: idle},
		{Name: "a request without its body", Sent: beginning(1<<16) + headersFrame, Within: body + idle},
		{Name: "a request with a body in bytes", Sent: beginning(1<<16) + headersFrame + "\x00\x20\x00\x00\x00\x00\x00\x00\x01", Trickle: 5 * time.Second, Within: body + idle},
		{Name: "an answer without a window", Sent: beginning(0) + request(1), Within: answer + idle},
		{Name: "answers without a window", Sent: beginning(0) + many.String(), Within: answer + idle},
		{Name: "idle after an answer", Sent: beginning(1<<16) + request(1), Within: idle},
	}
}

// secure is how a server speaks HTTP/2.
func secure(t *testing.T) *tls.Config {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(50, 0, 0)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}, NextProtos: []string{"h2", "http/1.1"}, SessionTicketsDisabled: true,
	}
}

// TestWaitsHTTP2: over HTTP/2 a request ends as it does over HTTP/1.1, and its connection when no request has been open for the time of an idle one.
func TestWaitsHTTP2(t *testing.T) {
	ours := secure(t)
	theirs := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}
	all := statesOfHTTP2()
	for i := range all {
		all[i].TLS = theirs
	}
	all = append(all, State{Name: "half a ClientHello", Sent: "\x16\x03\x01\x01\x00\x01", Within: headers})
	for name, serve := range servers() {
		t.Run(name, func(t *testing.T) {
			Test(t, func(ctx context.Context, l net.Listener) error { return serve(ctx, tls.NewListener(l, ours)) }, all...)
		})
	}
}
