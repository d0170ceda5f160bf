package compact_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/compact"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// walkedTree is written as the compact codec writes structs.
type walkedTree struct {
	Name string
	Unit string
	Tags []string
	Next *walkedTree
	Kids []walkedTree
}

func (v *walkedTree) WalkJSON(w *compact.Walker) {
	w.String(&v.Name, `,"name":`).Length(1, 3)
	w.ChoiceOr(&v.Unit, `,"unit":`, "km\nmi", "km")
	w.Strings(&v.Tags, `,"tags":`, compact.Optional, 0, 2)
	compact.WalkPointer(w, &v.Next, `,"next":`, true, (*walkedTree).WalkJSON)
	compact.WalkList(w, &v.Kids, `,"kids":`, compact.Optional, 0, 2, true, (*walkedTree).WalkJSON)
}

// walk reads, checks and writes a tree.
func walk(text string) string {
	var v walkedTree
	err := wire.Unmarshal([]byte(text), func(r *wire.Reader) { compact.WalkDecode(r, &v) }, func(vs *violation.List) { compact.WalkRules(vs, &v) })
	if err != nil {
		return err.Error()
	}
	return string(compact.WalkAppend(nil, &v))
}

// TestWalk reads and writes trees, and reports what is wrong with others.
func TestWalk(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"a"}`: `{"name":"a","unit":"km"}`,
		` { "unit" : "mi" , "kids" : [ { "name" : "b" } ] , "name" : "a" } `: `{"name":"a","unit":"mi","kids":[{"name":"b","unit":"km"}]}`,
		`{"name":"a","tags":[],"next":{"name":"b","unit":"mi"},"x":1}`:       `{"name":"a","unit":"km","tags":[],"next":{"name":"b","unit":"mi"}}`,
		`{}`: `/name: required: expected member "name"`,
		`[]`: `type: expected object, got array`,
		`{"name":"long","kids":[{"name":"a"},{"name":"","unit":"m"}]}`: `/name: maxLength: expected at most 3 characters, got 4 characters; ` +
			`/kids/1/name: minLength: expected at least 1 character, got 0 characters; ` +
			`/kids/1/unit: enum: expected one of km, mi, got "m"`,
		`{"name":"a","kids":[{"name":"a"},{"name":"b"},{"name":"c"}]}`: `/kids: maxItems: expected at most 2 elements, got 3 elements`,
		`{"name":"a","next":{"kids":[1]}}`:                             `/next/kids/0: type: expected object, got number; /next/name: required: expected member "name"`,
		`{"name":"a","unit":""}`:                                       `/unit: enum: expected one of km, mi`,
		`{"name":"a","name":"b"}`:                                      `/name: duplicate: expected each member once, got the member again`,
	} {
		if got := walk(text); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// TestWalkAgain reads into a tree that was read before: nothing of it is left.
func TestWalkAgain(t *testing.T) {
	var v walkedTree
	for _, text := range []string{
		`{"name":"a","unit":"mi","tags":["x"],"next":{"name":"b","unit":"km"},"kids":[{"name":"c","unit":"mi"}]}`,
		`{"name":"b","unit":"km","kids":[{"name":"d","unit":"km"}]}`,
		`{"name":"e","unit":"km"}`,
	} {
		if err := wire.Unmarshal([]byte(text), func(r *wire.Reader) { compact.WalkDecode(r, &v) }, nil); err != nil {
			t.Fatal(err)
		}
		if got := string(compact.WalkAppend(nil, &v)); got != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
}

// TestWalkAllocates nothing but the lists that are read.
func TestWalkAllocates(t *testing.T) {
	v := walkedTree{Name: "a", Unit: "mi"}
	text, b := []byte(`{"unit":"mi","name":"a"}`), make([]byte, 0, 64)
	var r wire.Reader
	var vs violation.List
	n := testing.AllocsPerRun(100, func() {
		r.Reset(text, 0, wire.MaxDepth)
		compact.WalkDecode(&r, &v)
		compact.WalkRules(&vs, &v)
		b = compact.WalkAppend(b[:0], &v)
	})
	if n >= 1 {
		t.Errorf("%v allocations", n)
	}
}
