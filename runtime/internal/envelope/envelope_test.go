package envelope

import (
	"reflect"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// FuzzUsual compares the fast path with reading by members: where it takes a message, both find the same.
func FuzzUsual(f *testing.F) {
	taken := 0
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{}}`, `{"method":"a","params":[1],"jsonrpc":"2.0","id":"x"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":"a\u0062","result": [1]}`, `{"jsonrpc":"2.0","id":-0,"result":7`,
		`{"jsonrpc":"2.0","id":null,"result":7}`, `{"jsonrpc":"2.0","id":1,"result":`, `{"jsonrpc":"2.0","id":1,"error":{}}`,
		`{"jsonrpc":"2.0","id":1,"result" :{}}`, `{"jsonrpc":"2.0","id":1,"results":{}}`, `{"jsonrpc":"2.0","id":01,"result":{}}`,
	} {
		f.Add([]byte(text), true)
		if new(Envelope).usual([]byte(text)) {
			taken++
		}
	}
	if taken < 5 {
		f.Fatalf("the fast path takes %d of the messages", taken)
	}
	f.Fuzz(func(t *testing.T, b []byte, loose bool) {
		fast, slow := Envelope{Loose: loose, Depth: wire.MaxDepth}, Envelope{Loose: loose, Depth: wire.MaxDepth}
		if fast.usual(b) && (!slow.members(b, 1, true) || !reflect.DeepEqual(fast, slow)) {
			t.Errorf("%q: %+v, by members %+v", b, fast, slow)
		}
	})
}

// FuzzSplit compares the parts that the splitter of a batch keeps with those that reading the element
// by itself finds.
func FuzzSplit(f *testing.F) {
	kept := 0
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{}}`, `{"jsonrpc":"2.0","id":"a\"b","method":"a/b","params":[1,{"a":[]}]}`,
		`{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"é","params":{"a":"b"}}`, `{"jsonrpc":"2.0","id":-1,"method":"a","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"\u0061b","params":{}}`, `{"jsonrpc":"2.0","id":1,"method":"a","params":{} }`, `{"jsonrpc":"2.0","id":01,"method":"a","params":{}}`,
		`{"method":"a","params":[1],"jsonrpc":"2.0","id":"x"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":10}`, `{"jsonrpc":"2.0","id":10`,
	} {
		f.Add([]byte(text))
		if s := Split([]byte("["+text+"]"), wire.MaxDepth); s.Next() && s.OpeningUsual() != (Usual{}) {
			kept++
		}
	}
	if kept != 4 {
		f.Fatalf("the parts of %d messages are kept", kept)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		msg := append(append([]byte("["), text...), "]"...)
		for s := Split(msg, wire.MaxDepth); s.Next(); {
			b, opened := s.Element(), s.OpeningUsual()
			fast, slow := Envelope{Depth: wire.MaxDepth}, Envelope{Depth: wire.MaxDepth}
			if !opened.Into(&fast, b) {
				continue
			}
			if !slow.members(b, 1, false) || !reflect.DeepEqual(fast, slow) {
				t.Errorf("%q: %+v, by members %+v", b, fast, slow)
			}
		}
	})
}

// BenchmarkOpen reads the members before the payload by the fast path, and as other messages are read.
func BenchmarkOpen(b *testing.B) {
	for name, text := range map[string]string{
		"request":  `{"jsonrpc":"2.0","id":42,"method":"weather/current","params":{"city":"Paris","days":7}}`,
		"response": `{"jsonrpc":"2.0","id":42,"result":{"city":"Paris","degrees":14}}`,
	} {
		msg := []byte(text)
		b.Run(name+"/usual", func(b *testing.B) {
			for b.Loop() {
				var e Envelope
				e.Open(msg)
			}
		})
		b.Run(name+"/members", func(b *testing.B) {
			for b.Loop() {
				var e Envelope
				e.members(msg, 1, true)
			}
		})
	}
}
