package allkinds_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
)

// decoded decodes text and checks the rules.
func decoded(c codec, text []byte) (holder, error) {
	h := c.make()
	return h, wire.Unmarshal(bytes.Clone(text), h.Decode, h.Check)
}

// TestRoundTrip decodes valid values of every type, however they are written, and encodes them again: nothing is lost that the
// schema keeps, and what comes out is JSON on one line that decodes to an equal value.
func TestRoundTrip(t *testing.T) {
	for _, c := range codecs {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				v := fitting(t, definitions()[c.name])
				roundTrip(t, c, v, spell(t, v))
			})
		})
	}
}

func roundTrip(t *rapid.T, c codec, v ir.Value, text []byte) {
	first, err := decoded(c, text)
	if err != nil {
		t.Fatalf("%s\nis refused: %v", text, err)
	}
	out := first.Append([]byte("x"))
	if out[0] != 'x' {
		t.Fatal("what was before is lost")
	}
	out = out[1:]
	if !jsontext.Value(out).IsValid() || bytes.ContainsAny(out, "\n\r") {
		t.Fatalf("%s\nis written as %s", text, out)
	}
	second, err := decoded(c, out)
	if err != nil {
		t.Fatalf("%s\nis written as %s\nwhich is refused: %v", text, out, err)
	}
	if !same(first.Value(), second.Value()) {
		t.Fatalf("%s\nis %+v\nwritten as %s\nwhich is %+v", text, first.Value(), out, second.Value())
	}
	back, err := ir.ParseJSON(out)
	if err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	typ := definitions()[c.name]
	if before, after := normal(typ, v), normal(typ, back); !judge.Equal(before, after) {
		t.Fatalf("%s\nis written as %s\nwhich means %s\nand not %s", text, out, after, before)
	}
	again := first.Append(nil)
	if !bytes.Equal(again, out) {
		t.Fatalf("written as %s\nand then as %s", out, again)
	}
	if marshals(first) {
		standard(t, first, text, out)
	}
	reuse(t, c, first, text)
}

// same compares values of a generated type. Moments are equal that are one instant, such as in UTC and at -00:00.
func same(a, b any) bool {
	return reflect.DeepEqual(a, b) || cmp.Equal(a, b, cmp.Exporter(func(reflect.Type) bool { return true }),
		cmp.Comparer(time.Time.Equal), cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
		cmp.Comparer(func(a, b big.Int) bool { return a.Cmp(&b) == 0 }))
}

// ownTags are the tags of branches that leave them to their unions, which MarshalJSON writes and AppendJSON does not.
var ownTags = map[reflect.Type]string{
	reflect.TypeFor[allkinds.PlainCount](): `"type":"count"`,
	reflect.TypeFor[allkinds.Box]():        `"what":"box"`,
	reflect.TypeFor[allkinds.Bag]():        `"what":"bag"`,
}

// apart are the branches of unions that do not write the same tag with them, which MarshalJSON refuses.
var apart = map[reflect.Type]bool{reflect.TypeFor[allkinds.Circle](): true}

// standard compares the methods that encoding/json calls with those that the runtime calls.
func standard(t *rapid.T, h holder, text, out []byte) {
	p := reflect.New(reflect.TypeOf(h.Value()))
	if err := json.Unmarshal(text, p.Interface()); err != nil {
		t.Fatalf("%s: encoding/json: %v", text, err)
	}
	if got := p.Elem().Interface(); !same(got, h.Value()) {
		t.Fatalf("%s: encoding/json decodes %+v, the runtime %+v", text, got, h.Value())
	}
	got, err := p.Interface().(json.Marshaler).MarshalJSON()
	if apart[reflect.TypeOf(h.Value())] {
		if err == nil || !strings.Contains(err.Error(), "runtime.MarshalUnion") {
			t.Fatalf("MarshalJSON of a branch that its unions do not write alike: %s, %v", got, err)
		}
		return
	}
	if tag := ownTags[reflect.TypeOf(h.Value())]; tag != "" && !bytes.Equal(got, out) {
		got = bytes.Replace(bytes.Replace(got, []byte(tag+","), nil, 1), []byte(tag), nil, 1)
	}
	if err != nil || !bytes.Equal(got, out) {
		t.Fatalf("MarshalJSON: %s, %v; AppendJSON: %s", got, err, out)
	}
	if _, err := json.Marshal(h.Value()); err != nil {
		t.Fatalf("%s: encoding/json: %v", out, err)
	}
}

// reuse decodes into a value that held something else before: none of it may be left.
func reuse(t *rapid.T, c codec, h holder, text []byte) {
	other := fitting(t, definitions()[c.name])
	used, err := decoded(c, []byte(other.String()))
	if err != nil {
		t.Fatalf("%s: %v", other, err)
	}
	var r wire.Reader
	text = bytes.Clone(text)
	r.Reset(text, 0, wire.MaxDepth)
	used.Decode(&r)
	if r.Failed() || !same(used.Value(), h.Value()) {
		t.Fatalf("%s\nis %+v\nwhere %s was before, and %+v elsewhere", text, used.Value(), other, h.Value())
	}
	used.Check(new(rule.Violations))
}
