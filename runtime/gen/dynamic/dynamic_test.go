package dynamic_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/runtime/gen/dynamic"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

func raw(t *testing.T, text string) wire.Raw {
	t.Helper()
	v, err := wire.ParseRaw([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRoundTrips(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `"a\"\\\n\u2028世界😀"`, `0`, `-0`, `9007199254740993`, `-9223372036854775809`, `1e400`, `0.1`, `1.0`, `12345678901234567890`,
		`[]`, `{}`, `[1,[2,[3,{"a":[null]}]]]`, `{"a":{"b":{"c":1}},"b":"x"}`, `{"":{"\n":1}}`,
	} {
		v, err := dynamic.Value(raw(t, text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := string(dynamic.Append(nil, v))
		var a, b any
		if json.Unmarshal([]byte(text), &a) == nil && json.Unmarshal([]byte(got), &b) == nil && !reflect.DeepEqual(a, b) {
			t.Errorf("%s became %s", text, got)
		}
		if !strings.ContainsAny(text, `"`) && got != text {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestNumbersAreExact(t *testing.T) {
	v, err := dynamic.Value(raw(t, `{"n":[9007199254740993,1.10]}`))
	want := map[string]any{"n": []any{json.Number("9007199254740993"), json.Number("1.10")}}
	if err != nil || !reflect.DeepEqual(v, want) {
		t.Error(v, err)
	}
}

func TestOutputIsStrict(t *testing.T) {
	tests := []struct {
		v    any
		want string
	}{
		{json.RawMessage("{ \"a\" :\n1 }"), `{"a":1}`},
		{map[string]any{"b": 1, "a": json.RawMessage("[\n]")}, `{"a":[],"b":1}`},
		{"a\xffb", "\"a\ufffdb\""},
		{json.RawMessage("\"\xff\""), "\"\ufffd\""},
		{raw(t, ` [1] `), `[1]`},
		{struct{ A, B int }{1, 2}, `{"A":1,"B":2}`},
		{time.Unix(0, 0).UTC(), `"1970-01-01T00:00:00Z"`},
		{"<&>", `"<&>"`},
	}
	for _, test := range tests {
		got, err := dynamic.Raw(test.v)
		if err != nil {
			t.Errorf("%v: %v", test.v, err)
			continue
		}
		var a, b any
		json.Unmarshal([]byte(got.String()), &a)
		json.Unmarshal([]byte(test.want), &b)
		if !reflect.DeepEqual(a, b) || strings.Contains(got.String(), "\n") || !utf8.ValidString(got.String()) {
			t.Errorf("%v: got %s", test.v, got)
		}
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	deep := any(1)
	for range 100 {
		deep = []any{deep}
	}
	for _, v := range []any{math.NaN(), make(chan int), json.RawMessage("{bad"), json.Number("x"), deep} {
		func() {
			var err error
			defer func() {
				if _, ok := errors.AsType[*wire.EncodeError](err); !ok {
					t.Errorf("%T: got %v", v, err)
				}
			}()
			defer wire.CatchEncodeError(&err)
			t.Errorf("%T: got %s", v, dynamic.Append(nil, v))
		}()
	}
}

type point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

func decode(text string, v any) error {
	return wire.Unmarshal([]byte(text), func(r *wire.Reader) { dynamic.Decode(r, v) }, func(*violation.List) {})
}

func TestDecode(t *testing.T) {
	var p point
	if err := decode(` { "x" : 1 , "y" : 2 } `, &p); err != nil || p != (point{1, 2}) {
		t.Error(p, err)
	}
	var q point
	err := decode(`{"x":"one"}`, &q)
	if e, ok := errors.AsType[*violation.Error](err); !ok || e.Violations[0].Rule != "type" || e.Violations[0].Got != "object" {
		t.Error(err)
	}
	for _, text := range []string{"\"\xff\"", "\"\x01\"", `"\ud800"`, `{"x":01}`, `{"x":1`, `[1,]`, `{"x":1} x`} {
		var v any
		if _, ok := errors.AsType[*wire.SyntaxError](decode(text, &v)); !ok {
			t.Errorf("%q was accepted as %v", text, v)
		}
	}
	var v any
	if _, ok := errors.AsType[*wire.DepthError](decode(strings.Repeat("[", 65)+strings.Repeat("]", 65), &v)); !ok {
		t.Error("nested too deep, and accepted")
	}
}

func TestDecodeGoesOnBehindAViolation(t *testing.T) {
	var a, b point
	err := wire.Unmarshal([]byte(`[{"x":"one"},{"x":1.5}]`), func(r *wire.Reader) {
		e := r.Array()
		if r.Elem(&e) {
			dynamic.Decode(r, &a)
		}
		if r.Elem(&e) {
			dynamic.Decode(r, &b)
		}
		r.Elem(&e)
	}, func(*violation.List) {})
	e, ok := errors.AsType[*violation.Error](err)
	if !ok || len(e.Violations) != 2 || e.Violations[0].Pointer != "/0" || e.Violations[1].Pointer != "/1" {
		t.Error(err)
	}
}
