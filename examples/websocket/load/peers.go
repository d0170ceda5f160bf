package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/weather"
	rpc "github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/websocket"
)

// dialing is how many connections are opened at the same time.
const dialing = 64

// open opens n connections.
func open[T any](ctx context.Context, n int, dial func(ctx context.Context) (T, error)) ([]T, error) {
	all, faults := make([]T, n), make(chan error, n)
	var wg sync.WaitGroup
	tokens := make(chan bool, dialing)
	for i := range all {
		tokens <- true
		wg.Go(func() {
			c, err := dial(ctx)
			if all[i] = c; err != nil {
				faults <- err
			}
			<-tokens
		})
	}
	wg.Wait()
	select {
	case err := <-faults:
		return all, fmt.Errorf("a connection cannot be opened; see ulimit -n: %w", err)
	default:
		return all, nil
	}
}

// session opens a connection of rpcgen's client.
func (r *remote) session(ctx context.Context) (*rpc.Session, error) {
	o := websocket.ClientOptions{Runtime: rpc.Options{Logger: slog.New(slog.DiscardHandler)}}
	return websocket.Dial(ctx, "ws://"+r.address+"/ws", nil, o)
}

// raw opens a connection that answers no pings, and reads nothing after the handshake.
func (r *remote) raw(ctx context.Context) (*net.TCPConn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", r.address)
	if err != nil {
		return nil, err
	}
	c.(*net.TCPConn).SetReadBuffer(4 << 10) // so that answers that are not read stay with the server
	io.WriteString(c, "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		return nil, fmt.Errorf("the handshake is answered %s", resp.Status)
	}
	return c.(*net.TCPConn), nil
}

// push sends batches of requests until the server reads no more, and never reads an answer.
func push(c *net.TCPConn) {
	const request = `{"jsonrpc":"2.0","id":%d,"method":"weather/current","params":{"city":"Paris"}}`
	var batch []byte
	for i := range 20 {
		batch = append(fmt.Appendf(batch, request, i), ',')
	}
	batch = append(append([]byte("["), batch[:len(batch)-1]...), ']')
	frame := binary.BigEndian.AppendUint16([]byte{0x81, 0x80 | 126}, uint16(len(batch)))
	frame = append(append(frame, 0, 0, 0, 0), batch...) // masked with zeros
	for {
		if _, err := c.Write(frame); err != nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// calls makes calls on a session until ctx ends, with a pause between two of them, and returns how long each took.
func calls(ctx context.Context, s *rpc.Session, pause time.Duration) (took []time.Duration, err error) {
	c := weather.NewClient(s)
	for ctx.Err() == nil {
		begin := time.Now()
		if err := check(c.WeatherCurrent(context.WithoutCancel(ctx), weather.WeatherCurrentParams{City: "Paris"})); err != nil {
			return took, err
		}
		took = append(took, time.Since(begin))
		time.Sleep(pause)
	}
	return took, nil
}

// check returns the error of a call, or what is wrong with its result.
func check(r weather.Report, err error) error {
	if err == nil && (r.City != "Paris" || r.Degrees != 14.5) {
		return fmt.Errorf("a wrong answer: %+v", r)
	}
	return err
}
