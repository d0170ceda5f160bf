package wire_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/canonical"
)

// TestText: the text of a value is what a reader finds there again.
func TestText(t *testing.T) {
	msg := []byte(`{"a": {"b":[1, 2]} ,"c":"x"}`)
	var r wire.Reader
	r.Reset(msg, 0, wire.MaxDepth)
	var a, c []byte
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if r.Key(&o, 0, `"a":`) {
			a = r.Text()
		}
		if r.Key(&o, 1, `"c":`) {
			c = r.Text()
		}
	}
	if string(a) != `{"b":[1, 2]}` || string(c) != `"x"` || r.Failed() {
		t.Errorf("%s, %s, failed %v", a, c, r.Failed())
	}
	if cap(a) != len(a) {
		t.Error("the text can be appended to")
	}
	r.Reset([]byte(`[1,`), 0, wire.MaxDepth)
	if text := r.Text(); text != nil || !r.Failed() {
		t.Errorf("%s is not a value", text)
	}
}

// TestPeekJSON looks at values without reading them.
func TestPeekJSON(t *testing.T) {
	p := wire.PeekAt([]byte(` {"a":{"b":[1,2]},"bad":[1}`))
	if got := string(p.In("a").In("b").JSON()); got != "[1,2]" {
		t.Error(got)
	}
	for _, name := range []string{"bad", "none"} {
		if got := p.In(name).JSON(); got != nil {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := wire.PeekAt(nil).JSON(); got != nil {
		t.Error(got)
	}
}

// TestAppendQuoted quotes what stands before in the same memory, with and without room for it.
func TestAppendQuoted(t *testing.T) {
	for _, room := range []int{0, 100} {
		b := append(make([]byte, 0, 9+room), `{"a":"é"}`...)
		b = wire.AppendQuoted(append(b, ' '), b)
		if got, want := string(b), `{"a":"é"} "{\"a\":\"é\"}"`; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestCanonical: equal values are equal texts.
func TestCanonical(t *testing.T) {
	for a, b := range map[string]string{`{"a":1,"b":[2.0]}`: `{ "b":[2],"a":1.0 }`, `"\u0041"`: `"A"`, `1e2`: `100`} {
		if canonical.Value([]byte(a)) != canonical.Value([]byte(b)) {
			t.Errorf("%s and %s differ", a, b)
		}
	}
	if canonical.Value([]byte(`[1,2]`)) == canonical.Value([]byte(`[2,1]`)) {
		t.Error("the order of elements does not count")
	}
}
