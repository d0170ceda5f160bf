package contract

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/jsontree"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// TestFaults judges single answers: what is said of one depends on its bytes only.
func TestFaults(t *testing.T) {
	const entry = `{"name":"find","description":"Find it.","inputSchema":{"type":"object","properties":{"query":{"type":"string","minLength":2},"count":{"type":"integer","maximum":9},"cursor":{"type":"string","maxLength":9}},
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
		{"free text refused", `{"query":"ab cd"}`, "text /query", refusal("query is not a valid date"), "RefusesValid text note"},
		{"not found is no refusal", `{"query":"ab","count":9}`, "maximum /count", refusal("count: required entry not found"), ""},
		{"only the server knows cursors", `{"query":"ab","cursor":"x"}`, "maxLength /cursor", refusal("Invalid cursor"), "RefusesValid maxLength note"},
		{"another kind", `{"query":"ab"}`, "", `{"content":[],"structuredContent":{"a":"1"}}`, "OutputSchema type error"},
		{"no structured content", `{"query":"ab"}`, "", `{"content":[]}`, "OutputSchema missing error"},
		{"another number in the text", `{"query":"ab"}`, "", `{"content":[{"type":"text","text":"{\"a\":2}"}],"structuredContent":{"a":1}}`, "TextDiffers  warning"},
		{"equal numbers in the text", `{"query":"ab"}`, "", `{"content":[{"type":"text","text":"{\"a\":1.0}"}],"structuredContent":{"a":1}}`, ""},
		{"text is the only member", `{"query":"ab"}`, "", `{"content":[{"type":"text","text":"[1]"}],"structuredContent":{"a":[1]}}`, "OutputSchema type error"},
		{"no MIME type", `{"query":"ab"}`, "", `{"content":[{"type":"image","data":"YQ=="}],"structuredContent":{"a":1}}`, "Content mimeType error"},
		{"stack", `{"query":"ab"}`, "", refusal(`boom\n    at call (/srv/a.js:3:5)`), "Leak stack warning"},
		{"garbage", `{"query":"ab"}`, "", `{"content":[{"type":"text","text":"got [object Object]"}],"structuredContent":{"a":1}}`, "Garbage [object Object] note"},
		{"garbage that was sent", `{"query":"[object Object]"}`, "", `{"content":[{"type":"text","text":"got [object Object]"}],"structuredContent":{"a":1}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRunner(t.Context(), nil, Options{})
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
			for _, f := range r.judged(tool, tt.args, hint, &answer{whole: whole}).faults() {
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
