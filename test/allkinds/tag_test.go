package allkinds_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
)

// TestUnknownTag: a union whose tag is not known is one violation, that of the tag: the value is there, and nothing says that it is missing.
func TestUnknownTag(t *testing.T) {
	const head = `{"inner":{"a":"x"},"maybe":null,"list":[],`
	const circle = `"union":{"kind":"circle","centre":{"x":0,"y":0},"radius":1}`
	for text, want := range map[string]string{
		head + `"union":{"kind":"crcle"}}`: `/union/kind: enum: expected one of circle, square, got "crcle" (did you mean "circle"?)`,
		head + `"union":{"kind":5}}`:       `/union/kind: enum: expected one of circle, square, got 5`,
		head + `"union":{}}`:               `/union/kind: required: expected one of circle, square`,
		head + `"union":7}`:                `/union: type: expected object, got number`,
		head + circle + `,"unions":[{"kind":"x"},{},null]}`: `/unions/0/kind: enum: expected one of circle, other, got "x"; ` +
			`/unions/1/kind: required: expected one of circle, other; /unions/2: type: expected object, got null`,
	} {
		var v allkinds.Inline
		if err := wire.UnmarshalCopy([]byte(text), &v); err == nil || err.Error() != want {
			t.Errorf("%s\n  got  %v\n  want %s", text, err, want)
		}
	}
}

// TestUnionAlone: a value of a union that no generated struct holds is written with its tag, and read back.
func TestUnionAlone(t *testing.T) {
	spare := &allkinds.ParcelSpare{}
	spare.Value.Count = 3
	for want, v := range map[string]allkinds.Parcel{
		`{"what":"box","width":2}`:    &allkinds.Box{Width: runtime.Some[int64](2)},
		`{"what":"box"}`:              &allkinds.Box{},
		`{"what":"bag","colour":"x"}`: &allkinds.Bag{Colour: "x"},
		`{"what":"spare","count":3}`:  spare,
	} {
		if b, err := json.Marshal([]allkinds.Parcel{v}); err != nil || string(b) != "["+want+"]" {
			t.Errorf("encoding/json writes %s, %v", b, err)
		}
		b, err := runtime.MarshalUnion(v, allkinds.AppendParcel)
		if err != nil || string(b) != want {
			t.Fatalf("%s, %v", b, err)
		}
		for _, check := range []func(*runtime.Violations, allkinds.Parcel){allkinds.CheckParcel, nil} {
			back, err := runtime.UnmarshalUnion(b, allkinds.DecodeParcel, check)
			if err != nil {
				t.Fatal(err)
			}
			again, err := json.Marshal(back) // which keeps the tag once, where the branch keeps what it does not know
			same := map[string]any{}
			if err != nil || json.Unmarshal(again, &same) != nil || same["what"] == nil || len(again) != len(want) {
				t.Errorf("%s is read as %+v, and written as %s, %v", b, back, again, err)
			}
		}
	}
	// Circle is a branch of unions that write different tags, or none: encoding/json cannot tell which one it is.
	circle := &allkinds.Circle{Radius: 1}
	if b, err := json.Marshal([]any{circle}); err == nil || !strings.Contains(err.Error(), "runtime.MarshalUnion") {
		t.Errorf("encoding/json writes %s, %v", b, err)
	}
	bare := circle.AppendJSON(nil)
	tagged, err := runtime.MarshalUnion(allkinds.Single(circle), allkinds.AppendSingle)
	if err != nil || string(tagged) != `{"kind2":"only",`+string(bare[1:]) || json.Unmarshal(tagged, new(allkinds.Circle)) != nil {
		t.Errorf("%s, %v", tagged, err)
	}
	if _, err := runtime.MarshalUnion(allkinds.Single(nil), allkinds.AppendSingle); err == nil {
		t.Error("nil is written")
	}
	if back, err := runtime.UnmarshalUnion([]byte(`{"kind2":"other"}`), allkinds.DecodeSingle, nil); err == nil || !reflect.ValueOf(&back).Elem().IsNil() {
		t.Errorf("got %v, %v", back, err)
	}
}
