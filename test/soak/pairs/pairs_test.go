package pairs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestDraw: a seed and a number always give the same scenario, and all values of all dimensions are drawn.
func TestDraw(t *testing.T) {
	drawn := make(map[string]bool)
	for number := range 500 {
		s := draw(7, number)
		if again := draw(7, number); *s != *again {
			t.Fatalf("%+v, and then %+v", s, again)
		}
		for word := range strings.SplitSeq(s.String(), ", ") {
			drawn[word] = true
		}
	}
	want := []string{"json-rpc", "mcp", "principals", "middleware", "rates", "cancellation", "timeouts", "members twice", "a mute caller", "reconnect",
		"lost connections", "positional params", "batches", "callbacks", "questions", "tasks"}
	for prefix, values := range map[string][]string{"over ": transports, "cache ": caches, "": append(topologies, revisions...), "memory of ": keepers} {
		for _, value := range values {
			want = append(want, prefix+value)
		}
	}
	for _, word := range want {
		if !drawn[word] {
			t.Errorf("%q is never drawn", word)
		}
	}
	if *draw(7, 1) == *draw(8, 1) {
		t.Error("another seed draws the same")
	}
}

// found returns a run, and what it reports.
func found() (*run, *strings.Builder) {
	out := new(strings.Builder)
	return &run{scenario: draw(7, 42), all: &findings{out: out, began: time.Now()}, over: make(chan struct{})}, out
}

// TestTap: a second response, one without a request and an id that is there twice are found, in batches too.
func TestTap(t *testing.T) {
	const request = `{"jsonrpc":"2.0","id":1,"method":"a"}`
	for name, test := range map[string]struct {
		sent, received []string
		want           string // empty if all is right
	}{
		"right":              {[]string{request}, []string{`{"id":1,"result":{}}`, `{"id":1,"method":"of the server"}`, `{"method":"note"}`, `{"id":null,"error":{}}`}, ""},
		"a batch":            {[]string{`[` + request + `,{"id":2,"method":"b"},{"method":"c"}]`}, []string{`[{"id":2,"result":1},{"id":1,"result":2}]`}, ""},
		"twice":              {[]string{request}, []string{`{"id":1,"result":{}}`, `{"id":1,"result":{}}`}, "one response to each request"},
		"twice in a batch":   {[]string{request}, []string{`[{"id":1,"result":{}},{"id":1,"result":{}}]`}, "one response to each request"},
		"without a request":  {[]string{request}, []string{`{"id":2,"result":{}}`}, "one response to each request"},
		"of another request": {[]string{request, request}, nil, "another id"},
	} {
		r, out := found()
		tapped := r.newTap("ann")
		for _, message := range test.sent {
			tapped.see(true, []byte(message))
		}
		for _, message := range test.received {
			tapped.see(false, []byte(message))
		}
		if got := out.String(); !strings.Contains(got, test.want) || (test.want == "") != (got == "") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestExpect: a wrong answer and an error are found, with all that is needed to run the scenario again, and what has to be refused is not.
func TestExpect(t *testing.T) {
	for name, test := range map[string]struct {
		got  string
		err  error
		want string
	}{
		"right":    {"for ann", nil, ""},
		"wrong":    {"for bob", nil, "expected for ann, got for bob"},
		"an error": {"", errors.New("broken"), "expected for ann, got the error broken"},
		"no end":   {"", context.DeadlineExceeded, "expected for ann, got no answer within"},
	} {
		r, out := found()
		c := r.newCaller("ann", false)
		c.expect(t.Context(), "echo", "for ann", func(context.Context) (string, error) { return test.got, test.err })
		got := out.String()
		if !strings.Contains(got, test.want) || (test.want == "") != (got == "") {
			t.Errorf("%s: %q", name, got)
		}
		if where := "seed 7, scenario 42 (" + r.String() + "): caller ann: echo: "; test.want != "" && !(strings.Contains(got, where) && strings.Contains(got, "-seed 7 -scenario 42")) {
			t.Errorf("%s does not name the scenario: %q", name, got)
		}
		if err := r.all.err(); test.want != "" && err == nil {
			t.Error(name, "is not a failure")
		}
	}
}

// TestPlay runs some scenarios of each kind.
func TestPlay(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	r, out := found()
	for number := range 10 {
		if s := draw(1, number); s.kind != kindMemory {
			play(s, r.all)
		}
	}
	if out.Len() > 0 || r.all.right.Load() == 0 {
		t.Error(out.String(), r.all.right.Load())
	}
}
