package json_test

import (
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
