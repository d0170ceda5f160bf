package json_test

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/json"
)

func TestParseJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"b":1.50,"a":[true,null,"x\u00e9"]}`: `{"b":1.50,"a":[true,null,"xé"]}`,
		` 1e2 `:                                `1e2`,
		`"\u0001\n\"\\"`:                       `"\u0001\n\"\\"`,
	} {
		v, err := json.Parse([]byte(text))
		if err != nil || v.String() != want {
			t.Errorf("%s: %v %v", text, v, err)
		}
	}
	for _, text := range []string{``, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `1 2`, `01`, `[1,]`, "\"\xff\"", `"\ud800"`, `"\ud800\u0041"`, `nul`} {
		if v, err := json.Parse([]byte(text)); err == nil {
			t.Errorf("%q is taken as %v", text, v)
		}
	}
	if v, err := json.Parse([]byte(`"\ud83d\ude00 \\ud800"`)); err != nil || v.Text != `😀 \ud800` {
		t.Errorf("%v %v", v, err)
	}
}

func TestNumbers(t *testing.T) {
	for text, kind := range map[string]json.Kind{`1`: json.Integer, `1.0`: json.Integer, `1e2`: json.Integer, `10e-1`: json.Integer, `1.5`: json.Number, `1e-1`: json.Number} {
		if v, err := json.Parse([]byte(text)); err != nil || v.Kind != kind {
			t.Errorf("%s: %v %v", text, v.Kind, err)
		}
	}
}

// TestLoose reads texts that are JSON and that strict readers refuse: the error comes with a value, with the last member of a name.
func TestLoose(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":2,"\u0061":[3]}`: `{"a":[3],"b":2}`,
		`{"a":{"b":1,"b":2}}`:        `{"a":{"b":2}}`,
		"\"\xff\"":                   `"` + "\uFFFD" + `"`,
		`"\ud800"`:                   `"` + "\uFFFD" + `"`,
	} {
		if v, err := json.Parse([]byte(text)); v.Shown() != want || err == nil {
			t.Errorf("%q: %v %v", text, v.Shown(), err)
		}
	}
	for _, text := range []string{`{"a":1,}`, `1 2`, ``, strings.Repeat("[", 2000) + strings.Repeat("]", 2000)} {
		if v, err := json.Parse([]byte(text)); v != nil || err == nil {
			t.Errorf("%.20q: %v %v", text, v.Shown(), err)
		}
	}
}

func parsed(t *testing.T, text string) *json.Value {
	v, err := json.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestEqual compares numbers by value, however large, and members in any order.
func TestEqual(t *testing.T) {
	for _, tt := range []struct {
		a, b  string
		equal bool
	}{
		{`1`, `1.0`, true}, {`1e999999`, `10e999998`, true}, {`1e999999`, `1e999998`, false}, {`0`, `-0`, true}, {`1`, `"1"`, false}, {`null`, `false`, false}, {`[]`, `{}`, false},
		{`{"a":1,"b":[2,{}]}`, `{"b":[2.0,{}],"a":1}`, true}, {`{"a":1}`, `{"b":1}`, false}, {`[1,2]`, `[2,1]`, false}, {`"a"`, `"a"`, true}, {`"a"`, `"b"`, false}, {`null`, `null`, true},
	} {
		if a, b := parsed(t, tt.a), parsed(t, tt.b); a.Equal(b) != tt.equal || b.Equal(a) != tt.equal {
			t.Errorf("%s and %s", tt.a, tt.b)
		}
	}
	var none *json.Value
	if null := parsed(t, `null`); none.Equal(null) || null.Equal(none) || !none.Equal(nil) {
		t.Error("null is taken for nothing")
	}
}

// TestPut replaces and removes parts of a value, which itself stays as it was.
func TestPut(t *testing.T) {
	const text = `{"a":[1,{"b/c":true}],"d":"x"}`
	v := parsed(t, text)
	v.Walk(nil, func(path []json.Step, part *json.Value) bool {
		if at := v.At(json.Pointer(path)); at != part {
			t.Errorf("%s leads to %s, not %s", json.Pointer(path), at.Shown(), part.JSON())
		}
		if got := v.Put(path, json.NewText("new")).At(json.Pointer(path)); got.Str() != "new" {
			t.Errorf("%s: %s", json.Pointer(path), got.Shown())
		}
		return true
	})
	for pointer, want := range map[string]string{"/a/1/b~1c": `{"a":[1,{}],"d":"x"}`, "/a/0": `{"a":[{"b/c":true}],"d":"x"}`, "/d": `{"a":[1,{"b/c":true}]}`, "": ""} {
		v.Walk(nil, func(path []json.Step, _ *json.Value) bool {
			if got := v.Put(path, nil).Shown(); json.Pointer(path) == pointer && got != want {
				t.Errorf("without %s: %s", pointer, got)
			}
			return true
		})
	}
	if v.JSON() != text {
		t.Errorf("it became %s", v.JSON())
	}
	for _, pointer := range []string{"/e", "/a/2", "/a/-1", "/a/x", "/d/0"} {
		if at := v.At(pointer); at != nil {
			t.Errorf("%s: %s", pointer, at.JSON())
		}
	}
}

// TestPlaceOfFault: a text that is not JSON, or nested too deeply, is refused with the place.
func TestPlaceOfFault(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":[1,}}`: "not valid JSON: invalid character '}' looking for beginning of value (at byte 9)",
		`{"a":`:      "not valid JSON: unexpected end of JSON input",
		strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000): "not valid JSON: invalid character '[' exceeded max depth (at byte 10001)",
	} {
		if _, err := json.Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.20s: %v", text, err)
		}
	}
}
