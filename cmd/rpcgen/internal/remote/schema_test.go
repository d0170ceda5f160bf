package remote

import (
	"strings"
	"testing"
)

// TestWord: types as the schema language has them, references followed within the document alone.
func TestWord(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                              "any",
		`true`:                            "any",
		`{"type":"integer"}`:              "integer",
		`{"type":["string","null"]}`:      "string | null",
		`{"enum":["a","b c","1",2,null]}`: `a | "b c" | "1" | 2 | null`,
		`{"const":"x"}`:                   "x",
		`{"oneOf":[{"const":"a","title":"A"},{"const":"b"}]}`:                                           "a | b",
		`{"type":"array","items":{"type":"array"}}`:                                                     "list<list<any>>",
		`{"type":"object","additionalProperties":{"type":"number"}}`:                                    "map<number>",
		`{"type":"string","format":"date"}`:                                                             "string(date)",
		`{"anyOf":[{"type":"string"},{"type":"object","properties":{"a":{"type":"boolean"}}}]}`:         "string | {a?: bool}",
		`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"boolean"}}}`:                                    "bool",
		`{"$ref":"http://canary.example/x"}`:                                                            "any",
		`{"$ref":"#/$defs/nothing"}`:                                                                    "any",
		`{"$ref":"#"}`:                                                                                  "any",
		`{"type":"object","properties":{"me":{"$ref":"#"}}}`:                                            "{me?: {me?: {me?: object}}}",
		`{"type":"object","properties":{"` + strings.Repeat("long", 16) + `":{"type":"null"}}}`:         "object",
		`{"type":"array","items":{"type":"object","properties":{"` + strings.Repeat("a", 60) + `":1}}}`: "list<object>",
	} {
		if got := schemaOf([]byte(text)).resolved().word(); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// TestArguments: words become the JSON that the schema asks for.
func TestArguments(t *testing.T) {
	const input = `{"type":"object","properties":{"s":{"type":"string"},"n":{"type":["number","null"]},"i":{"type":"integer"},"b":{"type":"boolean"},` +
		`"l":{"type":"array","items":{"type":"integer"}},"m":{"type":"object","additionalProperties":{"type":"string"}},"x":{},"a.b":{"type":"string"},` +
		`"o":{"type":"object","properties":{"p":{"type":"object","properties":{"q":{"type":"string"}}}}}}}`
	for words, want := range map[string]string{
		"":                                `{}`,
		"s=1|n=1.5|i=1e3|b=true":          `{"s":"1","n":1.5,"i":1e3,"b":true}`,
		"n=null|s=null|s2=":               "s2: there is no such argument, but one of s, n, i, b, l, m, x, a.b, o",
		"l=1|l=2":                         `{"l":[1,2]}`,
		"l=1":                             `{"l":[1]}`,
		"l=[1,2]":                         `{"l":[1,2]}`,
		"l=a":                             `l: expected integer, got "a"`,
		"m.k=v|m.other=a=b":               `{"m":{"k":"v","other":"a=b"}}`,
		`m={"k":"v"}`:                     `{"m":{"k":"v"}}`,
		`m=k`:                             `m: expected map<string>, got "k"`,
		"x=tea":                           `{"x":"tea"}`,
		`x=[1]`:                           `{"x":[1]}`,
		"a.b=c":                           `{"a.b":"c"}`,
		"o.p.q=1":                         `{"o":{"p":{"q":"1"}}}`,
		"o.p.r=1":                         "o.p.r: there is no such argument, but q",
		"o.p.q=1|o=2":                     "o: its members are given already",
		"i=1.5":                           `i: expected integer, got "1.5"`,
		"i=9007199254740993|s=\U0001F600": "{\"i\":9007199254740993,\"s\":\"\U0001F600\"}",
	} {
		var list []string
		if words != "" {
			list = strings.Split(words, "|")
		}
		got, err := arguments(schemaOf([]byte(input)), list)
		if err != nil {
			got = []byte(err.Error())
		}
		if string(got) != want {
			t.Errorf("%s\n  got  %s\n  want %s", words, got, want)
		}
	}
}
