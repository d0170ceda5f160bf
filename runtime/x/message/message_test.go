package message_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/x/message"
)

// recorder is a server that writes down what it was asked, and answers {}.
type recorder struct {
	protocol runtime.Protocol
	asked    []message.Message
}

func (h *recorder) Handle(_ context.Context, c *runtime.Call) {
	m := message.Message{Kind: message.Request, Method: c.Method(), Params: c.PeekParams().JSON()}
	if !c.NoParams() {
		return
	}
	if c.IsNotification() {
		m.Kind = message.Notification
	}
	h.asked = append(h.asked, m)
	c.ReturnEmpty()
}

func (h *recorder) Protocol() runtime.Protocol        { return h.protocol }
func (h *recorder) Condition(runtime.Condition) error { return nil }
func (h *recorder) Hooks() runtime.Hooks              { return runtime.Hooks{} }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// parsers read the protocols that differ in what a message may be.
var parsers = []message.Parser{
	{Protocol: runtime.Plain}, {}, {Protocol: runtime.Protocol{Batch: true, OmitID: true}, MaxDepth: 5, MaxBatch: 3},
}

// sameAsServer checks that a parser reads msg as a server does: it finds the same requests and notifications, and for a
// message that is none of them the fault that the server answers.
func sameAsServer(t *testing.T, p message.Parser, msg []byte) {
	t.Helper()
	h := &recorder{protocol: p.Protocol}
	h.protocol.OmitID = false
	d := runtime.NewDispatcher(h, runtime.Options{Logger: quiet, MaxDepth: p.MaxDepth, MaxBatch: max(p.MaxBatch, 0), BatchCalls: 1})
	answer := d.Dispatch(t.Context(), nil, msg)
	all, err := p.ParseBatch(msg)
	var asked []message.Message
	var answers []byte
	for _, m := range all {
		switch m.Kind {
		case message.Request:
			answers = add(t, answers)(message.AppendResult(nil, m.ID, []byte("{}")))
			m.ID = nil
			fallthrough
		case message.Notification:
			asked = append(asked, m)
		case message.Result, message.Failure: // which a server without calls of its own refuses
			answers = add(t, answers)(message.AppendError(nil, m.ID, runtime.ErrorObject{Code: -32600, Message: "Invalid Request"}))
		default:
			answers = add(t, answers)(message.AppendError(nil, m.Fault.ID, m.Fault.RPCError()))
		}
	}
	if f, ok := err.(*message.Fault); ok {
		answers, _ = message.AppendError(nil, f.ID, f.RPCError())
	} else if message.IsBatch(msg) && answers != nil {
		answers = append(append([]byte("["), answers...), ']')
	}
	if large := bytes.Contains(answer, []byte("Batch too large")); large != (err != nil && strings.Contains(err.Error(), "and may have")) {
		t.Fatalf("%q: %s, %v", msg, answer, err)
	} else if !large && string(answer) != string(answers) {
		t.Fatalf("%q\n  the server answers %s\n  read as %v, %v: %s", msg, answer, all, err, answers)
	}
	if len(asked) != len(h.asked) {
		t.Fatalf("%q: the server was asked %v, read as %v", msg, h.asked, all)
	}
	for i, m := range asked {
		if w := h.asked[i]; m.Kind != w.Kind || m.Method != w.Method || string(m.Params) != string(w.Params) {
			t.Fatalf("%q: the server was asked %v, read as %v", msg, w, m)
		}
	}
}

// add adds an answer to those of a batch.
func add(t *testing.T, all []byte) func(answer []byte, err error) []byte {
	return func(answer []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		if all != nil {
			all = append(all, ',')
		}
		return append(all, answer...)
	}
}

// roundTrip checks that what was read can be written, and is then read as the same.
func roundTrip(t *testing.T, p message.Parser, msg []byte) {
	t.Helper()
	m, err := p.Parse(msg)
	if err != nil {
		if text, err := m.Append([]byte("x")); err == nil || string(text) != "x" {
			t.Fatalf("%q: %s", msg, text)
		}
		return
	}
	text, err := m.Append(nil)
	if err != nil || bytes.ContainsAny(text, "\r\n") {
		t.Fatalf("%q: %q, %v", msg, text, err)
	}
	p.Protocol.NullID = p.Protocol.NullID || m.ID == nil // an error without an id is written with the id null
	again, err := p.Parse(text)
	if second, _ := again.Append(nil); err != nil || string(second) != string(text) || again.Kind != m.Kind || m.ID != nil && string(again.ID) != string(m.ID) {
		t.Fatalf("%q: %s, then %s, %v", msg, text, second, err)
	}
}

