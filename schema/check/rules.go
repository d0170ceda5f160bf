package check

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/decimal"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// ruleChecker lowers rules, and asks each whether it fits its type.
type ruleChecker struct{ *draft }

// family is the kind of type that a rule's key constrains.
type family uint8

const (
	noFamily family = iota
	textual
	numeric
	listed
	keyed
	free
)

// example is a type of the family.
func (f family) example() string {
	return [...]string{"", "string", "number", "array", "object", "any, string, array or object, or of a union by context"}[f]
}

func familyOf(key string) family {
	switch key {
	case "minLength", "maxLength", "pattern", "format":
		return textual
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return numeric
	case "minItems", "maxItems", "uniqueItems":
		return listed
	case "minProperties", "maxProperties":
		return keyed
	case "schema":
		return free
	}
	return noFamily
}

// ruling is a rule with what is needed to say that it does not apply.
type ruling struct {
	rule   ir.Rule
	family family
	key    *syntax.Node
}

// rules lowers the rule keys of a mapping and attaches them to its type.
func (c *ruleChecker) rules(n *syntax.Node, t ir.Type) ir.Type {
	var found []ruling
	done := map[string]bool{}
	for _, e := range n.Entries {
		if familyOf(e.Key.Text) == noFamily || done[e.Key.Text] {
			continue
		}
		rule := c.rule(n, e, done, &t)
		if rule != nil {
			found = append(found, ruling{rule, familyOf(e.Key.Text), e.Key})
		}
	}
	if len(found) > 0 {
		c.attach(t, found)
	}
	return t
}

// rule lowers one key, together with the other end of its range. A format may change the type instead.
func (c *ruleChecker) rule(n *syntax.Node, e syntax.Entry, done map[string]bool, t *ir.Type) ir.Rule {
	at := ir.RuleAt{Pos: e.Key.Span.Pos}
	switch e.Key.Text {
	case "minLength", "maxLength":
		if low, high, ok := c.counts(n, "minLength", "maxLength", done); ok {
			return &ir.Length{RuleAt: at, Min: low, Max: high}
		}
	case "minItems", "maxItems", "minProperties", "maxProperties":
		of := e.Key.Text[len("min"):]
		if low, high, ok := c.counts(n, "min"+of, "max"+of, done); ok {
			return &ir.Count{RuleAt: at, Min: low, Max: high}
		}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return c.rangeRule(n, at, done)
	case "multipleOf":
		return c.multipleOf(e, at)
	case "pattern":
		return c.pattern(e, at)
	case "format":
		return c.format(n, e, at, t)
	case "schema":
		return c.conform(e, at)
	case "uniqueItems":
		if c.boolean(e) {
			return &ir.Unique{RuleAt: at}
		}
	}
	return nil
}

// counts reads a pair of limits; a missing upper one is -1.
func (c *ruleChecker) counts(n *syntax.Node, lowKey, highKey string, done map[string]bool) (low, high int, ok bool) {
	high, ok = -1, true
	done[lowKey], done[highKey] = true, true
	if e := n.Entry(lowKey); e != nil {
		low, ok = c.integer(*e, 0, math.MaxInt32, diag.InvalidRule)
	}
	e := n.Entry(highKey)
	if e != nil && ok {
		high, ok = c.integer(*e, 0, math.MaxInt32, diag.InvalidRule)
	}
	if ok && high >= 0 && low > high {
		c.emptyRange(n, lowKey, *e)
		return 0, 0, false
	}
	return low, high, ok
}

func (c *ruleChecker) emptyRange(n *syntax.Node, lowKey string, high syntax.Entry) {
	low := n.Entry(lowKey)
	c.collide(diag.EmptyRange, valueSpan(high), "raise it, or lower the other",
		fmt.Sprintf("%s %s and %s %s leave no value", lowKey, low.Value.Text, high.Key.Text, high.Value.Text), valueSpan(*low), lowKey)
}

// rangeEnd is one end of a range.
type rangeEnd struct {
	key       string
	text      string
	exclusive bool
}

// rangeRule lowers up to four keys to one rule. Where an inclusive and an exclusive bound are given, the stricter counts.
func (c *ruleChecker) rangeRule(n *syntax.Node, at ir.RuleAt, done map[string]bool) ir.Rule {
	low, okLow := c.stricterBound(n, "minimum", "exclusiveMinimum", 1, done)
	high, okHigh := c.stricterBound(n, "maximum", "exclusiveMaximum", -1, done)
	if !okLow || !okHigh {
		return nil
	}
	if low.text != "" && high.text != "" {
		a, _ := decimal.Parse(low.text)
		b, _ := decimal.Parse(high.text)
		if order := a.Cmp(b); order > 0 || order == 0 && (low.exclusive || high.exclusive) {
			c.emptyRange(n, low.key, *n.Entry(high.key))
			return nil
		}
	}
	return &ir.Range{RuleAt: at, Min: low.text, ExclusiveMin: low.exclusive, Max: high.text, ExclusiveMax: high.exclusive}
}

// stricterBound picks the stricter of two keys; inward is the direction that is stricter.
func (c *ruleChecker) stricterBound(n *syntax.Node, inclusive, exclusive string, inward int, done map[string]bool) (rangeEnd, bool) {
	done[inclusive], done[exclusive] = true, true
	var found rangeEnd
	for _, key := range []string{inclusive, exclusive} {
		e := n.Entry(key)
		if e == nil {
			continue
		}
		text, ok := c.number(*e)
		if !ok {
			return found, false
		}
		was, _ := decimal.Parse(found.text)
		is, _ := decimal.Parse(text)
		if found.text == "" || is.Cmp(was)*inward >= 0 {
			found = rangeEnd{key, text, key == exclusive}
		}
	}
	return found, true
}

