package allkinds_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	schemajson "github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// foreignFormats are the formats that the independent validator reads otherwise than the schema language does. It is given
// the language's own reading of them, as package judge has it:
//
//   - uri: the validator takes whatever net/url parses, such as brackets in a path and characters beyond ASCII; the language
//     follows RFC 3986.
//   - uri-template: the validator looks for balanced braces; the language follows the grammar of RFC 6570.
//   - email: the validator takes quoted local parts and addresses in brackets; the language takes dot-atoms only.
//   - duration: the validator takes P1Y1D, as ISO 8601 does; the language follows the grammar of RFC 3339, appendix A, in
//     which no unit may be left out between two.
//
// The others (date-time, date, uuid) mean the same to both, but for leap seconds, which are not drawn: Go's time
// cannot hold second 60.
var foreignFormats = []string{"uri", "uri-template", "email", "duration"}

// validators are the independent validators of the definitions, by draft.
var validators = sync.OnceValue(func() map[schemajson.Draft]map[string]*jsonschema.Schema {
	all := map[schemajson.Draft]map[string]*jsonschema.Schema{}
	for draft, container := range map[schemajson.Draft]string{schemajson.Draft2020: "$defs", schemajson.Draft7: "definitions"} {
		text, err := schemajson.Export(document(), schemajson.Options{Draft: draft, Exact: true})
		if err != nil {
			panic(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			panic(err)
		}
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		for _, name := range foreignFormats {
			compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
				if s, ok := v.(string); ok && !judge.HasFormat(name, s) {
					return errors.New("not as the language reads " + name)
				}
				return nil
			}})
		}
		if err := compiler.AddResource("mem:all", doc); err != nil {
			panic(err)
		}
		all[draft] = map[string]*jsonschema.Schema{}
		for name := range definitions() {
			pointer := strings.NewReplacer("~", "~0", "/", "~1", " ", "%20").Replace(name)
			all[draft][name] = compiler.MustCompile("mem:all#/" + container + "/" + pointer)
		}
	}
	return all
})

// TestVerdicts draws values that are valid, nearly valid and not valid at all, and asks four about each: the generated decoder
// and validator, the interpreter of the model, and the independent JSON Schema validator with the exported schema of either
// draft. All say the same, and what is refused is refused with a pointer to what is wrong.
func TestVerdicts(t *testing.T) {
	for _, c := range codecs {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				for range 4 {
					typ := definitions()[c.name]
					g := generator{t: t, careless: true}
					v := g.value(typ, nil, 0)
					for range g.pick(3) {
						v = g.breakIt(v)
					}
					verdicts(t, c, v, spell(t, v))
				}
			})
		})
	}
}

// only2020 are the types with JSON Schemas of draft 2020-12, for which draft-07 has no words.
var only2020 = map[string]bool{"Conforming": true}

// mutants is how many broken texts are made of each value.
const mutants = 4

func verdicts(t *rapid.T, c codec, v ir.Value, text []byte) {
	faults := judge.Judge(definitions()[c.name], v)
	if boundDisagrees(definitions()[c.name], v) {
		return
	}
	_, err := decoded(c, text)
	if (err == nil) != (len(faults) == 0) {
		t.Fatalf("%s\ngenerated code says %v\nthe interpreter %v", text, err, faults)
	}
	foreign, parseErr := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if parseErr != nil {
		t.Fatal(parseErr)
	}
	for draft, all := range validators() {
		if forgets(definitions()[c.name], nil, v) {
			break
		}
		if draft == schemajson.Draft7 && only2020[c.name] {
			continue
		}
		if foreignErr := all[c.name].Validate(foreign); (foreignErr == nil) != (len(faults) == 0) {
			t.Fatalf("%s\nthe interpreter says %v\nthe independent validator (draft %d) %v", text, faults, draft, foreignErr)
		}
	}
	agree(t, c, text)
	if err != nil {
		pointed(t, v, text, err)
	}
	for range mutants {
		mutated(t, c, mutate(t, text))
	}
}

