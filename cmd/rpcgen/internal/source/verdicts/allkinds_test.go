package verdicts_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/sample"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

var (
	exhaustive = flag.Bool("exhaustive", false, "compare codecs of all kinds of types, with codecs of methods drawn at random")
	codecSeed  = flag.Uint64("codecseed", 1, "what codecs are drawn by")
)

const allkinds = "../../../../../test/allkinds/"

// TestAllKinds draws codecs for the methods that carry the types of test/allkinds, and asks the code of three packages about values that nearly fit: one has the full
// codec, and two have the compact one. All answer alike; whether they are right is for the tests of test/allkinds to say.
func TestAllKinds(t *testing.T) {
	if !*exhaustive {
		t.Skip("it builds a large program; make exhaustive runs it")
	}
	t.Logf("-codecseed %d", *codecSeed)
	text, err := os.ReadFile(allkinds + "allkinds.rpc.yaml")
	if err != nil {
		t.Fatal(err)
	}
	types, _, ok := bytes.Cut(text, []byte("\nerrors:\n"))
	if !ok {
		t.Fatal("there are no errors after the types")
	}
	types = regexp.MustCompile(`(?m)^(package|protocol):.*\n`).ReplaceAll(types, nil) // the batch has its own
	doc, err := compiled(types)
	if err != nil {
		t.Fatal(err)
	}
	one := batch{text: types, asked: map[string][]question{}}
	for _, d := range doc.Types {
		v, ok := sample.Of(d.Type)
		if d.Mixin || !ok {
			continue
		}
		one.types = append(one.types, d.Name)
		for _, v := range near(v) {
			one.asked[d.Name] = append(one.asked[d.Name], question{of: d.Name, value: v})
		}
	}
	b := newBuilt(t)
	b.marks, b.unjudged = rand.New(rand.NewPCG(*codecSeed, 0)), true
	b.add(one, full, compact, compact)
	b.run()
}

// near returns v, and values that differ from it in one place: a part is missing, is there twice, or is of another kind.
func near(v ir.Value) []ir.Value {
	all := []ir.Value{v}
	for i := range v.Fields {
		fields := func(f ...ir.Member) ir.Value {
			changed := v
			changed.Fields = slices.Concat(v.Fields[:i], f, v.Fields[i+1:])
			return changed
		}
		all = append(all, fields())
		for _, part := range near(v.Fields[i].Value)[1:] {
			all = append(all, fields(ir.Member{Name: v.Fields[i].Name, Value: part}))
		}
	}
	for i := range v.Items {
		items := func(part ...ir.Value) ir.Value {
			changed := v
			changed.Items = slices.Concat(v.Items[:i], part, v.Items[i+1:])
			return changed
		}
		all = append(all, items(), items(v.Items[i], v.Items[i]))
		for _, part := range near(v.Items[i])[1:] {
			all = append(all, items(part))
		}
	}
	for _, other := range []string{`null`, `true`, `0`, `-7.5`, `"?"`, `[]`, `{}`, `{"odd":1}`} {
		o, err := ir.ParseJSON([]byte(other))
		if err != nil {
			panic(err)
		}
		all = append(all, o)
	}
	return all
}
