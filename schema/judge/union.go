package judge

import (
	"math"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// judgeDecision judges a value by the branch that the decision of a union picks, and by no other.
func (j *judgement) judgeDecision(d ir.Decision, open bool, v ir.Value) {
	if _, raw := d.(*ir.ByContext); raw || d == nil {
		return // kept as it is: no decoder can tell
	}
	branch, rule, message := decide(d, v)
	switch {
	case branch != nil:
		j.value(branch.Type, v)
	case !open || v.Kind != ir.Object:
		j.fault(rule, message)
	}
}

// decide follows a decision, to a branch or to the reason why there is none.
func decide(d ir.Decision, v ir.Value) (branch *ir.Branch, rule, message string) {
	switch d := d.(type) {
	case *ir.Pick:
		return d.Branch, "", ""
	case *ir.ByKind:
		return byKind(d, v)
	}
	switch d := d.(type) {
	case *ir.ByLength, *ir.InElement:
		if v.Kind != ir.Array {
			return nil, "type", "must be an array, not " + describe(v)
		}
		return byArray(d, v)
	case *ir.ByValue:
		return byValue(d, v)
	}
	if v.Kind != ir.Object {
		return nil, "type", "must be an object, not " + describe(v)
	}
	switch d := d.(type) {
	case *ir.ByProperty:
		return byProperty(d, v)
	case *ir.ByPresence:
		return byPresence(d, v)
	case *ir.InProperty:
		inner, ok := v.Get(d.Property)
		switch {
		case ok:
			return decide(d.Decide, inner)
		case d.Absent != nil:
			return decide(d.Absent, v)
		}
		return nil, "required", "must have " + strconv.Quote(d.Property)
	}
	return nil, "union", "must be one of the union's branches"
}

// byArray decides by the length of an array, or by one of its elements.
func byArray(d ir.Decision, v ir.Value) (*ir.Branch, string, string) {
	n := len(v.Items)
	switch d := d.(type) {
	case *ir.ByLength:
		for _, one := range d.Cases {
			if n >= one.Min && (one.Max < 0 || n <= one.Max) {
				return decide(one.Then, v)
			}
		}
	case *ir.InElement:
		if d.Index < n {
			return decide(d.Decide, v.Items[d.Index])
		}
		if d.Absent != nil {
			return decide(d.Absent, v)
		}
	}
	return nil, "union", "no branch has " + strconv.Itoa(n) + " items"
}

func byValue(d *ir.ByValue, v ir.Value) (*ir.Branch, string, string) {
	var known []string
	for _, one := range d.Cases {
		if Equal(one.Tag, v) {
			return decide(one.Then, v)
		}
		known = append(known, one.Tag.String())
	}
	return nil, "union", "must be one of " + strings.Join(known, ", ")
}

func byKind(d *ir.ByKind, v ir.Value) (*ir.Branch, string, string) {
	kind := v.Kind
	if kind == ir.Number && isWhole(v) {
		kind = ir.Integer
	}
	if integers := d.Integers(); integers != nil {
		switch low, high := integers.Range.Bounds(); {
		case kind == ir.Integer && !isBetween(v.Text, low, high):
			kind = ir.Number
		case kind == ir.Number && roundsInto(d, v.Text, low, high):
			return nil, "type", "must be an integer, or a number that is none when it is rounded to a float64"
		}
	}
	var known []string
	for _, one := range d.Cases {
		if one.Kind == kind {
			return decide(one.Then, v)
		}
		known = append(known, one.Kind.String())
	}
	for _, one := range d.Cases {
		if kind == ir.Integer && one.Kind == ir.Number {
			return decide(one.Then, v)
		}
	}
	return nil, "type", "must be " + strings.Join(known, " or ") + ", not " + describe(v)
}

func isBetween(text, low, high string) bool {
	return compare(text, low) >= 0 && compare(text, high) <= 0
}

// roundsInto reports whether the branch of numbers would hold a number that is not an integer as one that the branch of integers takes: it
// would be written as another branch than it was read as.
func roundsInto(d *ir.ByKind, text, low, high string) bool {
	for _, one := range d.Cases {
		pick, ok := one.Then.(*ir.Pick)
		if one.Kind != ir.Number || !ok || !ir.IsFloat(pick.Branch.Type) {
			continue
		}
		f, err := strconv.ParseFloat(text, 64)
		return err == nil && f == math.Trunc(f) && isBetween(strconv.FormatFloat(f, 'f', -1, 64), low, high)
	}
	return false
}

func byProperty(d *ir.ByProperty, v ir.Value) (*ir.Branch, string, string) {
	tag, ok := v.Get(d.Property)
	if !ok {
		if d.Absent != nil {
			return decide(d.Absent, v)
		}
		return nil, "required", "must have " + strconv.Quote(d.Property)
	}
	var known []string
	for _, one := range d.Cases {
		if Equal(one.Tag, tag) {
			return decide(one.Then, v)
		}
		known = append(known, one.Tag.String())
	}
	if d.Else != nil {
		return decide(d.Else, v)
	}
	return nil, "union", strconv.Quote(d.Property) + " must be one of " + strings.Join(known, ", ")
}

func byPresence(d *ir.ByPresence, v ir.Value) (*ir.Branch, string, string) {
	var known []string
	for _, one := range d.Cases {
		if _, ok := v.Get(one.Property); ok {
			return decide(one.Then, v)
		}
		known = append(known, strconv.Quote(one.Property))
	}
	if d.Else != nil {
		return decide(d.Else, v)
	}
	return nil, "union", "must have one of " + strings.Join(known, ", ")
}
