package stream_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/stream"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// scripted connects a client to a peer that a test plays.
func scripted(t *testing.T) (*runtime.Session, func() string, func(text string)) {
	a, b := pipe.New(0)
	client := runtime.NewSession(t.Context(), a, nil, runtime.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	t.Cleanup(func() {
		client.Close()
		client.Wait()
	})
	return client, func() string {
			text, err := b.ReadFrame()
			if err != nil {
				t.Error(err)
			}
			return string(text)
		}, func(text string) {
			if err := b.WriteFrame([]byte(text)); err != nil {
				t.Error(err)
			}
		}
}

// TestStreamStrangePeers: items that come before the response, after the end, for no stream, with a wrong type.
func TestStreamStrangePeers(t *testing.T) {
	f := forms["id"]
	client, read, write := scripted(t)
	item := func(id, n string) {
		write(`{"jsonrpc":"2.0","method":"count_subscription","params":{"subscription":` + id + `,"item":` + n + `}}`)
	}
	item(`"none"`, "1")
	one := open(t.Context(), client, f)
	if got := read(); got != `{"jsonrpc":"2.0","id":1,"method":"count","params":{}}` {
		t.Error(got)
	}
	two := open(t.Context(), client, f)
	read()
	item(`"b"`, "1") // before its response
	item(`7`, "1")
	write(`{"jsonrpc":"2.0","id":1,"result":7}`)
	item(`"b"`, "2")
	item(`7.0`, "2")
	write(`{"jsonrpc":"2.0","id":2,"result":"b"}`)
	item(`"b"`, "3")
	for want, s := range map[int]*stream.Items[int, string]{2: one, 3: two} {
		got := 0
		for n, err := range s.All() {
			if got++; n != got || err != nil {
				t.Error(n, err)
			}
			if got == want {
				break
			}
		}
		if end := read(); !strings.Contains(end, `"method":"count_unsubscribe","params":[`) {
			t.Error(end)
		}
	}
	item(`7`, "9") // late
	three, four := open(t.Context(), client, f), open(t.Context(), client, f)
	read()
	read()
	item(`7`, "9")
	write(`{"jsonrpc":"2.0","id":5,"result":"c"}`)
	write(`{"jsonrpc":"2.0","id":6,"result":"c"}`)
	if _, err := four.Result(); err == nil || !strings.Contains(err.Error(), "the id of another one") {
		t.Error(err)
	}
	item(`"c"`, `"text"`)
	for n, err := range three.All() {
		if err == nil || !strings.Contains(err.Error(), "/item") {
			t.Error(n, err)
		}
	}
	read()
	five := open(t.Context(), client, f)
	read()
	write(`{"jsonrpc":"2.0","id":8,"error":{"code":7,"message":"no"}}`)
	if _, err := five.Result(); err == nil || !strings.Contains(err.Error(), "no") {
		t.Error(err)
	}
}

// TestStreamEndsOwn: a session ends its own streams only, and each once.
func TestStreamEndsOwn(t *testing.T) {
	h := &counter{forms["id"], func(ctx context.Context, send func(int) error) error {
		send(1)
		<-ctx.Done()
		return nil
	}}
	read, write := scriptedServer(t, h)
	write(`{"jsonrpc":"2.0","id":1,"method":"count"}`)
	var opened struct{ Result string }
	if err := json.Unmarshal([]byte(read()), &opened); err != nil || len(opened.Result) != 26 {
		t.Fatal(opened, err)
	}
	if got := read(); got != `{"jsonrpc":"2.0","method":"count_subscription","params":{"subscription":"`+opened.Result+`","item":1}}` {
		t.Error(got)
	}
	readOther, writeOther := scriptedServer(t, h)
	end := `{"jsonrpc":"2.0","id":2,"method":"count_unsubscribe","params":["` + opened.Result + `"]}`
	writeOther(end)
	if got := readOther(); !strings.Contains(got, `"result":false`) {
		t.Error(got)
	}
	write(end)
	if got := read(); !strings.Contains(got, `"result":true`) {
		t.Error(got)
	}
	write(end)
	if got := read(); !strings.Contains(got, `"result":false`) {
		t.Error(got)
	}
	write(`[{"jsonrpc":"2.0","id":3,"method":"count"},{"jsonrpc":"2.0","id":4,"method":"ping"}]`)
	if got := read(); !strings.Contains(got, `"code":-32600`) || !strings.Contains(got, `"id":4,"result":{}`) {
		t.Error(got)
	}
}

// scriptedServer connects a peer that a test plays to a server.
func scriptedServer(t *testing.T, h runtime.Handler) (read func() string, write func(text string)) {
	a, b := pipe.New(0)
	s := runtime.NewSession(t.Context(), b, h, runtime.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	t.Cleanup(func() {
		s.Close()
		s.Wait()
	})
	return func() string {
		text, err := a.ReadFrame()
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}, func(text string) { a.WriteFrame([]byte(text)) }
}

// TestStreamEarlyItems: of items that come before the response, the latest are kept, and given to the stream whose id they have.
func TestStreamEarlyItems(t *testing.T) {
	f := *forms["id"]
	f.Items = 1000
	client, read, write := scripted(t)
	s := open(t.Context(), client, &f)
	read()
	for n := range 300 {
		write(`{"jsonrpc":"2.0","method":"count_subscription","params":{"item":` + strconv.Itoa(n) + `,"subscription":"a"}}`)
	}
	write(`{"jsonrpc":"2.0","id":1,"result":"a"}`)
	next := 300 - 256
	for n, err := range s.All() {
		if err != nil || n != next {
			t.Fatal(n, err)
		}
		if next++; next == 300 {
			break
		}
	}
}

// TestStreamIDAgain: a stream whose id was that of another one gets none of the items of that.
func TestStreamIDAgain(t *testing.T) {
	client, read, write := scripted(t)
	one, two := open(t.Context(), client, forms["id"]), open(t.Context(), client, forms["id"])
	read()
	read()
	write(`{"jsonrpc":"2.0","method":"count_subscription","params":{"subscription":"a","item":1}}`)
	write(`{"jsonrpc":"2.0","id":1,"result":"a"}`)
	for n, err := range one.All() {
		if n != 1 || err != nil {
			t.Error(n, err)
		}
		break
	}
	read()
	write(`{"jsonrpc":"2.0","id":2,"result":"a"}`)
	write(`{"jsonrpc":"2.0","method":"count_subscription","params":{"subscription":"a","item":2}}`)
	for n, err := range two.All() {
		if n != 2 || err != nil {
			t.Error(n, err)
		}
		break
	}
}
