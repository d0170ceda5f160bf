package runtime_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// checkDispatch dispatches msg, and compares the verdict on its syntax with that of another reader of JSON.
func checkDispatch(t *testing.T, d *runtime.Dispatcher, msg []byte) {
	t.Helper()
	before := bytes.Clone(msg)
	answer := d.Dispatch(t.Context(), nil, msg)
	if !bytes.Equal(before, msg) {
		t.Fatalf("%q was changed to %q", before, msg)
	}
	valid := isJSON(msg)
	if refused := bytes.Contains(answer, []byte(`"error":{"code":-32700,`)); refused == valid {
		t.Fatalf("%q is JSON: %v, answered %s", msg, valid, answer)
	}
	if len(answer) > 0 && (!isJSON(answer) || bytes.ContainsAny(answer, "\n\r")) {
		t.Fatalf("%q was answered %q", msg, answer)
	}
	if bytes.Contains(answer, []byte("-32603")) {
		t.Fatalf("%q was answered %q", msg, answer)
	}
}

// isJSON is the other opinion. It is asked about values that are nested less than 10,000 deep.
func isJSON(b []byte) bool {
	return json.Valid(b) && utf8.Valid(b) && !loneSurrogate(b)
}

// loneSurrogate reports whether a JSON text holds an escaped half of a surrogate pair without the other one (RFC 8259 section 8.2), which
// encoding/json replaces.
func loneSurrogate(b []byte) bool {
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		if i++; b[i] != 'u' {
			continue
		}
		n, _ := strconv.ParseUint(string(b[i+1:i+5]), 16, 16)
		i += 4
		if !utf16.IsSurrogate(rune(n)) {
			continue
		}
		if len(b)-i < 7 || b[i+1] != '\\' || b[i+2] != 'u' {
			return true
		}
		low, _ := strconv.ParseUint(string(b[i+3:i+7]), 16, 16)
		if utf16.DecodeRune(rune(n), rune(low)) == utf8.RuneError {
			return true
		}
		i += 6
	}
	return false
}

func seeds() (all []string) {
	for _, o := range orders {
		all = append(all, o.text)
	}
	for _, r := range refusals {
		all = append(all, r.text)
	}
	return append(all,
		`{"jsonrpc":"2.0","id":"a\u0062","method":"weather\/current","params":["Paris",7]}`,
		`{"jsonrpc":"2.0","method":"weather/watch","params":{"city":"Paris"},"x":[1,{"y":null}]}`,
		`[{"jsonrpc":"2.0","id":1,"method":"weather/ping"},{"jsonrpc":"2.0","method":"weather/ping"},7]`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"\ud83d\ude00"}}`, `[]`, `{}`, `7`,
		`{"jsonrpc":"2.0","id":1.5e3,"method":"weather/ping","params":`+strings.Repeat("[", 63)+strings.Repeat("]", 63)+`}`,
		`{"jsonrpc":"2.0","id":-0,"method":"weather/ping","params":`+strings.Repeat("[", 64)+strings.Repeat("]", 64)+`}`,
	)
}

func fuzzed() []*runtime.Dispatcher {
	server := office()
	strict := *server
	strict.Way = runtime.Protocol{}
	return []*runtime.Dispatcher{
		runtime.NewDispatcher(weather.NewHandler(server), runtime.Options{Logger: quiet}),
		runtime.NewDispatcher(weather.NewHandler(&strict), runtime.Options{Logger: quiet, Explain: true, CallContext: true}),
	}
}

func FuzzEnvelope(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	all := fuzzed()
	f.Fuzz(func(t *testing.T, msg []byte) {
		if bytes.Count(msg, []byte("["))+bytes.Count(msg, []byte("{")) > 5000 {
			return
		}
		for _, d := range all {
			checkDispatch(t, d, msg)
		}
	})
}

func TestMutatedRequests(t *testing.T) {
	rounds := 100_000
	if testing.Short() {
		rounds = 5_000
	}
	all, texts, r := fuzzed(), seeds(), rand.New(rand.NewPCG(1, 2))
	for range rounds {
		msg := mutate(r, texts[r.IntN(len(texts))])
		for _, d := range all {
			checkDispatch(t, d, msg)
		}
	}
}

// TestRulesAfterFaults: a message whose syntax is not valid leaves nothing to the next one, whose
// rules are checked.
func TestRulesAfterFaults(t *testing.T) {
	d := fuzzed()[0]
	for _, text := range []string{`{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"Paris","days":7,}}`, `{"jsonrpc":"2.0","id":1,"method":"weather/current","params":`} {
		for range 10 {
			d.Dispatch(t.Context(), nil, []byte(text))
			answer := d.Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":""}}`))
			if !bytes.Contains(answer, []byte(`"code":-32602`)) {
				t.Fatalf("after %s: %s", text, answer)
			}
		}
	}
}

// mutate returns text with a few bytes changed, dropped or added.
func mutate(r *rand.Rand, text string) []byte {
	const alphabet = "{}[]\",:\\0123456789.eE+-truefalsn \x01\xff\n\tjidmp"
	msg := []byte(text)
	for range 1 + r.IntN(3) {
		at, c := r.IntN(len(msg)), alphabet[r.IntN(len(alphabet))]
		switch r.IntN(3) {
		case 0:
			msg[at] = c
		case 1:
			if len(msg) > 1 {
				msg = append(msg[:at], msg[at+1:]...)
			}
		case 2:
			msg = append(msg[:at:at], append([]byte{c}, msg[at:]...)...)
		}
	}
	return msg
}

// TestOrdersAgree: the same members in any order are answered alike.
func TestOrdersAgree(t *testing.T) {
	members := []string{`"jsonrpc":"2.0"`, `"id":42`, `"method":"weather/current"`, `"params":{"city":"Paris"}`, `"more":[{"a":"}"}]`}
	d := fuzzed()[0]
	permute(members, 0, func(p []string) {
		for _, text := range []string{"{" + strings.Join(p, ",") + "}", " {\t" + strings.Join(p, " ,\r\n") + " } "} {
			const want = `{"jsonrpc":"2.0","id":42,"result":{"city":"Paris","degrees":14}}`
			if got := string(d.Dispatch(t.Context(), nil, []byte(text))); got != want {
				t.Fatalf("%s\n  got %s", text, got)
			}
		}
	})
}

func permute(s []string, n int, f func([]string)) {
	if n == len(s) {
		f(s)
		return
	}
	for i := n; i < len(s); i++ {
		s[n], s[i] = s[i], s[n]
		permute(s, n+1, f)
		s[n], s[i] = s[i], s[n]
	}
}
