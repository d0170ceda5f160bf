package contract

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// unlinked is a link that nothing is sent on.
type unlinked struct{}

func (unlinked) send(context.Context, []byte, map[string]string) error { return nil }
func (unlinked) hangUp()                                               {}
func (unlinked) kill()                                                 {}
func (unlinked) ended() <-chan struct{}                                { return nil }
func (unlinked) end() string                                           { return "" }
func (unlinked) isProcess() (process, http bool)                       { return false, false }

// oddly visits a value with each of its parts left out, and with each of them replaced by a value of another kind.
func oddly(v *jsontree.Value, visit func(*jsontree.Value)) {
	v.Walk(nil, func(path []jsontree.Step, _ *jsontree.Value) bool {
		for _, other := range []string{"", "null", "true", "1", `"x"`, "[]", "{}", "[null]", `{"x":null}`} {
			part, _ := jsontree.Parse([]byte(other))
			if odd := v.Put(path, part); odd != nil {
				visit(odd)
			}
		}
		return true
	})
}

// TestMissing reads messages of servers in which any member is missing or of another kind, none of which may end the program.
func TestMissing(t *testing.T) {
	const form = `{"message":"?","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"},"list":{"type":"array","items":{"type":"string"}}},"required":["yes"]}}`
	messages := []string{
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"a":1}}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":2}}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x:a"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"?"}}],"maxTokens":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":` + form + `}`,
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"a is invalid","data":{"a":1}}}`,
		`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{\"a\":1}"},{"type":"image","data":"","mimeType":"image/png"},{"type":"resource","resource":{"uri":"x:a","text":""}},{"type":"resource_link","uri":"x:a","name":"a"}],"structuredContent":{"a":1,"next_cursor":"b","list":[{"id":1}]},"isError":false,"resultType":"complete","task":{"taskId":"x"}}}`,
	}
	r := newRig(t.Context(), nil, Options{})
	entry, _ := jsontree.Parse([]byte(`{"name":"look","description":"?","inputSchema":` + inputs + `,"outputSchema":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},"annotations":{"readOnlyHint":true},"execution":{"taskSupport":"optional"}}`))
	look := r.toolOf(entry)
	look.control = `{"a":"b"}`
	for _, m := range messages {
		whole, err := jsontree.Parse([]byte(m))
		if err != nil {
			t.Fatal(err)
		}
		oddly(whole, func(odd *jsontree.Value) {
			s := &session{link: unlinked{}, waiting: map[string]chan *answer{}, tokens: map[string]lastProgress{"7": {}}}
			c := s.expect("7")
			s.take(r.plain, []byte(odd.JSON()))
			select {
			case a := <-c:
				_ = a.says()
				at := judgeAnswer(look, `{"a":"c"}`, values.Break{Pointer: "/a", Keyword: "type"}, a)
				at.faults()
				learn(r, at)
				repeatedEntry(map[string]bool{}, at.comparedPart())
				nextOf(at.comparedPart())
			default:
			}
		})
	}
	asked, _ := jsontree.Parse([]byte(`{"q":{"method":"elicitation/create","params":` + form + `},"s":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}`))
	oddly(asked, func(odd *jsontree.Value) { (&session{}).responses(odd).JSON() })
	oddly(entry, func(odd *jsontree.Value) { schemas(r, r.toolOf(odd)) })
	document, _ := jsontree.Parse([]byte(`{"info":{"title":"x"},"methods":[{"name":"a","x-read-only":true,"params":[{"name":"b","required":true,"schema":{"type":"string"}}],"result":{"name":"c","schema":{"$ref":"#/components/schemas/c"}},"errors":[{"code":1,"x-data-schema":true,"data":{"type":"string"}}]}],"components":{"schemas":{"c":{"type":"string"}}}}`))
	oddly(document, func(odd *jsontree.Value) {
		methods, _, _ := OpenRPC([]byte(odd.JSON()))
		for i := range methods {
			r.methodOf(&methods[i])
		}
	})
}

// TestMissingLists reads lists and what is listed with any member missing or of another kind.
func TestMissingLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, method := range []string{"initialize", "resources/list", "resources/read x:a", "prompts/list", `prompts/get ask{"about":"tea"}`, "completion/complete", "resources/templates/list", "tools/list"} {
			whole, _ := jsontree.Parse([]byte(tidy[method]))
			oddly(whole, func(odd *jsontree.Value) {
				conn := talk(func() func([]byte) string {
					return func(line []byte) string {
						s := script{method: odd.JSON()}
						for name, result := range tidy {
							if name != method {
								s[name] = result
							}
						}
						return s.answer(line)
					}
				})
				r := newRig(t.Context(), conn, Options{Timeout: time.Second, Start: time.Second})
				if s, err := r.handshake(r.ctx, protocol.Handshake, ""); err == nil {
					r.era, r.revision, r.main = protocol.Handshake, s.revision, s
					r.listed, _ = r.list(r.ctx, s)
					r.add(r.listed)
					static(r)
					s.kill()
				}
			})
		}
	})
}

// TestRate counts the calls of a run whose rate is limited, those of all checks together.
func TestRate(t *testing.T) {
	const rate, most = 40, 4 * time.Second
	var calls atomic.Int64
	conn := talk(func() func([]byte) string {
		return func(line []byte) string {
			if strings.Contains(string(line), `"tools/call"`) {
				calls.Add(1)
			}
			return tidy.answer(line)
		}
	})
	r := runMemory(t, conn, Options{Time: most, Calls: 20, Rate: rate})
	if n := calls.Load(); float64(n) > r.Elapsed.Seconds()*rate+5 || n < 20 {
		t.Errorf("%d calls in %v", n, r.Elapsed)
	}
}

// TestLooseMessage answers with messages that strict clients refuse: they are read, and found.
func TestLooseMessage(t *testing.T) {
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"result":{"a":1,"a":2}}`:  `duplicate member "a"`,
		`{"jsonrpc":"2.0","id":7,"result":{"a":"\ud800"}}`: "half of a surrogate pair",
		`{"jsonrpc":"2.0","id":7,"result":{"a":1}}`:        "",
	} {
		s := &session{link: unlinked{}, waiting: map[string]chan *answer{}, tokens: map[string]lastProgress{}}
		c := s.expect("7")
		s.take(false, []byte(message))
		if a := <-c; a.result() == nil || len(s.noise) > 0 {
			t.Errorf("%s: %s", message, a.says())
		}
		if got := s.oddity("json"); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q", message, got)
		}
	}
}
