package verdicts_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

var (
	batches = flag.Int("batches", 1, "how many batches of random schemas are generated and built")
	perOne  = flag.Int("batch", 30, "how many random schemas a batch has")
	first   = flag.Int("batchseed", 1, "where the random schemas of batches begin")
)

// judged is a random schema with values and the verdicts of the independent validator.
type judged struct {
	drawn
	values []ir.Value
}

// TestGenerated draws batches of schemas, and asks generated code of both codecs whether values fit them. Some of the methods are fast.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	b, seed := newBuilt(t), *first*1_000_000
	b.marks = rand.New(rand.NewPCG(uint64(seed), 0))
	for range *batches {
		one := batch{asked: map[string][]question{}}
		var defs []ir.Member
		for len(one.types) < *perOne {
			d := drawnBy(fmt.Sprintf("S%d", len(one.types)), seed)
			seed++
			if imported(d.defs) == nil || len(judge.SchemaFaults(d.checker())) > 0 {
				continue
			}
			one.asked[d.name] = d.questions(t)
			one.types = append(one.types, d.name)
			defs = append(defs, d.defs...)
		}
		if one.text = imported(defs); one.text == nil {
			t.Fatalf("schemas are imported alone, and not together: %s", source(defs))
		}
		b.add(one, full, compact)
	}
	b.run()
}

// drawnBy draws a schema and values from a seed.
func drawnBy(name string, seed int) judged {
	return rapid.Custom(func(t *rapid.T) judged {
		d := judged{drawn: drawnAs(t, name)}
		g := generator{t: t}
		for range 10 {
			d.values = append(d.values, g.small(0))
		}
		return d
	}).Example(seed)
}

func (d judged) questions(t *testing.T) (all []question) {
	checker := independent(t, d.checker())
	for _, v := range d.values {
		all = append(all, question{of: source(d.defs).String(), value: v, valid: valid(t, checker, v)})
	}
	return all
}
