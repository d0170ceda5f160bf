package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// TestFaults judges single answers: what is said of one depends on its bytes only.
func TestFaults(t *testing.T) {
	const entry = `{"name":"find","description":"Find it.","inputSchema":{"type":"object","properties":{"sizes":{"type":"object","additionalProperties":{"type":"integer"}},"query":{"type":"string","minLength":2},"count":{"type":"integer","maximum":9},"cursor":{"type":"string","maxLength":9},"mode":{"anyOf":[{"type":"integer"},{"enum":["slow"]}]},"wish":{"type":"object","properties":{"aisle":{"type":"boolean"},"steps":{"type":"integer","maximum":9}}}},
		"required":["query"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},"annotations":{"readOnlyHint":true}}`
	const good = `{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`
	refusal := func(text string) string { return `{"isError":true,"content":[{"type":"text","text":"` + text + `"}]}` }
	tests := []struct{ name, args, hint, result, want string }{
		{"all is well", `{"query":"ab"}`, "", good, ""},
		{"too large", `{"query":"ab","count":10}`, "maximum /count", good, "AcceptsInvalid maximum warning"},
		{"missing", `{}`, "required ", good, "AcceptsInvalid required warning"},
		{"null for an optional", `{"query":"ab","count":null}`, "type /count", good, "AcceptsInvalid null note"},
		{"null for a required", `{"query":null}`, "type /query", good, "AcceptsInvalid type warning"},
		{"unknown", `{"query":"ab","x":1}`, "additionalProperties ", good, "DropsUnknown additionalProperties warning"},
		{"refused as it should be", `{"query":"ab","count":10}`, "maximum /count", refusal("count must be at most 9"), ""},
		{"refused without a word", `{"query":"ab","count":10}`, "maximum /count", refusal("invalid"), ""},
		{"refused at the bound", `{"query":"ab","count":9}`, "maximum /count", refusal("count must be less than 9"), "RefusesValid maximum warning"},
		{"refused for another member", `{"query":"ab","wish":{"aisle":false,"steps":9}}`, "maximum /wish/steps", refusal("wish.aisle is required, got false"), "RefusesValid type warning"},
		{"refused for one of two", `{"query":"ab","count":3,"wish":{"aisle":false,"steps":9}}`, "maximum /wish/steps", refusal("aisle and count are invalid"), "RefusesValid maximum note"},
		{"a value of an enum refused", `{"query":"ab","mode":"slow"}`, "type /mode", refusal("mode: invalid value slow"), "RefusesValid type warning"},
		{"refused for the object", `{"query":"ab","wish":{"steps":9}}`, "maximum /wish/steps", refusal("invalid wish"), "RefusesValid maximum warning"},
		{"what is left out", `{"query":"abc"}`, "", refusal("count is required"), "RefusesValid absent warning"},
		{"two are left out", `{"query":"abc"}`, "", refusal("count or mode is required"), ""},
		{"refused without an optional one, and repeats the call", `{"query":"ab"}`, "absent /count", refusal(`count is required, got {\"query\":\"ab\"}`), "RefusesValid absent warning"},
		{"refused without one within another", `{"query":"ab","wish":{"steps":9}}`, "absent /wish/aisle", refusal("wish.aisle is required"), "RefusesValid absent warning"},
		{"a wrong member of a map", `{"query":"ab","sizes":{"x":"y"}}`, "type /sizes/x", good, "AcceptsInvalid type warning"},
		{"free text refused", `{"query":"ab cd"}`, "text /query", refusal("query is not a valid date"), "RefusesValid text note"},
		{"not found does not refuse", `{"query":"ab","count":9}`, "maximum /count", refusal("count: required entry not found"), ""},
		{"only the server knows cursors", `{"query":"ab","cursor":"x"}`, "maxLength /cursor", refusal("Invalid cursor"), "RefusesValid maxLength note"},
		{"another kind", `{"query":"ab"}`, "", `{"content":[],"structuredContent":{"a":"1"}}`, "OutputSchema type error"},
		{"no structured content", `{"query":"ab"}`, "", `{"content":[]}`, "OutputSchema missing error"},
		{"another number in the text", `{"query":"ab"}`, "", `{"content":[{"type":"text","text":"{\"a\":2}"}],"structuredContent":{"a":1}}`, "TextDiffers  warning"},
		{"equal numbers in the text", `{"query":"ab"}`, "", `{"content":[{"type":"text","text":"{\"a\":1.0}"}],"structuredContent":{"a":1}}`, ""},
		{"text is the only member", `{"query":"ab"}`, "", `{"content":[{"type":"text","text":"[1]"}],"structuredContent":{"a":[1]}}`, "OutputSchema type error"},
		{"no MIME type", `{"query":"ab"}`, "", `{"content":[{"type":"image","data":"YQ=="}],"structuredContent":{"a":1}}`, "Content mimeType error"},
		{"no boolean", `{"query":"ab"}`, "", `{"content":[],"structuredContent":{"a":1},"isError":"false"}`, "Content isError error"},
		{"stack", `{"query":"ab"}`, "", refusal(`boom\n    at call (/srv/a.js:3:5)`), "Leak stack warning"},
		{"garbage", `{"query":"ab"}`, "", `{"content":[{"type":"text","text":"got [object Object]"}],"structuredContent":{"a":1}}`, "Garbage [object Object] note"},
		{"garbage that was sent", `{"query":"[object Object]"}`, "", `{"content":[{"type":"text","text":"got [object Object]"}],"structuredContent":{"a":1}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t.Context(), nil, Options{})
			e, err := jsontree.Parse([]byte(entry))
			if err != nil {
				t.Fatal(err)
			}
			tool := r.toolOf(e)
			tool.control = `{"query":"ab"}`
			whole, err := jsontree.Parse([]byte(`{"jsonrpc":"2.0","id":1,"result":` + tt.result + `}`))
			if err != nil {
				t.Fatal(err)
			}
			var hint values.Break
			for i := range tt.hint {
				if tt.hint[i] == ' ' {
					hint = values.Break{Keyword: tt.hint[:i], Pointer: tt.hint[i+1:]}
				}
			}
			got := ""
			for _, f := range judgeAnswer(tool, tt.args, hint, &answer{whole: whole, sent: whole}).faults() {
				if strings.HasPrefix(f.pointer, "/sizes/x") {
					t.Errorf("%s at %s, and not at all members", f.check, f.pointer)
				}
				if f.check != "Unhelpful" {
					got += f.check + " " + f.keyword + " " + string(f.severity)
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestSQL: what a database says of SQL that a tool is given is an answer, and what it says of a search is a leak.
func TestSQL(t *testing.T) {
	for _, tt := range []struct{ name, description, argument, about, want string }{
		{"read_query", "Runs a SELECT query.", "query", "", ""},
		{"query", "Executes SQL against the warehouse.", "query", "", ""},
		{"run", "Runs it.", "sql", "", ""},
		{"report", "Makes a report.", "query", "the SQL of the report", ""},
		{"report", "Makes a report.", "statement", "a SELECT statement", ""},
		{"search_books", "Finds books.", "query", "words of the title", "Leak sql"},
		{"find_docs", "Searches the manual of our SQL database.", "query", "", "Leak sql"},
		{"add_note", "Adds a note.", "statement", "", "Leak sql"},
	} {
		r := newRig(t.Context(), nil, Options{})
		entry, err := jsontree.Parse(fmt.Appendf(nil, `{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{%q:{"type":"string","description":%q}}}}`, tt.name, tt.description, tt.argument, tt.about))
		whole, fault := jsontree.Parse([]byte(`{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"near \"b\": syntax error"}]}}`))
		if err != nil || fault != nil {
			t.Fatal(err, fault)
		}
		got := ""
		for _, f := range judgeAnswer(r.toolOf(entry), `{"`+tt.argument+`":"a"}`, values.Break{}, &answer{whole: whole, sent: whole}).faults() {
			got += f.check + " " + f.keyword
		}
		if got != tt.want {
			t.Errorf("%s, %s, with %s, %s: got %q, want %q", tt.name, tt.description, tt.argument, tt.about, got, tt.want)
		}
	}
}

// TestMatches: a star is any letters, also those that separate the parts of a name.
func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"get_book", "get_book", true}, {"get_book", "get_books", false}, {"*", "weather/current", true}, {"get_*", "get_book", true}, {"get_*", "set_book", false},
		{"*_book", "get_book", true}, {"a*b*c", "axxbyyc", true}, {"a*b*c", "axxc", false}, {"ab*ba", "aba", false},
	} {
		if got := Matches([]string{tt.pattern}, tt.name); got != tt.want {
			t.Errorf("%s matches %s: %v", tt.pattern, tt.name, got)
		}
	}
}

// TestNullable: null is among the first cases of each argument that takes it, before a tool of many arguments has had its calls.
func TestNullable(t *testing.T) {
	for _, one := range []string{`{"type":["string","null"]}`, `{"type":["integer","null"]}`, `{"anyOf":[{"type":"string","maxLength":9},{"type":"null"}]}`,
		`{"enum":["x","y","z",null]}`, `{"oneOf":[{"type":"integer"},{"type":"null"}]}`} {
		const count = 20
		properties := &jsontree.Value{Kind: jsontree.Object}
		schema, _ := jsontree.Parse([]byte(one))
		for i := range count {
			properties = properties.With(fmt.Sprint("a", i), schema)
		}
		input, err := values.Compile([]byte(`{"type":"object","properties":` + properties.JSON() + `}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, control := range []string{`{}`, `{"a0":"x"}`, `{"a0":5}`} {
			if len(input.Judge([]byte(control))) > 0 {
				continue
			}
			nulls := 0
			for _, c := range cases(rig{}, &tool{name: "find", input: input, control: control})[:8*count] {
				if strings.Contains(c.JSON, "null") && len(input.Judge([]byte(c.JSON))) == 0 {
					nulls++
				}
			}
			if nulls != count {
				t.Errorf("%s at %s: null is among the first cases of %d arguments of %d", one, control, nulls, count)
			}
		}
	}
}