// mutate changes a few bytes of a text: flips, cuts, repeats, swaps.
func mutate(t *rapid.T, text []byte) []byte {
	g := generator{t: t}
	text = bytes.Clone(text)
	for range 1 + g.pick(2) {
		i := g.pick(len(text) + 1)
		j := min(len(text), i+g.pick(12))
		switch g.pick(6) {
		case 0:
			if i < len(text) {
				text[i] ^= 1 << g.pick(8)
			}
		case 1:
			text = text[:i]
		case 2:
			text = slices.Delete(text, i, j)
		case 3:
			text = slices.Insert(text, i, text[i:j]...)
		case 4:
			text = slices.Insert(text, i, choose(&g, byte('"'), '{', '}', '[', ']', ',', ':', '\\', '0', ' ', '\n', 0, 0xff, 'e', '-'))
		default:
			slices.Reverse(text[i:j])
		}
	}
	return text
}

// mutated asks the runtime and others about a text that may be anything: what is not JSON is refused as such, and what is JSON
// is refused by both passes of the reader or by none. What is accepted is valid for the interpreter too.
func mutated(t *rapid.T, c codec, text []byte) {
	collected(t, c, text)
	valid := jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true))
	if got := wire.Check(text, 1<<20) == nil; got != valid && depth(text) <= wire.MaxDepth {
		t.Fatalf("%q: jsontext says %v, the runtime %v", text, valid, got)
	}
	h, err := decoded(c, text)
	if !valid {
		if _, ok := err.(*wire.SyntaxError); !ok {
			t.Fatalf("%q is not JSON, and %v", text, err)
		}
		return
	}
	agree(t, c, text)
	if err != nil {
		return
	}
	v, parseErr := ir.ParseJSON(h.Append(nil))
	if parseErr != nil {
		t.Fatalf("%q is written as %s: %v", text, h.Append(nil), parseErr)
	}
	if boundDisagrees(definitions()[c.name], v) {
		return
	}
	if faults := judge.Judge(definitions()[c.name], v); len(faults) > 0 {
		t.Fatalf("%q is accepted, and written as %s, of which the interpreter says %v", text, h.Append(nil), faults)
	}
}