func (c *ruleChecker) multipleOf(e syntax.Entry, at ir.RuleAt) ir.Rule {
	text, ok := c.number(e)
	if !ok {
		return nil
	}
	if of, _ := decimal.Parse(text); of.Sign() <= 0 {
		c.report(diag.InvalidRule, valueSpan(e), "write a number above zero", "multipleOf cannot be %s", text)
		return nil
	}
	return &ir.MultipleOf{RuleAt: at, Of: text}
}

func (c *ruleChecker) pattern(e syntax.Entry, at ir.RuleAt) ir.Rule {
	text := c.text(e)
	if text == "" {
		return nil
	}
	if _, err := regexp.Compile(text); err != nil {
		c.report(diag.InvalidPattern, e.Value.Span, "patterns are RE2: no lookaround, no backreferences", "%s",
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		return nil
	}
	return &ir.Pattern{RuleAt: at, Expr: text}
}

// limitsText reports whether a schema has rules on the characters of a text, which a time does not keep.
func limitsText(n *syntax.Node) bool {
	return slices.ContainsFunc(n.Entries, func(e syntax.Entry) bool {
		family := familyOf(e.Key.Text)
		return (family == textual || family == free) && e.Key.Text != "format"
	})
}

// format lowers JSON Schema's word for a syntax: to another type, to another width, or to a rule.
func (c *ruleChecker) format(n *syntax.Node, e syntax.Entry, at ir.RuleAt, t *ir.Type) ir.Rule {
	name := c.text(e)
	switch typed := (*t).(type) {
	case *ir.String:
		if name == "date-time" && !limitsText(n) {
			*t = &ir.Time{At: typed.At}
			return nil
		}
		if name == "byte" || name == "base64" {
			*t = &ir.Bytes{At: typed.At}
			return nil
		}
	case *ir.Int:
		if replaced, ok := builtin(name, typed.At); ok {
			if sized, ok := replaced.(*ir.Int); ok && name != "integer" {
				sized.Rules = typed.Rules
				*t = sized
				return nil
			}
		}
	case *ir.Float:
		if name == "double" || name == "float" {
			return nil
		}
	}
	if name != "" && !slices.Contains(judge.Formats, name) {
		help := cmp.Or(diag.DidYouMean(name, judge.Formats), "known formats: "+orList(judge.Formats))
		if _, ok := builtin(name, ir.At{}); ok {
			help = fmt.Sprintf("write type: %s, without format", name)
		}
		c.report(diag.UnknownFormat, e.Value.Span, help, "unknown format %q", name)
		return nil
	}
	return &ir.Format{RuleAt: at, Name: name}
}

// attach puts rules where they belong: on the type, within a nullable, or on the use of a named type.
func (c *ruleChecker) attach(t ir.Type, found []ruling) {
	switch t := t.(type) {
	case *ir.Nullable:
		c.attach(t.Elem, found)
	case *ir.Ref:
		t.Rules = rulesOf(found)
		c.settle(func() { c.applicable(ir.Underlying(t), found) })
	default:
		attach := func() {
			if c.applicable(t, found) {
				ir.AddRules(t, rulesOf(found))
			}
		}
		if isUnion(t) {
			c.settle(attach) // it may be one by context, which its branches decide
		} else {
			attach()
		}
	}
}

func rulesOf(found []ruling) []ir.Rule {
	return ir.Each(found, func(r ruling) ir.Rule { return r.rule })
}

// applicable reports rules that say nothing about a type.
func (c *ruleChecker) applicable(t ir.Type, found []ruling) bool {
	if ir.IsContextual(t) && !slices.ContainsFunc(found, func(r ruling) bool { return r.family != free }) {
		return true
	}
	ok := !c.faulty[t]
	for _, r := range found {
		if ok && !applies(t, r) {
			ok = false
			help := "it is a rule of type " + r.family.example()
			if _, isTuple := t.(*ir.Tuple); isTuple && r.family == listed {
				help = "end the names of elements that may be missing in ?; with rest: it counts all elements"
			}
			c.report(diag.RuleMismatch, r.key.Span, help, "%s does not apply to type %s", r.key.Text, kindWord(t))
		}
		if s, isStruct := t.(*ir.Struct); ok && isStruct && r.family == keyed && s.ForgetsMembers() {
			ok = false
			c.report(diag.InvalidRule, r.key.Span, "say additional: false or additional: any, and give no field a default",
				"%s counts members, and this object forgets which were there", r.key.Text)
		}
	}
	return ok
}

func applies(t ir.Type, r ruling) bool {
	switch t := t.(type) {
	case *ir.Any:
		return r.family == free
	case *ir.String:
		return r.family == textual || r.family == free
	case *ir.Bytes:
		_, length := r.rule.(*ir.Length)
		return length
	case *ir.List:
		return r.family == listed || r.family == free
	case *ir.Tuple:
		_, count := r.rule.(*ir.Count)
		return count && r.family == listed && t.Rest != nil
	case *ir.Nullable:
		return applies(ir.Underlying(t.Elem), r)
	}
	if ir.IsObject(t) {
		return r.family == keyed || r.family == free
	}
	return r.family == numeric && ir.Numeric(t)
}
