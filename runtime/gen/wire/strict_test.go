package wire_test

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// lenient is an object that ignores other members, unless its reader is strict.
type lenient struct {
	a     string
	inner *lenient
}

func (v *lenient) DecodeJSON(r *wire.Reader) {
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		r.KeyString(&o, 0, `"alpha":`, &v.a)
		if r.Key(&o, 1, `"inner":`) {
			v.inner = new(lenient)
			v.inner.DecodeJSON(r)
		}
		r.Unknown(&o, "alpha\ninner")
	}
}

func TestStrict(t *testing.T) {
	const text = `{"alpha":"x","other":[1,{"a":2}],"inner":{"alhpa":"y"}}`
	var v lenient
	if err := wire.UnmarshalCopy([]byte(text), &v); err != nil || v.a != "x" || v.inner == nil {
		t.Error(err, v)
	}
	err := wire.Unmarshal([]byte(text), func(r *wire.Reader) { v.DecodeJSON(r.Strict()) }, nil)
	if err == nil {
		t.Fatal("unknown members are taken")
	}
	for _, want := range []string{"/other", "/inner/alhpa", `did you mean "alpha"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in %v", want, err)
		}
	}
	if err := wire.Unmarshal([]byte(`{"inner":{},"alpha":"x"}`), func(r *wire.Reader) { v.DecodeJSON(r.Strict()) }, nil); err != nil {
		t.Error(err)
	}
}

func TestNoMembers(t *testing.T) {
	for text, ok := range map[string]bool{`{}`: true, ` { } `: true, `{"a":1}`: false, `[]`: false, `1`: false} {
		var none func(*violation.List)
		if err := wire.Unmarshal([]byte(text), (*wire.Reader).NoMembers, none); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}
