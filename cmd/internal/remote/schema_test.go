package remote

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/schema/notation"
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
		`{"oneOf":[{"const":"a","title":"A"},{"const":"b"}]}`:                                   "a | b",
		`{"type":"array","items":{"type":"array"}}`:                                             "list<list<any>>",
		`{"type":"object","additionalProperties":{"type":"number"}}`:                            "map<number>",
		`{"type":"string","format":"date"}`:                                                     "date",
		`{"anyOf":[{"type":"string"},{"type":"object","properties":{"a":{"type":"boolean"}}}]}`: "string | {a?: boolean}",
		`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"boolean"}}}`:                            "boolean",
		`{"type":"string","format":"date-time"}`:                                                "datetime",
		`{"type":"string","format":"ipv4"}`:                                                     "string(ipv4)",
		`{"type":"string","contentEncoding":"base64"}`:                                          "bytes",
		`{"type":"integer","minimum":-2147483648,"maximum":2147483647}`:                         "int32",
		`{"type":"string","anyOf":[{"enum":["a","b"]},{"type":"string"}]}`:                      "a | b | string",
		`{"anyOf":[{"const":1},{"enum":[2]},{"type":"integer"}]}`:                               "1 | 2 | integer",
		`{"anyOf":[{"enum":["a"]},{"type":"object"}]}`:                                          "a | object",
		`{"type":"object","anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}],"$defs":{"a":{"properties":{"x":{"type":"null"}}},"b":{"type":"object"}}}`:                                                                               "{x?: null} | object",
		`{"type":"object","anyOf":[{"type":"object","properties":{"k":{"const":"a"},"x":{}}},{"type":"object","properties":{"k":{"const":"b"}}}]}`:                                                                                     "{k?: a, x?: any} | {k?: b}",
		`{"oneOf":[{"type":"object","properties":{"kind":{"const":"first"},"number":{"type":"string"}}},{"type":"object","properties":{"kind":{"const":"second"},"other":{"type":"string"}}}]}`:                                        "{kind: first, ...} | {kind: second, ...}",
		`{"oneOf":[{"type":"object","required":["the_number_of_it"],"properties":{"the_number_of_it":{"type":"string"}}},{"type":"object","required":["the_title_of_it"],"properties":{"the_title_of_it":{"type":"string"},"o":{}}}]}`: "{the_number_of_it: ...} | {the_title_of_it: ..., ...}",
		`{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`:                                                                                                                       "{a?: string}",
		`{"allOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"integer"}},"required":["a"]}]}`:                                                                                                  "{a: string, b?: integer}",
		`{"$ref":"http://canary.example/x"}`: "any",
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/Of%5Bint%5D"},"b":{"$ref":"#/$defs/Or/anyOf/1"}},"$defs":{"Of[int]":{"type":"integer"},"Or":{"anyOf":[{},{"type":"null"}]}}}`: "{a?: integer, b?: null}",
		`{"$ref":"#/$defs/nothing"}`: "any",
		`{"$ref":"#"}`:               "any",
		`{"type":"object","properties":{"me":{"$ref":"#"}}}`:                                            "object",
		`{"type":"object","properties":{"` + strings.Repeat("long", 16) + `":{"type":"null"}}}`:         "object",
		`{"type":"array","items":{"type":"object","properties":{"` + strings.Repeat("a", 60) + `":1}}}`: "list<object>",
	} {
		if got := schemaOf([]byte(text)).word(); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// TestArguments: words become the JSON that the schema asks for.
func TestArguments(t *testing.T) {
	const input = `{"type":"object","properties":{"s":{"type":"string"},"n":{"type":["number","null"]},"i":{"type":"integer"},"b":{"type":"boolean"},` +
		`"l":{"type":"array","items":{"type":"integer"}},"m":{"type":"object","additionalProperties":{"type":"string"}},"x":{},"a.b":{"type":"string"},` +
		`"o":{"type":"object","properties":{"p":{"type":"object","properties":{"q":{"type":"string"}}}}},"u":{"type":"object","anyOf":[{"$ref":"#/$defs/T"},{"$ref":"#/$defs/A"},{"$ref":"#/$defs/Y"}]},` +
		`"v":{"type":"object","properties":{"in":{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"additionalProperties":false},` +
		`{"type":"object","properties":{"k":{"const":"b"},"y":{"type":"integer"}},"additionalProperties":false}]}}},` +
		`"w":{"anyOf":[{"type":"object","properties":{"a":{"type":"integer"}}},{"type":"null"}]},"ln":{"type":["null","array"],"items":{"type":"string"}}},"$defs":{` +
		`"T":{"type":"object","properties":{"by":{"const":"title"},"words":{"type":"string"}},"required":["by","words"],"additionalProperties":false},` +
		`"A":{"type":"object","properties":{"by":{"const":"author"},"name":{"type":"string"},"exact":{"type":"boolean"}},"required":["by","name"],"additionalProperties":false},` +
		`"Y":{"type":"object","properties":{"by":{"const":"years"},"from":{"type":"integer"}},"required":["by"],"additionalProperties":false}}}`
	for words, want := range map[string]string{
		"":                                      `{}`,
		"s=1|n=1.5|i=1e3|b=true":                `{"s":"1","n":1.5,"i":1e3,"b":true}`,
		"n=null|s=null|s2=":                     "s2: there is no such argument, but one of s, n, i, b, l, m, x, a.b, o, u and 3 more",
		"l=1|l=2":                               `{"l":[1,2]}`,
		"l=1":                                   `{"l":[1]}`,
		"l=[1,2]":                               `{"l":[1,2]}`,
		"ln=null":                               `{"ln":null}`,
		"ln=nil|ln=2":                           `{"ln":["nil","2"]}`,
		`ln=["null"]`:                           `{"ln":["null"]}`,
		"ln=null|ln=a":                          "ln: the list is given as a whole, and has other values as well",
		"l=[1]|l=2":                             "l: the list is given as a whole, and has other values as well",
		"l=1|l=[2]":                             "l: the list is given as a whole, and has other values as well",
		"l=null":                                `l: expected integer, got "null"`,
		"l=a":                                   `l: expected integer, got "a"`,
		"m.k=v|m.other=a=b":                     `{"m":{"k":"v","other":"a=b"}}`,
		`m={"k":"v"}`:                           `{"m":{"k":"v"}}`,
		`m=k`:                                   `m: expected map<string>, got "k"`,
		"x=tea":                                 `{"x":"tea"}`,
		`x=[1]`:                                 `{"x":[1]}`,
		"a.b=c":                                 `{"a.b":"c"}`,
		"o.p.q=1":                               `{"o":{"p":{"q":"1"}}}`,
		"o.p.r=1":                               "o.p.r: there is no such argument, but q",
		"o.p.q=1|o=2":                           "o: its members are given already",
		"i=1.5":                                 `i: expected integer, got "1.5"`,
		"o.p.q=1|o.p.q=2":                       "o.p.q: it is given twice, and is not a list",
		"o=1|o.p.q=2":                           `o: expected {p?: {q?: string}}, got "1"`,
		`o={}|o.p.q=2`:                          "o.p.q: the value is given already",
		"u.by=title|u.words=em":                 `{"u":{"by":"title","words":"em"}}`,
		"u.words=em|u.by=title":                 `{"u":{"words":"em","by":"title"}}`,
		"u.by=author|u.name=A|u.exact=true|s=x": `{"u":{"by":"author","name":"A","exact":true},"s":"x"}`,
		"u.by=years|u.from=1990":                `{"u":{"by":"years","from":1990}}`,
		"u.by=years|u.from=many":                `u.from: expected integer, got "many"`,
		"u.by=yaers":                            `u.by: expected title | author | years, got "yaers"; did you mean years?`,
		"u.by=author":                           "u.name is missing: string",
		"u.name=A":                              "u.by is missing: author",
		"u.by=author|u.nme=A":                   "u.nme: there is no such argument; did you mean u.name?|u.name is missing: string",
		"u.by=title|u={}":                       "u: its members are given already|u.words is missing: string",
		`u={"by":"title"}`:                      `{"u":{"by":"title"}}`,
		"v.in.k=b|v.in.y=2":                     `{"v":{"in":{"k":"b","y":2}}}`,
		"v.k=a":                                 `v.k: there is no such argument, but in`,
		"w.a=1":                                 `{"w":{"a":1}}`,
		"w=null":                                `{"w":null}`,
		"i=9007199254740993|s=\U0001F600":       "{\"i\":9007199254740993,\"s\":\"\U0001F600\"}",
	} {
		var list []string
		if words != "" {
			list = strings.Split(words, "|")
		}
		got, err := arguments(schemaOf([]byte(input)), list)
		if err != nil {
			got = []byte(strings.ReplaceAll(err.Error(), "\n", "|"))
		}
		if string(got) != want {
			t.Errorf("%s\n  got  %s\n  want %s", words, got, want)
		}
	}
}

// TestRows: what a schema says of a field next to a reference, defaults, open enums, and the members of unions and of objects that do not fit
// on a line are listed.
func TestRows(t *testing.T) {
	const input = `{"type":"object","required":["query"],"properties":{
		"shelf":{"description":"Where it stands.\nIn full.","$ref":"#/$defs/Shelf","default":"fiction"},
		"query":{"description":"What to look for","$ref":"#/$defs/Query"},
		"plain":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"boolean"}}},
		"told":{"type":"object","properties":{"a":{"type":"string","description":"Said.","maxLength":3},"b":{"type":"boolean","default":true}},"required":["a"]},
		"list":{"type":"array","minItems":1,"items":{"type":"object","properties":{"n":{"type":"integer","minimum":1}}}},
		"map":{"type":"object","additionalProperties":{"type":"object","properties":{"n":{"type":"integer","exclusiveMinimum":0}}}},
		"me":{"$ref":"#"}
	},"$defs":{
		"Shelf":{"description":"A shelf.","type":"string","anyOf":[{"enum":["fiction","science"]},{"type":"string"}]},
		"Query":{"type":"object","anyOf":[{"$ref":"#/$defs/ByTitle"},{"$ref":"#/$defs/ByAuthor"}]},
		"ByTitle":{"type":"object","properties":{"by":{"const":"title"},"words":{"type":"string","description":"Any of them"},"limit":{"type":"integer"}},"required":["by","words"]},
		"ByAuthor":{"type":"object","properties":{"by":{"const":"author"},"name":{"type":"string"},"limit":{"type":"integer"}},"required":["by","name"]}
	}}`
	const want = `  shelf?       fiction | science | string = fiction  Where it stands.
  query        {by: title, ...} | {by: author, ...}  What to look for
  query.by     title | author
  query.words  string  Any of them (with by=title)
  query.limit? integer
  query.name   string  (with by=author)
  plain?       {a?: string, b?: boolean}
  told?        object
  told.a       string  Said. (at most 3 characters)
  told.b?      boolean = true
  list?        list<object>  (at least 1 item)
  list[].n?    integer  (at least 1)
  map?         map<object>
  map.*.n?     integer  (more than 0)
  me?          object`
	rows := strings.Split(notation.Rows(schemaOf([]byte(input)).rows()), "\n")
	for i, line := range strings.Split(want, "\n") {
		if got := strings.Join(strings.Fields(rows[i]), " "); got != strings.Join(strings.Fields(line), " ") {
			t.Errorf("%d: got  %s\n   want %s", i, got, line)
		}
	}
}

// TestEscapedChoices: a server may escape what a word has as it is.
func TestEscapedChoices(t *testing.T) {
	input := schemaOf([]byte(`{"type":"object","properties":{"season":{"enum":["\u00e9t\u00e9","hi\u0076er"]}}}`))
	for _, word := range []string{"été", "hiver"} {
		if got, err := arguments(input, []string{"season=" + word}); err != nil || string(got) != `{"season":"`+word+`"}` {
			t.Errorf("%s: %s, %v", word, got, err)
		}
	}
}

// TestHostileSchema: a schema that refers to itself in each line, or is deep or wide, is listed in bounded time and space.
func TestHostileSchema(t *testing.T) {
	var wide, circle, unions strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&wide, `,"p%d":{"type":"object","description":"x","properties":{"a":{"$ref":"#/properties/p%d"},"b":{"$ref":"#"}}}`, i, (i+1)%1000)
		fmt.Fprintf(&circle, `,"p%d":{"$ref":"#"}`, i)
		fmt.Fprintf(&unions, `,{"$ref":"#"},{"anyOf":[{"$ref":"#"},{"$ref":"#/anyOf/1"}]}`)
	}
	for name, text := range map[string]string{
		"wide":   `{"type":"object","properties":{"x":true` + wide.String() + `}}`,
		"circle": `{"type":"object","properties":{"x":true` + circle.String() + `}}`,
		"unions": `{"anyOf":[{"type":"object","properties":{"a":{"$ref":"#"}}}` + unions.String() + `]}`,
		"deep":   strings.Repeat(`{"properties":{"a":`, 60) + "{}" + strings.Repeat("}}", 60),
		"allOf":  `{"allOf":[{"$ref":"#"},{"$ref":"#"},{"properties":{"a":{"$ref":"#"}}}]}`,
	} {
		s := schemaOf([]byte(text))
		before := s.document.left
		if rows := s.rows(); len(rows) > mostRows+1 {
			t.Errorf("%s has %d rows", name, len(rows))
		}
		s.word()
		arguments(s, []string{"a.b.c=1", "x.y=2"})
		t.Logf("%s: %d", name, before-s.document.left)
	}
}

// TestExplainMissing: a refusal says which capability a server misses, and what to do.
func TestExplainMissing(t *testing.T) {
	for required, want := range map[string]string{
		`{"extensions":{"io.modelcontextprotocol/tasks":{}}}`: "count runs as a task only: call it with --task",
		`{"elicitation":{"form":{}}}`:                         "count asks something, and there is no terminal to ask at",
		`{"sampling":{}}`:                                     "count asks for a completion by a model",
		`{"roots":{}}`:                                        "count asks for the folders of its client",
		`{"other":{}}`:                                        `count needs a capability that this command does not have, {"other":{}}`,
	} {
		data, err := wire.ParseRaw([]byte(`{"requiredCapabilities":` + required + `}`))
		if err != nil {
			t.Fatal(err)
		}
		refused := &runtime.Error{Code: mcp.CodeMissingCapability, Message: "Missing required client capability", Data: data, HasData: true}
		if err := explainMissing(refused, "count", false); !strings.HasPrefix(err.Error(), want+": ") && !strings.HasPrefix(err.Error(), want+", ") || !errors.Is(err, refused) {
			t.Errorf("%s: %v", required, err)
		}
	}
	if err := explainMissing(io.EOF, "count", false); err != io.EOF {
		t.Error(err)
	}
}