var seeds = []string{
	`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1,{"b":null}]}}`, `{"method":"m","params":[],"jsonrpc":"2.0","id":"a\u0062"}`,
	`{"jsonrpc":"2.0","method":"m"}`, `{"jsonrpc":"2.0","id":null,"method":"m","params":null}`, `{"jsonrpc":"2.0","id":1.5e3,"method":"m","x":{}}`,
	`{"jsonrpc":"2.0","id":1,"result":[1]}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":{"a":1}}}`,
	`{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"no"}}`, `{"jsonrpc":"2.0","id":1,"error":null,"result":1}`,
	`{"jsonrpc":"2.0","error":{"code":1,"message":"no"}}`, `{"id":1,"result":1}`, `{"jsonrpc":"2.0","result":1}`,
	`{"jsonrpc":"2.0","id":1,"id":1,"method":"m"}`, `{"jsonrpc":"2.0","id":{},"method":"m"}`, `{"jsonrpc":"2.0","id":1,"method":""}`,
	`{"jsonrpc":"2.0","id":1,"method":"m","params":"\ud800"}`, `{"jsonrpc":"2.0","id":1,"method":"m","params":7}`,
	`[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","method":"n"},7]`, `[]`, `[1,2,3,4]`, `[[]]`, `{}`, ``, ` `, `7`, `[`, `{"jsonrpc":"2.0","id":1,"method":"m"`,
	" {\r\n \"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"method\" : \"m\" , \"params\" : [ 1 ,\n 2 ] } ",
	`{"jsonrpc":"2.0","id":1,"method":"m","params":` + strings.Repeat("[", wire.MaxDepth-1) + strings.Repeat("]", wire.MaxDepth-1) + `}`,
	`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no","data":` + strings.Repeat("[", wire.MaxDepth-2) + strings.Repeat("]", wire.MaxDepth-2) + `}}`,
	`{"jsonrpc":"2.0","id":1,"method":"m","params":[[[[[[7]]]]]]}`, `[{"jsonrpc":"2.0","id":1,"method":"m","params":[[[[[[7]]]]]]}]`,
}

func TestSameAsServer(t *testing.T) {
	rounds, r := 200_000, rand.New(rand.NewPCG(3, 4))
	if testing.Short() {
		rounds = 10_000
	}
	for _, p := range parsers {
		for _, s := range seeds {
			sameAsServer(t, p, []byte(s))
			roundTrip(t, p, []byte(s))
		}
	}
	for i := range rounds {
		p, msg := parsers[i%len(parsers)], mutated(r, seeds[r.IntN(len(seeds))])
		sameAsServer(t, p, msg)
		roundTrip(t, p, msg)
	}
}

// mutated returns text with a few bytes changed, dropped or added.
func mutated(r *rand.Rand, text string) []byte {
	const alphabet = "{}[]\",:\\01.e-tfn \xff\nidmp"
	msg := []byte(text)
	for range 1 + r.IntN(3) {
		at, c := r.IntN(len(msg)+1), alphabet[r.IntN(len(alphabet))]
		drop := min(r.IntN(2), len(msg)-at)
		msg = append(append(append([]byte(nil), msg[:at]...), c), msg[at+drop:]...)
	}
	return msg
}

func FuzzMessage(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		for _, p := range parsers {
			sameAsServer(t, p, msg)
			roundTrip(t, p, msg)
		}
	})
}

// TestFaults: a fault says what is wrong, and has the id if it can be read.
func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"m"`:                              `-32700 not JSON: the text ends before "}" at byte 36 `,
		`{"jsonrpc":"1.0","id":"a","method":"m"}`:                           `-32600 jsonrpc is not "2.0" "a"`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":7}`:                  `-32600 params is neither an object nor an array 1`,
		`{"jsonrpc":"2.0","id":1,"result":1,"error":{}}`:                    `-32600 a response holds a result and an error 1`,
		`{"jsonrpc":"2.0","id":1,"error":null,"result":1,"error":{}}`:       `-32600 the member error occurs twice 1`,
		`{"jsonrpc":"2.0","id":1,"error":null}`:                             `-32600 the error is not an object with an integer code and a message 1`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":""}}`:        `-32600 the error is not an object with an integer code and a message 1`,
		`{"jsonrpc":"2.0","result":1}`:                                      `-32600 the member id is missing `,
		`{"id":1,"result":1}`:                                               `-32600 the member jsonrpc is missing 1`,
		`{"jsonrpc":"2.0","id":1}`:                                          `-32600 the member method is missing 1`,
		`[` + strings.Repeat(`7,`, 100) + `7]`:                              `-32600 the batch has 101 messages, and may have 100 `,
		`[]`:                                                                `-32600 the batch is empty `,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":["` + "\xff" + `"]}`: `-32700 not JSON: invalid UTF-8 at byte 48 1`,
	} {
		_, err := message.ParseBatch([]byte(text))
		f, ok := err.(*message.Fault)
		if !ok {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := strings.TrimPrefix(f.RPCError().Message, "Parse error"); f.Code == -32700 && got != "" {
			t.Error(got)
		}
		if got := string(wire.AppendInt(nil, f.Code)) + " " + f.Detail + " " + string(f.ID); got != want {
			t.Errorf("%s\n  got  %s\n  want %s", text, got, want)
		}
	}
	if _, err := (message.Parser{}).ParseBatch([]byte(`[{"jsonrpc":"2.0","method":"m"}]`)); err == nil || !strings.Contains(err.Error(), "batches are not part of the protocol") {
		t.Error(err)
	}
}

