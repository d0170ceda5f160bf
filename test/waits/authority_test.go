package waits

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestAuthority: over HTTP/2 a server is asked for by :authority, which is judged as the Host header of HTTP/1.1 is, whatever a header called host says beside
// it. What is no name of a host reaches nothing.
func TestAuthority(t *testing.T) {
	const good, bad = true, false
	for name, serve := range servers() {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- serve(ctx, tls.NewListener(l, secure(t))) }()
			defer func() { stop(); <-ended }()
			for _, c := range []struct {
				authority, host string
				reaches         bool
			}{
				{"localhost", "", good},
				{"LOCALHOST:80", "", good},
				{"[::1]:80", "", good},
				{"localhost", "localhost", good},
				{"", "localhost", good},
				{"evil.example.com", "", bad},
				{"evil.example.com", "localhost", bad},
				{"localhost", "evil.example.com", good}, // which is what the server was asked for
				{"", "evil.example.com", bad},
				{"", "", bad},
				{"localhost.evil.example.com", "", bad},
				{"localhost@evil.example.com", "", bad},
				{"evil.example.com@localhost", "", bad},
				{"evil.example.com/localhost", "", bad},
				{"evil.example.com:80:localhost", "", bad},
				{"evil.example.com#[::1]", "", bad},
				{"[::1].evil.example.com", "", bad},
				{"localhost/", "", bad},
				{"localhost.", "", bad},
				{"localhost,evil.example.com", "", bad},
				{" localhost", "", bad},
				{"localhost\x00", "", bad},
				{"local\r\nhost: localhost", "", bad},
				{"local%68ost", "", bad},
				{"\u217cocalhost", "", bad}, // which some call l
				{"localhost\xff", "", bad},
				{"<b>localhost</b>", "", bad},
			} {
				got := askHTTP2(t, l.Addr().String(), c.authority, c.host)
				refused := strings.Contains(got, " Host header") || got == "RST_STREAM" || got == "GOAWAY"
				if got == "" || refused == c.reaches || !utf8.ValidString(got) {
					t.Errorf("%q, %q: %q", c.authority, c.host, got)
				}
			}
		})
	}
}

// askHTTP2 sends a request, and returns the body of the answer, or RST_STREAM or GOAWAY if there is none.
func askHTTP2(t *testing.T, address, authority, host string) string {
	t.Helper()
	conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	pairs := []string{":method", "POST", ":scheme", "https", ":path", "/rpc"}
	if authority != "" {
		pairs = append(pairs, ":authority", authority)
	}
	pairs = append(pairs, "content-type", "application/json", "accept", "*/*")
	if host != "" {
		pairs = append(pairs, "host", host)
	}
	const endHeaders, endStream = 4, 1
	request := frame(1, endHeaders, 1, fields(pairs...)) + frame(0, endStream, 1, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if _, err := io.WriteString(conn, beginning(1<<16)+request); err != nil {
		t.Fatal(err)
	}
	var body strings.Builder
	for {
		var head [9]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			t.Fatalf("%q: %v", authority, err)
		}
		payload := make([]byte, binary.BigEndian.Uint32(append([]byte{0}, head[:3]...)))
		if _, err := io.ReadFull(conn, payload); err != nil {
			t.Fatalf("%q: %v", authority, err)
		}
		switch kind, flags := head[3], head[4]; {
		case kind == 3:
			return "RST_STREAM"
		case kind == 7:
			return "GOAWAY"
		case kind == 0:
			body.Write(payload)
			fallthrough
		case kind == 1:
			if flags&endStream != 0 {
				return body.String()
			}
		}
	}
}
