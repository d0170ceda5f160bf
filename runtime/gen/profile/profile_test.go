package profile

import (
	"encoding/json"
	"strings"
	"testing"
)

const plan = `{"optional":["a","b"],"members":{"b":{"map":{"optional":["x"]}},"c":{"items":{"ref":"Node"}},"d":{"branches":[{"kind":"string"},{"kind":"object","names":["k","v"],"consts":{"k":"one"},"optional":["v"]},
	{"kind":"object","names":["k","w"],"consts":{"k":"two"},"optional":["w"]},{"kind":"object","map":{}}]},"e":{"ref":"#"}},"defs":{"Node":{"optional":["n"],"members":{"below":{"ref":"Node"}}},"Loop":{"ref":"Loop"}}}`

func TestPlain(t *testing.T) {
	for arguments, want := range map[string]string{
		`{}`: `{}`,
		` { "a" : null , "b" : null , "z" : null } `:               `{"z":null}`,
		`{"a":1,"b":[{"name":"p","value":{"x":null,"y":null}}]}`:   `{"a":1,"b":{"p":{"y":null}}}`,
		`{"b":[{"value":1,"name":"p\"q"},{"name":"","value":[]}]}`: `{"b":{"p\"q":1,"":[]}}`,
		`{"b":[{"name":"p"}]}`:                                     `{"b":[{"name":"p"}]}`,
		`{"b":[5]}`:                                                `{"b":[5]}`,
		`{"b":[{"name":5,"value":1}]}`:                             `{"b":[{"name":5,"value":1}]}`,
		`{"b":[{"name":"p","value":1,"more":2}]}`:                  `{"b":[{"name":"p","value":1,"more":2}]}`,
		`{"b":{"p":1}}`:                                            `{"b":{"p":1}}`,
		`{"c":[{"n":null,"below":{"n":null}}]}`:                    `{"c":[{"below":{}}]}`,
		`{"d":{"k":"one","v":null}}`:                               `{"d":{"k":"one"}}`,
		`{"d":{"k":"two","w":null}}`:                               `{"d":{"k":"two"}}`,
		`{"d":{"k":"two","v":null}}`:                               `{"d":{"k":"two","v":null}}`,
		`{"d":"text"}`:                                             `{"d":"text"}`,
		`{"d":[{"name":"p","value":1}]}`:                           `{"d":{"p":1}}`,
		`{"e":{"a":null,"e":{"b":null}}}`:                          `{"e":{"e":{}}}`,
		`{"a":null,"a":1}`:                                         `{"a":null,"a":1}`, // which the decoder refuses
		`{"a":null,"b":nul}`:                                       `{"a":null,"b":nul}`,
		`{"a":null`:                                                `{"a":null`,
	} {
		if got := string(Plain(plan, []byte(arguments))); got != want {
			t.Errorf("%s: %s, want %s", arguments, got, want)
		}
	}
	if got := string(Plain(`{"ref":"Loop","defs":{"Loop":{"ref":"Loop"}}}`, []byte(`{"a":1}`))); got != `{"a":1}` {
		t.Error(got)
	}
}

// FuzzPlain: what comes of JSON is JSON, and comes of itself.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{`{"a":null,"b":[{"name":"p","value":{"x":null}}]}`, `{"c":[{"n":null,"below":{"n":null}}],"d":{"k":"one","v":null}}`, `{"e":{"a":null}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		got := string(Plain(plan, []byte(arguments)))
		if json.Valid([]byte(arguments)) && !json.Valid([]byte(got)) || len(got) > 8*len(arguments)+8 {
			t.Errorf("%q becomes %q", arguments, got)
		}
	})
}

func BenchmarkPlain(b *testing.B) {
	arguments := []byte(`{"a":null,"b":[{"name":"p","value":{"x":null,"y":1}}],"c":[` + strings.TrimSuffix(strings.Repeat(`{"n":null,"below":{"n":1}},`, 10), ",") + `]}`)
	b.ReportAllocs()
	for b.Loop() {
		Plain(plan, arguments)
	}
}
