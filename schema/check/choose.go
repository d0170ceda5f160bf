package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// chooseObject tells objects apart. Of the decisions that there are it takes the first, in the order of [infer], that takes each value to the branch
// that the value fits, and otherwise the first one.
func (x *inference) chooseObject(all []leaf, way way, depth int) (ir.Decision, *clash) {
	var first ir.Decision
	var failure *clash
	for _, try := range x.triesOf(all, way, depth) {
		d, clash := try()
		switch {
		case clash != nil:
			failure = clash
		case d == nil:
		case x.steps > mostChosen && first == nil || leadsRight(d, all):
			return d, nil
		case first == nil:
			first = d
		}
		if first != nil && x.steps > mostChosen {
			break
		}
	}
	if first != nil {
		return first, nil
	}
	return nil, failure
}

// triesOf are the ways to tell objects apart.
func (x *inference) triesOf(all []leaf, way way, depth int) (tries []func() (ir.Decision, *clash)) {
	presence := func() (ir.Decision, *clash) { return x.byPresence(all, way, depth) }
	if way != anyWay {
		return append(tries, presence)
	}
	add := func(properties []string, by func([]leaf, string, int) (ir.Decision, *clash)) {
		for _, property := range properties {
			tries = append(tries, func() (ir.Decision, *clash) { return by(all, property, depth) })
		}
	}
	var several, one []string
	if x.steps <= mostChosen {
		several, one = partProperties(all)
	}
	add(slices.DeleteFunc(constProperties(all), func(property string) bool { return slices.Contains(x.known, property) }), x.byTags)
	add(several, x.byEachTag)
	add(several, x.byFirstTag)
	tries = append(tries, presence)
	add(one, x.byEachTag)
	tries = append(tries, func() (ir.Decision, *clash) { return x.byInner(all, depth), nil })
	add(one, x.byFirstTag)
	return tries
}

// leadsRight reports whether a decision takes all values of each leaf to its branch.
func leadsRight(d ir.Decision, all []leaf) bool {
	return !slices.ContainsFunc(all, func(l leaf) bool {
		reached, refused := judge.Picks(d, l.shape)
		return refused || slices.ContainsFunc(reached, func(b *ir.Branch) bool { return b != l.branch })
	})
}