// TestListed: of the arguments that a list of params cannot have, nothing is said.
func TestListed(t *testing.T) {
	r := newRig(t.Context(), nil, Options{})
	tool := r.methodOf(&Method{Name: "at", Positional: []string{"a", "b"}, Params: []byte(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"additionalProperties":false}`)})
	tool.control = `{"a":1}`
	whole, err := jsontree.Parse([]byte(`{"jsonrpc":"2.0","id":1,"result":true}`))
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{`{"b":"x"}`: "[] 0", `{"a":1,"c":2}`: "[1] 0", `{"a":1,"b":"x"}`: `[1,"x"] 1`, `[1]`: "[1] 0"} {
		found := judgeAnswer(tool, args, values.Break{}, &answer{whole: whole, sent: whole}).faults()
		_, _, params := tool.request(args)
		if got := fmt.Sprintf("%s %d", params, len(found)); got != want {
			t.Errorf("%s: %s, want %s: %v", args, got, want, found)
		}
	}
}

// TestMissingScopes: a call is left out of the verdicts if it was refused for lack of scopes that the server lists, and not for what looks like it.
func TestMissingScopes(t *testing.T) {
	for _, c := range []struct {
		scoped       bool
		answer, want string
	}{
		{true, `{"error":{"code":403,"message":"Forbidden","data":{"missing":["pay:write","a"]}}}`, "pay:write a"},
		{false, `{"error":{"code":403,"message":"Forbidden","data":{"missing":["pay:write"]}}}`, ""},
		{true, `{"error":{"code":403,"message":"Forbidden"}}`, ""},
		{true, `{"result":{"missing":["a"]}}`, ""},
	} {
		whole, err := jsontree.Parse([]byte(c.answer))
		if err != nil {
			t.Fatal(err)
		}
		at := &attempt{tool: &tool{scoped: c.scoped}, answer: &answer{whole: whole}}
		if is := at.missing(); is != c.want {
			t.Errorf("%s: %q", c.answer, is)
		}
	}
}
