package allkinds_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/allkinds"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
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
