package mock

import (
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/transcript"
)

const stateful = library + `state:
  books: {type: Book, key: id, read: get_book, start: 3, missing: not_found}
`

const notes = `rpcgen: v1
package: notes
types:
  Note: {fields: {id: string, text: string, stars: int32, made: datetime, by?: string | null, of: {fields: {text: string}}}}
errors:
  Missing: {code: 1001, message: "no note {id}", data: {id: string}}
methods:
  add: {params: {text: string, stars?: int32}, result: {note: Note, ok: boolean}}
  get: {params: {id: string}, result: Note, errors: [Missing]}
  find: {params: {text?: string, stars?: int32, query?: string, limit?: int32, cursor?: string}, result: {notes: list<Note>, nextCursor?: string}}
  few: {params: {cursor?: int32}, result: {notes: {list: Note, maxItems: 2}, next?: int32}}
  set: {params: {id: string, text?: string, stars?: int32, by?: string | null}, result: Note, errors: [Missing]}
  drop: {params: {id: string}, errors: [Missing]}
state:
  notes: {type: Note, key: id, create: add, read: get, list: find, update: set, delete: drop, start: 2, missing: Missing}
  others: {type: Note, key: id, list: few, start: 5}
`

// TestState: what is created is read, listed, changed and deleted; an unknown key is the declared error; a reset restores the start.
func TestState(t *testing.T) {
	m := mocked(t, load(t, notes), behaviour{seed: 1}, false)
	d := runtime.NewDispatcher(methods{m}, runtime.Options{})
	call := func(method, params string) string {
		t.Helper()
		answer := d.Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`))
		if fault := wire.PeekAt(answer).In("error"); fault.Kind() != wire.Invalid {
			return "error " + string(fault.JSON())
		}
		return string(wire.PeekAt(answer).In("result").JSON())
	}
	count := func(params string) int { return wire.PeekAt([]byte(call("find", params))).In("notes").Len(1000) }
	if n := count(`{}`); n != 2 {
		t.Fatal(n)
	}
	before := call("find", `{}`)
	made := wire.PeekAt([]byte(call("add", `{"text":"buy Milk","stars":4}`))).In("note")
	id := string(made.In("id").JSON())
	if text, _ := made.In("text").Text(); text != "buy Milk" || string(made.In("stars").JSON()) != "4" || made.In("made").Kind() != wire.Text {
		t.Errorf("%s", made.JSON())
	}
	if got := call("get", `{"id":`+id+`}`); transcriptCanonical(got) != transcriptCanonical(string(made.JSON())) {
		t.Errorf("%s and %s", got, made.JSON())
	}
	for params, want := range map[string]int{
		`{"text":"milk"}`: 1, `{"stars":4}`: 1, `{"stars":4,"text":"x-y-z"}`: 0, `{"query":"MILK"}`: 1, `{}`: 3, `{"limit":2}`: 2,
	} {
		if n := count(params); n != want {
			t.Errorf("%s: %d", params, n)
		}
	}
	if got := call("set", `{"id":`+id+`,"stars":5}`); !strings.Contains(got, `"stars":5`) || !strings.Contains(got, "buy Milk") {
		t.Error(got)
	}
	if got := call("get", `{"id":`+id+`}`); !strings.Contains(got, `"stars":5`) {
		t.Error(got)
	}
	// Members that the entry does not have, or that are null, are changed, and those of objects in it are not.
	of := string(wire.PeekAt([]byte(call("get", `{"id":`+id+`}`))).In("of").JSON())
	for _, by := range []string{`"me"`, `null`, `"you"`} {
		if got := call("set", `{"id":`+id+`,"by":`+by+`,"text":"buy Milk!"}`); !strings.Contains(got, `"by":`+by) || !strings.Contains(got, `"of":`+of) {
			t.Error(got)
		}
	}
	seen := ""
	for cursor := "0"; cursor != ""; { // pages of as many as the list may have
		page := wire.PeekAt([]byte(call("few", `{"cursor":`+cursor+`}`)))
		seen += " " + strconv.Itoa(page.In("notes").Len(100))
		cursor = string(page.In("next").JSON())
	}
	if seen != " 2 2 1" {
		t.Error(seen)
	}
	first := call("find", `{"limit":2}`)
	cursor := string(wire.PeekAt([]byte(first)).In("nextCursor").JSON())
	if got := call("find", `{"limit":2,"cursor":`+cursor+`}`); !strings.Contains(got, "buy Milk") || strings.Contains(got, "nextCursor") {
		t.Error(first, got)
	}
	if got := call("drop", `{"id":`+id+`}`); got != "{}" {
		t.Error(got)
	}
	for _, method := range []string{"get", "set", "drop"} {
		if got := call(method, `{"id":`+id+`}`); got != `error {"code":1001,"message":"no note `+strings.Trim(id, `"`)+`","data":{"id":`+id+`}}` {
			t.Errorf("%s: %s", method, got)
		}
	}
	call("add", `{"text":"a"}`)
	d.Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","method":"mock/reset"}`))
	if got := call("find", `{}`); got != before {
		t.Errorf("%s\n%s", got, before)
	}
}

// TestStateOfTools: tools of a server keep entries, too, and an answer that is known before fits its state.
func TestStateOfTools(t *testing.T) {
	s := load(t, stateful)
	m := mocked(t, s, behaviour{seed: 1}, false)
	c := connect(t, m, mcpclient.Options{})
	if got := answer(t.Context(), c, "get_book", `{"id":"bk-0000"}`); !strings.HasPrefix(got, "failed: there is no book bk-0000") {
		t.Error(got)
	}
	for _, e := range s.states["get_book"].entries {
		if got := answer(t.Context(), c, "get_book", `{"id":`+member(e.value, "id")+`}`); got != e.value {
			t.Error(got, e.value)
		}
	}
	// A schema that changes keeps the entries of a type that does not.
	kept := load(t, strings.ReplaceAll(stateful, "start: 3", "start: 0"))
	if err := m.replace(kept); err != nil || len(kept.states["get_book"].entries) != 3 {
		t.Error(err, kept.states["get_book"].entries)
	}
}

func transcriptCanonical(text string) string { return transcript.Canonical([]byte(text)) }
