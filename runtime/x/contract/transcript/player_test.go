package transcript

import (
	"strings"
	"testing"
)

func player(t *testing.T, text string) *Player {
	t.Helper()
	parsed, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return NewPlayer(parsed, RedactOptions{})
}

func found(t *testing.T, p *Player, message string) string {
	t.Helper()
	reply, err := p.Find([]byte(message))
	if err != nil {
		return err.Error()
	}
	var all []string
	for _, s := range reply.Steps {
		line := string(s.Message)
		if s.Await != "" {
			line = "(" + s.Await + ") " + line
		}
		all = append(all, line)
	}
	return strings.Join(all, "\n")
}

const conversation = `-- client --
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"a"}}}
-- server --
{"jsonrpc":"2.0","id":0,"result":{"a" : 1}}
-- client --
{"jsonrpc":"2.0","method":"notifications/initialized"}
-- server --
{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"ready"}}
-- client --
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":1,"y":[1,2]},"_meta":{"progressToken":1}}}
{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"b","_meta":{"progressToken":"p"}}}
-- server --
{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}
{"jsonrpc":"2.0","id":"two","result":{"b":1}}
{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{}}
-- client --
{"jsonrpc":"2.0","id":7,"result":{"action":"accept"}}
-- server --
{"jsonrpc":"2.0", "id":  1 ,"result":{"id":1}}
-- client --
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"arguments":{"y":[1,2],"x":1.0},"name":"a"}}
-- server --
{"jsonrpc":"2.0","id":3,"result":{"second":true}}
-- client --
[{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","id":5,"method":"ping"}]
-- server --
[{"jsonrpc":"2.0","id":5,"result":{}},{"jsonrpc":"2.0","id":4,"result":{}}]
-- client --
base64:bm8gSlNPTg==
-- server --
{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}
-- client --
{"jsonrpc":"2.0","id":8,"method":"odd"}
-- server --
base64:eyJpZCI6OA==
-- client --
{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen","params":{}}
-- server --
{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":9}}}
-- client --
{"jsonrpc":"2.0","id":3,"method":"values","params":{"_meta":{"progressToken":3}}}
-- server --
{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3.0,"progress":1}}
{"jsonrpc":"2.0","id":3.0,"result":{}}
`

func TestPlayer(t *testing.T) {
	p := player(t, conversation)
	for _, one := range []struct{ say, want string }{
		{`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"other"}}}`,
			`{"jsonrpc":"2.0","id":"i","result":{"a" : 1}}`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"ready"}}`},
		{`{"jsonrpc":"2.0","id":100,"method":"tools/call","params":{"_meta":{"progressToken":"tok","traceparent":"x"},"arguments":{"y":[1,2],"x":1e0},"name":"a"}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok","progress":1}}
(7) {"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{}}
{"jsonrpc":"2.0", "id":  100 ,"result":{"id":1}}`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":1,"y":[1,2]}}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"second":true}}`},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","arguments":{"x":1,"y":[1,2]}}}`,
			`{"jsonrpc":"2.0","id":2,"result":{"second":true}}`},
		{`[{"jsonrpc":"2.0","id":14,"method":"ping"},{"jsonrpc":"2.0","id":15,"method":"ping"}]`,
			`[{"jsonrpc":"2.0","id":15,"result":{}},{"jsonrpc":"2.0","id":14,"result":{}}]`},
		{`no JSON`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`},
		{`{"jsonrpc":"2.0","id":8,"method":"odd"}`, `{"id":8`},
		{`{"jsonrpc":"2.0","id":8,"method":"odd","params":{}}`, `{"id":8`},
		{`{"jsonrpc":"2.0","id":8,"method":"odd","params":{"_meta":{"progressToken":1}}}`, `{"id":8`},
		{`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"b","arguments":{}}}`,
			`not recorded: tools/call; the nearest request of the recording differs: /params/arguments is {} here, and not there`},
		{`{"jsonrpc":"2.0","id":9,"method":"notifications/initialized"}`, `not recorded: notifications/initialized`},
		{`{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{}}`,
			`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}`},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","arguments":{"x":1,"y":[1,3]}}}`,
			`not recorded: tools/call; the nearest request of the recording differs: /params/arguments/y/1 is 3 here, and 2 there`},
		{`{"jsonrpc":"2.0","id":1e1,"method":"values","params":{"_meta":{"progressToken":"t"}}}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}
{"jsonrpc":"2.0","id":1e1,"result":{}}`},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/cal"}`, `not recorded: tools/cal; the recording has tools/call`},
		{`{"jsonrpc":"2.0","id":2,"method":"prompts/get"}`, `not recorded: prompts/get`},
	} {
		if got := found(t, p, one.say); got != one.want {
			t.Errorf("%s\n  got  %s\n  want %s", one.say, got, one.want)
		}
	}
}

// TestPlayerHTTP: exchanges tell calls apart that overlap and have equal ids.
func TestPlayerHTTP(t *testing.T) {
	p := player(t, `-- client --
# 1 POST; content-type: application/json
{"jsonrpc":"2.0","id":1,"method":"a"}
-- client --
# 2 POST; content-type: application/json
{"jsonrpc":"2.0","id":1,"method":"b"}
-- server --
# 1 200; content-type: text/event-stream
{"jsonrpc":"2.0","method":"log"}
-- server --
# 2 200; content-type: application/json
{"jsonrpc":"2.0","id":1,"result":"b"}
-- server --
# 1
{"jsonrpc":"2.0","id":1,"result":"a"}
-- client --
# 3 GET
-- server --
# 3 200; content-type: text/event-stream
{"jsonrpc":"2.0","method":"changed"}
`)
	if got := found(t, p, `{"jsonrpc":"2.0","id":5,"method":"a"}`); got != "{\"jsonrpc\":\"2.0\",\"method\":\"log\"}\n{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":\"a\"}" {
		t.Error(got)
	}
	reply, err := p.Find([]byte(`{"jsonrpc":"2.0","id":5,"method":"b"}`))
	if err != nil || reply.HTTP.Status != 200 || reply.HTTP.Get("content-type") != "application/json" {
		t.Error(reply, err)
	}
	if all := p.Streams(); len(all) != 1 || len(all[0].Steps) != 1 {
		t.Error(all)
	}
}

// TestPlayerRedacted: a message with a secret matches the recording in which it is replaced.
func TestPlayerRedacted(t *testing.T) {
	p := player(t, "-- client --\n"+`{"jsonrpc":"2.0","id":1,"method":"login","params":{"token":"[redacted:3]"}}`+"\n-- server --\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n")
	if got := found(t, p, `{"jsonrpc":"2.0","id":1,"method":"login","params":{"token":"planted-secret"}}`); got != `{"jsonrpc":"2.0","id":1,"result":1}` {
		t.Error(got)
	}
}

func FuzzPlayer(f *testing.F) {
	f.Add([]byte(conversation), []byte(`[{"id":1,"method":"ping"}]`))
	f.Fuzz(func(_ *testing.T, text, message []byte) {
		if parsed, err := Parse(text); err == nil {
			p := NewPlayer(parsed, RedactOptions{})
			p.Find(message)
			for _, s := range parsed.Sections {
				for _, line := range s.Lines {
					p.Find(line)
				}
			}
		}
	})
}
