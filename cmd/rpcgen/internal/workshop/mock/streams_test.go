package mock

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/test/streams/rpc"
)

// TestStreams: streams of both forms have three items that fit, and one by id ends when its reader leaves.
func TestStreams(t *testing.T) {
	text, err := os.ReadFile("../../../../../test/streams/rpc/streams.rpc.yaml")
	if err != nil {
		t.Fatal(err)
	}
	near, far := pipe.New(0)
	server := runtime.NewSession(t.Context(), far, methods{mocked(t, load(t, string(text)), behaviour{}, false)}, runtime.Options{})
	conn := runtime.NewSession(t.Context(), near, nil, runtime.Options{})
	client := rpc.NewClient(conn)
	got := 0
	tail := client.OpenLogsTail(t.Context(), rpc.LogsTailParams{File: "a"})
	for line, err := range tail.All() {
		if err != nil {
			t.Error(line, err)
		}
		got++
	}
	if _, err := tail.Result(); err != nil || got != mockedItems {
		t.Error(got, err)
	}
	web := httptest.NewServer(rpchttp.NewHandler(methods{mocked(t, load(t, string(text)), behaviour{}, false)}, rpchttp.Options{}))
	defer web.Close()
	dialed, err := rpchttp.Dial(web.URL, rpchttp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer dialed.Close()
	got = 0
	for line, err := range rpc.NewClient(dialed).LogsTail(t.Context(), rpc.LogsTailParams{File: "a"}) {
		if err != nil {
			t.Error("over HTTP", line, err)
		}
		got++
	}
	if got != mockedItems {
		t.Error("over HTTP", got)
	}
	got = 0
	for n, err := range client.NumsSubscribe(t.Context(), rpc.NumsSubscribeParams{Count: 1}) {
		if err != nil {
			t.Error(n, err)
		}
		if got++; got == mockedItems {
			break
		}
	}
	got = 0
	for head, err := range client.EthHeads(t.Context(), rpc.EthHeadsParams{}) { // by its name on the wire, which another stream has as well
		if err != nil {
			t.Error(head, err)
		}
		if got++; got == mockedItems {
			break
		}
	}
	for text, err := range client.EthLogs(t.Context(), rpc.EthLogsParams{}) {
		if err != nil {
			t.Error(text, err)
		}
		break
	}
	id, err := conn.NextID(1)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := conn.Call(t.Context(), id, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"eth_subscribe","params":["head"]}`, id))
	if err != nil || !strings.Contains(string(reply), "expected one of newHeads, logs") {
		t.Errorf("%s, %v", reply, err)
	}
	if err := server.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	conn.Close()
	conn.Wait()
}