// depth is how deep brackets are nested at most, strings included.
func depth(text []byte) int {
	deepest, now := 0, 0
	for _, c := range text {
		switch c {
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}

// forgets reports whether a list of unique elements has two that differ in nothing but what a decoder does not keep, such as
// members that the type ignores. They are equal in the language, whose decoders see no difference; JSON Schema has no words for
// that, and its validators see two values.
func forgets(t ir.Type, rules []ir.Rule, v ir.Value) bool {
	switch t := t.(type) {
	case *ir.Ref:
		return forgets(t.Decl.Type, slices.Concat(rules, t.Rules), v)
	case *ir.Nullable:
		return forgets(t.Elem, rules, v)
	case *ir.List:
		unique := limitsOf(slices.Concat(rules, t.Rules)).unique
		for i, a := range v.Items {
			if forgets(t.Elem, nil, a) {
				return true
			}
			for _, b := range v.Items[:i] {
				if unique && !judge.Equal(a, b) && judge.Equal(judge.Kept(t.Elem, a), judge.Kept(t.Elem, b)) {
					return true
				}
			}
		}
	case *ir.Tuple:
		for i, item := range v.Items {
			if of := elementOf(t, i); of != nil && forgets(of, nil, item) {
				return true
			}
		}
	case *ir.Map:
		return slices.ContainsFunc(v.Fields, func(m ir.Member) bool { return forgets(t.Elem, nil, m.Value) })
	case *ir.Struct:
		for _, f := range t.Fields {
			if m, ok := get(v, f.Name); ok && forgets(f.Type, nil, m) {
				return true
			}
		}
		return t.Extra != nil && slices.ContainsFunc(v.Fields, func(m ir.Member) bool { return forgets(t.Extra, nil, m.Value) })
	case *ir.Union:
		return slices.ContainsFunc(t.Branches, func(b *ir.Branch) bool { return v.Kind == ir.Array && forgets(b.Type, nil, v) })
	}
	return false
}

// boundDisagrees reports whether a value stands where a Go type is bound and is none that the type is known to take: what such a
// type takes is its own affair, and no schema says it.
func boundDisagrees(t ir.Type, v ir.Value) bool {
	foreign := func(goType string, v ir.Value) bool {
		return goType != "" && v.Kind != ir.Null && !slices.ContainsFunc(known[goType], func(k ir.Value) bool { return k.Kind == v.Kind && judge.Equal(k, v) })
	}
	switch t := t.(type) {
	case *ir.Ref:
		return foreign(t.Decl.Go.Type, v) || t.Decl.Go.Type != "" && v.Kind == ir.Null || boundDisagrees(t.Decl.Type, v)
	case *ir.Nullable:
		return v.Kind != ir.Null && boundDisagrees(t.Elem, v)
	case *ir.List:
		return slices.ContainsFunc(v.Items, func(item ir.Value) bool { return boundDisagrees(t.Elem, item) })
	case *ir.Tuple:
		for i, item := range v.Items {
			if of := elementOf(t, i); of != nil && boundDisagrees(of, item) {
				return true
			}
		}
	case *ir.Map:
		return slices.ContainsFunc(v.Fields, func(m ir.Member) bool { return boundDisagrees(t.Elem, m.Value) })
	case *ir.Struct:
		for _, f := range t.Fields {
			if m, ok := get(v, f.Name); ok && (f.Go.Type != "" && (m.Kind == ir.Null || foreign(f.Go.Type, m)) || boundDisagrees(f.Type, m)) {
				return true
			}
		}
	}
	return false
}

// elementOf is the type of an element of a tuple; nil: there is none.
func elementOf(t *ir.Tuple, i int) ir.Type {
	if i < len(t.Items) {
		return t.Items[i].Type
	}
	return t.Rest
}

// breakIt changes one thing somewhere in a value.
func (g *generator) breakIt(v ir.Value) ir.Value {
	switch {
	case v.Kind == ir.Array && len(v.Items) > 0 && !g.chance(3):
		v.Items = slices.Clone(v.Items)
		i := g.pick(len(v.Items))
		v.Items[i] = g.breakIt(v.Items[i])
		return v
	case v.Kind == ir.Object && len(v.Fields) > 0 && !g.chance(3):
		v.Fields = slices.Clone(v.Fields)
		i := g.pick(len(v.Fields))
		v.Fields[i].Value = g.breakIt(v.Fields[i].Value)
		return v
	case v.Kind == ir.Array && len(v.Items) > 0 && g.chance(2):
		i := g.pick(len(v.Items))
		return choose(g,
			ir.Value{Kind: ir.Array, Items: slices.Delete(slices.Clone(v.Items), i, i+1)},
			ir.Value{Kind: ir.Array, Items: slices.Insert(slices.Clone(v.Items), i, v.Items[i])},
			ir.Value{Kind: ir.Array, Items: slices.Insert(slices.Clone(v.Items), i, g.anything(deepest))})
	case v.Kind == ir.Object && len(v.Fields) > 0 && !g.chance(3):
		m := v.Fields[g.pick(len(v.Fields))]
		return choose(g,
			ir.Value{Kind: ir.Object, Fields: drop(v.Fields, m.Name)},
			ir.Value{Kind: ir.Object, Fields: set(drop(v.Fields, m.Name), m.Name+choose(g, "x", " ", "?"), m.Value)},
			ir.Value{Kind: ir.Object, Fields: set(v.Fields, choose(g, "kind", "type", "extra", "id", "a"), g.anything(deepest))},
			ir.Value{Kind: ir.Object, Fields: set(v.Fields, m.Name, null)})
	case v.Kind == ir.Text && g.chance(2):
		return textual(choose(g, v.Text+"x", v.Text+v.Text, "", strings.ToUpper(v.Text), v.Text+"\n", "\u00e9"+v.Text))
	case v.Kind == ir.Integer && g.chance(2) && len(v.Text) < 15 && !strings.ContainsAny(v.Text, "eE.") && strings.TrimPrefix(v.Text, "-") != "0":
		return ir.NumberValue(choose(g, v.Text+"0", v.Text+".5", strings.TrimPrefix("-"+v.Text, "--"), "1"+strings.TrimPrefix(v.Text, "-")))
	}
	return g.anything(2)
}

// agree compares the two passes of the reader: the collecting pass finds something exactly when the fast pass fails.
func agree(t *rapid.T, c codec, text []byte) {
	if wire.Check(text, wire.MaxDepth) != nil {
		t.Fatalf("%s is not taken for JSON", text)
	}
	fast, vs := c.make(), new(rule.Violations)
	var r wire.Reader
	start := wire.Space(text, 0)
	r.Reset(text, start, wire.MaxDepth)
	fast.Decode(&r)
	accepted := !r.Failed() && wire.Space(text, r.Pos()) == len(text)
	slow := c.make()
	var collecting wire.Reader
	collecting.Collect(text, start, wire.MaxDepth, vs)
	slow.Decode(&collecting)
	if accepted != (vs.Len() == 0) || collecting.Failed() || wire.Space(text, collecting.Pos()) != len(text) {
		t.Fatalf("%s\nthe fast pass accepts: %v; the collecting pass says %v, and stands at %d of %d, failed: %v",
			text, accepted, vs.Err(), collecting.Pos(), len(text), collecting.Failed())
	}
}

// pointed asks every violation to point to a value that is there, or to a member or an element that is missing from an object or array that is.
func pointed(t *rapid.T, v ir.Value, text []byte, err error) {
	var broken *rule.Error
	if !errors.As(err, &broken) || len(broken.Violations) == 0 {
		t.Fatalf("%s\nis refused without a violation: %v", text, err)
	}
	for _, violation := range broken.Violations {
		if err := resolves(v, violation); err != nil {
			t.Fatalf("%s\n%v: %v", text, violation, err)
		}
	}
}

func resolves(v ir.Value, violation rule.Violation) error {
	if violation.Pointer == "" {
		return nil
	}
	if violation.Pointer[0] != '/' {
		return errors.New("no pointer")
	}
	steps := strings.Split(violation.Pointer[1:], "/")
	for i, step := range steps {
		name := strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch v.Kind {
		case ir.Array:
			n, err := strconv.Atoi(name)
			if err == nil && n >= len(v.Items) && i == len(steps)-1 && violation.Rule == "required" {
				return nil
			}
			if err != nil || n >= len(v.Items) {
				return fmt.Errorf("no element %q", name)
			}
			v = v.Items[n]
			continue
		case ir.Object:
			member, ok := get(v, name)
			if ok {
				v = member
				continue
			}
			if i == len(steps)-1 && violation.Rule == "required" {
				return nil
			}
		}
		return fmt.Errorf("no member %q", name)
	}
	return nil
}

// collected reads a text that may not be JSON in the collecting pass, as servers do after the fast pass has failed: what the pass reads to
// its end is valid, and whether it is found violations only in texts that the fast pass refuses.
func collected(t *rapid.T, c codec, text []byte) {
	var r wire.Reader
	var vs rule.Violations
	start := wire.Space(text, 0)
	r.Reset(text, start, wire.MaxDepth)
	c.make().Decode(&r)
	accepted := !r.Failed()
	r.Collect(text, start, wire.MaxDepth, &vs)
	c.make().Decode(&r)
	switch {
	case accepted && (r.Failed() || vs.Len() > 0):
		t.Fatalf("%s\nis accepted, but collecting says %v", text, vs.Err())
	case !r.Failed() && !accepted && vs.Len() == 0:
		t.Fatalf("%s\nis refused without a violation", text)
	case !r.Failed() && wire.Check(text[:r.Pos()], wire.MaxDepth) != nil:
		t.Fatalf("%s\nis not JSON, but was read to %d with the violations %v", text, r.Pos(), vs.Err())
	}
}
