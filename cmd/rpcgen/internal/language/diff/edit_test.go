package diff_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/sample"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// Random inputs are the same in each run, so that what fails has failed by a change; -rapid.seed=0 draws others.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

var examples = []string{"../../../../../examples/weather/weather.rpc.yaml", "../../../../../test/allkinds/allkinds.rpc.yaml", "../../../../../test/toolbox/toolbox.rpc.yaml", "../../../../../test/jsonrpc/jsonrpc.rpc.yaml"}

func example(t rapid.TB, name string) *ir.Document {
	doc, faults := schema.Load(name)
	if doc == nil {
		t.Fatal(faults)
	}
	return doc
}

// Nothing is reported where nothing changed.
func TestNothing(t *testing.T) {
	for _, name := range examples {
		if r := diff.Compare(example(t, name), example(t, name), names); len(r.Changes) > 0 {
			t.Errorf("%s: %d changes, the first is %s: %s", name, len(r.Changes), r.Changes[0].Path, r.Changes[0].Text)
		}
	}
}

// want is what a single edit should be reported as; no kind: not at all.
type want struct {
	kind diff.Kind
	path string
}

// place is an object whose own fields may be edited, and what it is called.
type place struct {
	*ir.Struct
	path       string
	positional bool
}

// places lists the objects of a document: declared types, params and results.
func places(doc *ir.Document) []place {
	var all []place
	add := func(t ir.Type, path string, positional bool) {
		if s, ok := t.(*ir.Struct); ok && !slices.ContainsFunc(s.Fields, func(f *ir.Field) bool { return f.From != nil }) && len(s.Fields) > 0 {
			all = append(all, place{s, path, positional})
		}
	}
	asParams := map[*ir.Decl]bool{}
	for _, m := range doc.Methods {
		if ref, ok := m.Params.(*ir.Ref); ok {
			asParams[ref.Decl] = true
		}
		section := "methods/"
		if m.Notification {
			section = "notifications/"
		}
		add(m.Params, section+m.Name+"/params", doc.Protocol.Positional)
		add(m.Result, section+m.Name+"/result", false)
	}
	for _, d := range doc.Types {
		add(d.Type, "types/"+d.Name, asParams[d] && doc.Protocol.Positional)
	}
	for _, o := range doc.Tools {
		if len(o.Asks) == 0 { // whose messages name fields
			add(o.Input, "tools/"+o.Name+"/input", false)
		}
		add(o.Output, "tools/"+o.Name+"/output", false)
		for _, a := range o.Asks {
			if a.Form != nil {
				add(a.Form, "tools/"+o.Name+"/asks/"+a.Name+"/form", false)
			}
		}
	}
	for _, r := range doc.Resources {
		add(r.Content, "resources/"+r.Name+"/content", false)
	}
	return all
}

type edit func(*rapid.T, *ir.Document) (want, bool)