// TestInvalidParts: what is not valid is not written, and nothing is appended.
func TestInvalidParts(t *testing.T) {
	deep := strings.Repeat("[", wire.MaxDepth) + strings.Repeat("]", wire.MaxDepth)
	object := func(data string) runtime.ErrorObject {
		return runtime.ErrorObject{Code: 1, Message: "no", AppendData: func(b []byte) []byte { return append(b, data...) }}
	}
	for name, f := range map[string]func(dst []byte) ([]byte, error){
		"no id":           func(b []byte) ([]byte, error) { return message.AppendRequest(b, nil, "m", nil) },
		"an object as id": func(b []byte) ([]byte, error) { return message.AppendRequest(b, []byte("{}"), "m", nil) },
		"two ids":         func(b []byte) ([]byte, error) { return message.AppendRequest(b, []byte("1,2"), "m", nil) },
		"no method":       func(b []byte) ([]byte, error) { return message.AppendNotification(b, "", nil) },
		"bytes as method": func(b []byte) ([]byte, error) { return message.AppendNotification(b, "\xff", nil) },
		"a number":        func(b []byte) ([]byte, error) { return message.AppendNotification(b, "m", []byte("7")) },
		"no JSON":         func(b []byte) ([]byte, error) { return message.AppendNotification(b, "m", []byte("{")) },
		"more than JSON":  func(b []byte) ([]byte, error) { return message.AppendNotification(b, "m", []byte(`{},"id":1`)) },
		"empty params":    func(b []byte) ([]byte, error) { return message.AppendNotification(b, "m", []byte{}) },
		"deep":            func(b []byte) ([]byte, error) { return message.AppendNotification(b, "m", []byte(deep)) },
		"no result":       func(b []byte) ([]byte, error) { return message.AppendResult(b, []byte("1"), nil) },
		"result, no id":   func(b []byte) ([]byte, error) { return message.AppendResult(b, nil, []byte("1")) },
		"data":            func(b []byte) ([]byte, error) { return message.AppendError(b, nil, object(`1,"x":2`)) },
		"data that ends":  func(b []byte) ([]byte, error) { return message.AppendError(b, nil, object(`1}}`)) },
		"error, id":       func(b []byte) ([]byte, error) { return message.AppendError(b, []byte("x"), object(`1`)) },
		"data, NaN": func(b []byte) ([]byte, error) {
			return message.AppendError(b, nil, runtime.ErrorObject{AppendData: func(b []byte) []byte { return wire.AppendFloat(b, math.NaN()) }})
		},
		"empty batch":      func(b []byte) ([]byte, error) { return message.AppendBatch(b) },
		"batch of numbers": func(b []byte) ([]byte, error) { return message.AppendBatch(b, []byte("7")) },
		"no kind":          message.Message{}.Append,
		"no error":         message.Message{Kind: message.Failure}.Append,
	} {
		if got, err := f([]byte("before")); err == nil || string(got) != "before" {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if got, err := message.AppendError(nil, nil, object(`[]`)); err != nil || string(got) != `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no","data":[]}}` {
		t.Errorf("%s %v", got, err)
	}
}

// TestNothingIsCopied: reading a message allocates nothing, and appending to a part does not change the message.
func TestNothingIsCopied(t *testing.T) {
	text := []byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}`)
	before := string(text)
	m, _ := message.Parse(text)
	m.Params = append(m.Params, "xxxx"...)
	m.ID = append(m.ID, "xxxx"...)
	if string(text) != before {
		t.Error(string(text))
	}
	if n := testing.AllocsPerRun(100, func() { m, _ = message.Parse(text) }); n != 0 {
		t.Error(n, "allocations")
	}
}
