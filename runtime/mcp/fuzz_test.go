package mcp_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// seeds are messages to begin with: one of every method.
var seeds = []string{
	request("server/discover", ""), request("tools/list", ""), request("tools/call", search),
	request("tools/call", `"name":"interview","inputResponses":{"where":{"roots":[]}},"requestState":"a.b",`),
	request("tools/call", `"name":"misbehave","arguments":{"how":"panic"},`),
	request("resources/list", `"cursor":"x",`), request("resources/templates/list", ""), request("resources/read", `"uri":"shop://logo",`),
	request("prompts/list", ""), request("prompts/get", `"name":"review_order","arguments":{"orderId":"1"},`),
	request("completion/complete", `"ref":{"type":"ref/prompt","name":"review_order"},"argument":{"name":"orderId","value":"a"},"context":{"arguments":{"a":"b"}},`),
	request("subscriptions/listen", `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a"]},`),
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"x"}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
}

// serveAll serves a message statelessly, in a fresh session and in one that began with a handshake, and looks at the answers.
func serveAll(t *testing.T, msg string) {
	t.Helper()
	srv := newServer("")
	begun := srv.Open(&listening{})
	dispatch(t.Context(), begun, seeds[12])
	for _, h := range []runtime.Handler{srv, srv.Open(&listening{}), begun} {
		answer := dispatch(t.Context(), h, strings.Clone(msg))
		if answer == "" {
			continue
		}
		var a struct {
			Result map[string]any `json:"result"`
			Error  *struct {
				Code int64 `json:"code"`
			} `json:"error"`
		}
		if err := json.Unmarshal([]byte(answer), &a); err != nil {
			t.Fatalf("%q was answered %s: %v", msg, answer, err)
		}
		if (a.Result == nil) == (a.Error == nil) {
			t.Errorf("%q was answered %s", msg, answer)
		}
		if a.Error != nil && h == srv && srv.Hooks().MapError(runtime.ErrorObject{Code: a.Error.Code}).Code != a.Error.Code && (a.Error.Code > -32020 || a.Error.Code < -32022) {
			t.Errorf("%q was answered with the code %d", msg, a.Error.Code)
		}
		if a.Result != nil && h == srv && a.Result["resultType"] == nil {
			t.Errorf("%q was answered without resultType: %s", msg, answer)
		}
	}
	protocol.Peek([]byte(msg))
}

// FuzzServe: whatever comes, it is answered in JSON, or not at all.
func FuzzServe(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(serveAll)
}

// TestMutations serves messages whose members were moved about, dropped, doubled and given other values.
func TestMutations(t *testing.T) {
	values := []string{`null`, `7`, `-1.5`, `"x"`, `[]`, `{}`, `true`, `[[1]]`, `{"name":{}}`, `"\ud800"`, `9999999999999999999`, ``}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		msg := seeds[rng.IntN(len(seeds))]
		for range 1 + rng.IntN(3) {
			msg = mutate(rng, msg, values[rng.IntN(len(values))])
		}
		serveAll(t, msg)
	}
}

// mutate puts value in place of one that follows a colon, or cuts something out.
func mutate(rng *rand.Rand, msg, value string) string {
	colons := strings.Count(msg, ":")
	if colons == 0 {
		return msg
	}
	at := 0
	for range 1 + rng.IntN(colons) {
		at += strings.IndexByte(msg[at:], ':') + 1
	}
	end := at
	for depth := 0; end < len(msg); end++ {
		switch msg[end] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth < 0 || depth == 0 && msg[end] == ',' {
			break
		}
	}
	if rng.IntN(8) == 0 {
		return msg[:at] + msg[min(end, at+rng.IntN(len(msg)-at+1)):]
	}
	return msg[:at] + value + msg[end:]
}