// edits are the single changes that are made to a document. Each says what it should be reported as; false: it cannot be made here.
var edits = map[string]edit{
	"add a field": func(t *rapid.T, doc *ir.Document) (want, bool) {
		p := rapid.SampledFrom(places(doc)).Draw(t, "place")
		at := rapid.IntRange(0, len(p.Fields)).Draw(t, "at")
		f := &ir.Field{Meta: ir.Meta{Pos: doc.Methods[0].Pos}, Name: "zzAdded", Type: &ir.String{}, Optional: rapid.Bool().Draw(t, "optional")}
		p.Fields = slices.Insert(p.Fields, at, f)
		return want{diff.FieldAdded, p.path + "/zzAdded"}, true
	},
	"remove a field": func(t *rapid.T, doc *ir.Document) (want, bool) {
		p, at := field(t, doc)
		f := p.Fields[at]
		p.Fields = slices.Delete(slices.Clone(p.Fields), at, at+1)
		return want{diff.FieldRemoved, p.path + "/" + f.Name}, true
	},
	"rename a field": func(t *rapid.T, doc *ir.Document) (want, bool) {
		p, at := field(t, doc)
		p.Fields[at].Name = "zzRenamed"
		return want{diff.FieldRenamed, p.path + "/zzRenamed"}, p.Fields[at].Go.Name == ""
	},
	"swap fields": func(t *rapid.T, doc *ir.Document) (want, bool) {
		p, at := field(t, doc)
		if at == 0 {
			return want{}, false
		}
		p.Fields[at], p.Fields[at-1] = p.Fields[at-1], p.Fields[at]
		if p.positional {
			return want{diff.ParamsOrder, p.path}, true
		}
		return want{}, true
	},
	"change presence": func(t *rapid.T, doc *ir.Document) (want, bool) {
		p, at := field(t, doc)
		f := p.Fields[at]
		f.Optional = !f.Optional
		return want{diff.FieldPresence, p.path + "/" + f.Name}, f.Default == nil
	},
	"allow null": func(t *rapid.T, doc *ir.Document) (want, bool) {
		p, at := field(t, doc)
		f := p.Fields[at]
		v := ir.Value{Kind: ir.Null, Text: "null"}
		if len(judge.Judge(f.Type, v)) == 0 || f.Go.Bound() {
			return want{}, false
		}
		f.Type = &ir.Nullable{Elem: f.Type}
		return want{diff.NullChanged, p.path + "/" + f.Name}, true
	},
	"add a rule": func(t *rapid.T, doc *ir.Document) (want, bool) {
		p, at := field(t, doc)
		s, ok := p.Fields[at].Type.(*ir.String)
		if !ok || len(s.Rules) > 0 {
			return want{}, false
		}
		s.Rules = []ir.Rule{&ir.Length{Min: 3, Max: 7}}
		return want{diff.RuleChanged, p.path + "/" + p.Fields[at].Name + "/length"}, true
	},
	"replace a type": func(t *rapid.T, doc *ir.Document) (want, bool) {
		p, at := field(t, doc)
		if _, ok := p.Fields[at].Type.(*ir.Bool); ok || p.Fields[at].Go.Bound() {
			return want{}, false
		}
		if _, ok := p.Fields[at].Type.(*ir.Nullable); ok { // null is gone, and the type is replaced
			return want{}, false
		}
		p.Fields[at].Type, p.Fields[at].Default = &ir.Bool{}, nil
		return want{diff.TypeChanged, p.path + "/" + p.Fields[at].Name}, example(t, doc.File) != nil && defaultless(t, doc, p, at)
	},
	"describe a field": func(t *rapid.T, doc *ir.Document) (want, bool) {
		p, at := field(t, doc)
		p.Fields[at].Doc = "Other words."
		return want{diff.DocsChanged, p.path + "/" + p.Fields[at].Name + "/description"}, true
	},
	"add a value": func(t *rapid.T, doc *ir.Document) (want, bool) {
		d, e := enum(t, doc)
		if e == nil {
			return want{}, false
		}
		at := rapid.IntRange(0, len(e.Values)).Draw(t, "at")
		v := ir.Value{Kind: e.Values[0].Value.Kind, Text: "424242"}
		e.Values = slices.Insert(slices.Clone(e.Values), at, ir.EnumValue{Value: v})
		return want{diff.ValueAdded, "types/" + d.Name + "/424242"}, true
	},
	"remove a value": func(t *rapid.T, doc *ir.Document) (want, bool) {
		d, e := enum(t, doc)
		if e == nil || len(e.Values) < 2 {
			return want{}, false
		}
		at := rapid.IntRange(0, len(e.Values)-1).Draw(t, "at")
		gone := e.Values[at].Value.Text
		e.Values = slices.Delete(slices.Clone(e.Values), at, at+1)
		return want{diff.ValueRemoved, "types/" + d.Name + "/" + gone}, true
	},
	"open or shut": func(t *rapid.T, doc *ir.Document) (want, bool) {
		d, e := enum(t, doc)
		if e == nil {
			return want{}, false
		}
		e.Open = !e.Open
		return want{diff.OpenChanged, "types/" + d.Name + "/open"}, true
	},
	"move types": func(t *rapid.T, doc *ir.Document) (want, bool) {
		doc.Types = rapid.Permutation(doc.Types).Draw(t, "types")
		return want{}, true
	},
	"move methods": func(t *rapid.T, doc *ir.Document) (want, bool) {
		doc.Methods = rapid.Permutation(doc.Methods).Draw(t, "methods")
		return want{}, true
	},
	"add a method": func(_ *rapid.T, doc *ir.Document) (want, bool) {
		doc.Methods = append(doc.Methods, &ir.Method{Meta: ir.Meta{Pos: doc.Methods[0].Pos}, Name: "zz/added"})
		return want{diff.MethodAdded, "methods/zz/added"}, true
	},
	"remove a method": func(t *rapid.T, doc *ir.Document) (want, bool) {
		at := rapid.IntRange(0, len(doc.Methods)-1).Draw(t, "at")
		m := doc.Methods[at]
		doc.Methods = slices.Delete(doc.Methods, at, at+1)
		section := "methods/"
		if m.Notification {
			section = "notifications/"
		}
		return want{diff.MethodRemoved, section + m.Name}, len(doc.Methods) > 0
	},
	"change a code": func(t *rapid.T, doc *ir.Document) (want, bool) {
		e := rapid.SampledFrom(doc.Errors).Draw(t, "error")
		e.Code = 424242
		return want{diff.ErrorCode, "errors/" + e.Name + "/code"}, true
	},
}

// defaultless reports whether a field had no default before it was edited.
func defaultless(t *rapid.T, doc *ir.Document, p place, at int) bool {
	for _, o := range places(example(t, doc.File)) {
		if o.path == p.path {
			return o.Fields[at].Default == nil
		}
	}
	return false
}

func field(t *rapid.T, doc *ir.Document) (place, int) {
	p := rapid.SampledFrom(places(doc)).Draw(t, "place")
	return p, rapid.IntRange(0, len(p.Fields)-1).Draw(t, "at")
}

func enum(t *rapid.T, doc *ir.Document) (*ir.Decl, *ir.Enum) {
	var all []*ir.Decl
	for _, d := range doc.Types {
		if _, ok := d.Type.(*ir.Enum); ok {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	d := rapid.SampledFrom(all).Draw(t, "enum")
	return d, d.Type.(*ir.Enum)
}

// A single edit is reported as exactly that edit, in both directions, and what one direction loses the other gains.
func TestSingleEdits(t *testing.T) {
	olds := map[string]*ir.Document{}
	for _, name := range examples {
		olds[name] = example(t, name)
	}
	for kind, edit := range allEdits() {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				name, new, w := edited(t, examples[:3], edit)
				old := olds[name]
				forth, back := diff.Compare(old, new, names), diff.Compare(new, old, names)
				if w.kind == "" {
					if len(forth.Changes) > 0 {
						t.Fatal(told(forth))
					}
					return
				}
				if len(forth.Changes) != 1 || forth.Changes[0].Kind != w.kind || forth.Changes[0].Path != w.path {
					t.Fatalf("wanted %s at %s, got%s", w.kind, w.path, told(forth))
				}
				if len(back.Changes) != 1 {
					t.Fatalf("backwards:%s", told(back))
				}
				mirrored(t, forth.Changes[0], back.Changes[0])
				accepted(t, old, new, forth.Changes[0])
			})
		})
	}
}

// edited draws one of the schemas in which an edit is possible, and edits it.
func edited(t *rapid.T, names []string, edit func(*rapid.T, *ir.Document) (want, bool)) (string, *ir.Document, want) {
	for _, name := range rapid.Permutation(names).Draw(t, "schemas") {
		doc := example(t, name)
		if w, possible := edit(t, doc); possible {
			return name, doc, w
		}
	}
	t.Skip("no schema has what is edited")
	return "", nil, want{}
}

func told(r *diff.Report) string {
	text := ""
	for _, c := range r.Changes {
		text += fmt.Sprintf("\n%s at %s: %s", c.Kind, c.Path, c.Text)
	}
	return text
}

// mirrored compares the verdicts of a change with those of its inversion: what a new receiver refuses is what an old receiver refuses of
// the edit undone.
func mirrored(t *rapid.T, forth, back *diff.Change) {
	if len(forth.Wire) != len(back.Wire) {
		t.Fatal("other directions")
	}
	switch forth.Kind {
	case diff.MethodAdded, diff.MethodRemoved, diff.ToolAdded, diff.ToolRemoved, diff.ResourceAdded, diff.ResourceRemoved, diff.PromptAdded, diff.PromptRemoved:
		return // what one side does not know is called by those who know it
	case diff.AskAdded, diff.AskRemoved, diff.FieldSetting:
		return // understood otherwise, and not refused
	}
	for i, d := range forth.Wire {
		if d.Sender != back.Wire[i].Sender || (d.Received.Verdict == diff.Break) != refused(back.Wire[i].Sent) || refused(d.Sent) != (back.Wire[i].Received.Verdict == diff.Break) {
			t.Fatalf("%+v is not a mirror of %+v", d, back.Wire[i])
		}
	}
}

// refused reports whether an old receiver refuses something: that is a warning where the sender has the choice.
func refused(j diff.Judgement) bool { return j.Verdict == diff.Break || j.Verdict == diff.Warning }

// accepted asks the interpreter of schemas: while a change loses nothing, the values of the old types fit the new ones, and the
// other way round.
func accepted(t *rapid.T, old, new *ir.Document, c *diff.Change) {
	if !c.Old.Valid() && !c.New.Valid() || c.Kind == diff.FieldDefault {
		return
	}
	lost, gained := false, false
	for _, d := range c.Wire {
		lost = lost || d.Received.Verdict == diff.Break
		gained = gained || refused(d.Sent)
	}
	for _, o := range old.Types {
		n := new.Types[slices.IndexFunc(new.Types, func(d *ir.Decl) bool { return d.Name == o.Name })]
		fitting(t, o, n, lost)
		fitting(t, n, o, gained)
	}
}

func fitting(t *rapid.T, from, to *ir.Decl, excused bool) {
	v, ok := sample.Of(from.Type)
	if !ok || excused {
		return
	}
	if faults := judge.Judge(to.Type, v); len(faults) > 0 && len(judge.Judge(from.Type, v)) == 0 {
		t.Fatalf("%s: %s does not fit: %v", from.Name, v, faults)
	}
}
