package judge

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/schema/decimal"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// value judges a value by the kind of its type.
func (j *judgement) value(t ir.Type, v ir.Value) {
	switch t := t.(type) {
	case *ir.Ref:
		j.value(t.Decl.Type, v)
		if list, ok := shape(t).(*ir.List); ok {
			j.listRules(list, t.Rules, v)
			return
		}
		j.rules(t, t.Rules, v)
	case *ir.Nullable:
		if v.Kind != ir.Null {
			j.value(t.Elem, v)
		}
	case *ir.Bool:
		j.kind(v, "boolean", ir.Boolean)
	case *ir.Int:
		j.integer(t, v)
	case *ir.Float:
		j.float(t, v)
	case *ir.Decimal:
		if j.kind(v, "number", ir.Integer, ir.Number) {
			j.rules(t, t.Rules, v)
		}
	case *ir.String:
		if j.kind(v, "string", ir.Text) {
			j.rules(t, t.Rules, v)
		}
	case *ir.Bytes:
		j.bytes(t, v)
	case *ir.Time:
		if j.kind(v, "string", ir.Text) && !isDateTime(v.Text) {
			j.fault("format", "must be a date-time such as 2026-01-31T12:00:00Z")
		}
	case *ir.ID:
		if v.Kind != ir.Text && !isWhole(v) {
			j.fault("type", "must be a string or an integer, not "+describe(v))
		}
	default:
		j.compound(t, v)
	}
}

func (j *judgement) compound(t ir.Type, v ir.Value) {
	switch t := t.(type) {
	case *ir.Literal:
		if !Equal(t.Value, v) {
			j.fault("const", "must be "+t.Value.String())
		}
	case *ir.Enum:
		j.enum(t, v)
	case *ir.List:
		j.list(t, v)
	case *ir.Tuple:
		j.tuple(t, v)
	case *ir.Map:
		j.object(t, v)
	case *ir.Struct:
		j.structure(t, v)
	case *ir.Union:
		j.judgeDecision(t.Decide, t.Open, v)
		j.rules(t, t.Rules, v)
	case *ir.Any:
		j.rules(t, t.Rules, v)
	}
}

// kind reports whether a value has one of the kinds, and adds a fault otherwise.
func (j *judgement) kind(v ir.Value, want string, kinds ...ir.Kind) bool {
	for _, k := range kinds {
		if v.Kind == k {
			return true
		}
	}
	j.fault("type", "must be "+text.Article(want)+", not "+describe(v))
	return false
}

func describe(v ir.Value) string { return text.Article(v.Kind.String()) }

// isWhole reports whether a value is an integer, however it is written: 1, 1.0, 1e2.
func isWhole(v ir.Value) bool {
	if v.Kind != ir.Integer && v.Kind != ir.Number {
		return false
	}
	number, ok := decimal.Parse(v.Text)
	return ok && number.IsInteger()
}

func (j *judgement) integer(t *ir.Int, v ir.Value) {
	if !j.kind(v, "integer", ir.Integer, ir.Number) {
		return
	}
	if !isWhole(v) {
		j.fault("type", "must be an integer, not a fraction")
		return
	}
	low, high := t.Bounds()
	if compare(v.Text, low) < 0 || compare(v.Text, high) > 0 {
		j.fault("type", fmt.Sprintf("must be from %s to %s", low, high))
		return
	}
	j.rules(t, t.Rules, v)
}

// float judges a float64: a number too large for one is a violation, a number too precise is rounded.
func (j *judgement) float(t *ir.Float, v ir.Value) {
	if !j.kind(v, "number", ir.Integer, ir.Number) {
		return
	}
	if _, err := strconv.ParseFloat(v.Text, 64); err != nil {
		j.fault("type", "must be within the range of a float64")
		return
	}
	j.rules(t, t.Rules, v)
}

// bytes judges base64 text: the standard alphabet, padded, without line breaks, without bits that say nothing.
func (j *judgement) bytes(t *ir.Bytes, v ir.Value) {
	if !j.kind(v, "string", ir.Text) {
		return
	}
	if _, err := base64.StdEncoding.Strict().DecodeString(v.Text); err != nil || strings.ContainsAny(v.Text, "\r\n") {
		j.fault("format", "must be padded base64")
		return
	}
	j.rules(t, t.Rules, v)
}

func (j *judgement) enum(t *ir.Enum, v ir.Value) {
	if len(t.Values) == 0 {
		return // its faults are reported where it is declared
	}
	kind := t.Values[0].Value.Kind
	if kind == ir.Text && !j.kind(v, "string", ir.Text) {
		return
	}
	if kind == ir.Integer && !isWhole(v) {
		j.fault("type", "must be an integer, not "+describe(v))
		return
	}
	if low, high := (&ir.Int{Bits: 64}).Bounds(); kind == ir.Integer && (compare(v.Text, low) < 0 || compare(v.Text, high) > 0) {
		j.fault("type", "must be a 64-bit integer")
		return
	}
	var known []string
	for _, one := range t.Values {
		if Equal(one.Value, v) {
			return
		}
		known = append(known, one.Value.String())
	}
	if !t.Open {
		j.fault("enum", "must be one of "+strings.Join(known, ", "))
	}
}

func (j *judgement) list(t *ir.List, v ir.Value) {
	if !j.kind(v, "array", ir.Array) {
		return
	}
	for i, item := range v.Items {
		j.item(i, t.Elem, item)
	}
	j.listRules(t, t.Rules, v)
}

func (j *judgement) tuple(t *ir.Tuple, v ir.Value) {
	if !j.kind(v, "array", ir.Array) {
		return
	}
	least := 0
	for _, f := range t.Items {
		if !f.Optional {
			least++
		}
	}
	switch n := len(v.Items); {
	case n < least:
		j.fault("minItems", fmt.Sprintf("must have at least %d items", least))
	case n > len(t.Items) && t.Rest == nil:
		j.fault("maxItems", fmt.Sprintf("may have at most %d items", len(t.Items)))
	}
	for i, item := range v.Items {
		switch {
		case i < len(t.Items):
			j.item(i, t.Items[i].Type, item)
		case t.Rest != nil:
			j.item(i, t.Rest, item)
		}
	}
	j.rules(t, t.Rules, v)
}

func (j *judgement) object(t *ir.Map, v ir.Value) {
	if !j.kind(v, "object", ir.Object) {
		return
	}
	for _, m := range v.Fields {
		j.at(m.Name, t.Elem, m.Value)
	}
	j.rules(t, t.Rules, v)
}

func (j *judgement) structure(t *ir.Struct, v ir.Value) {
	if !j.kind(v, "object", ir.Object) {
		return
	}
	for _, f := range t.Fields {
		if _, there := v.Get(f.Name); !there && !f.Optional {
			j.fault("required", "must have "+strconv.Quote(f.Name))
		}
	}
	fields := make(map[string]*ir.Field, len(t.Fields))
	for _, f := range t.Fields {
		fields[f.Name] = f
	}
	for _, m := range v.Fields {
		f := fields[m.Name]
		switch {
		case f != nil:
			j.at(m.Name, f.Type, m.Value)
		case t.Additional == ir.AdditionalKept:
			j.at(m.Name, t.Extra, m.Value)
		case t.Additional == ir.AdditionalRejected:
			j.fault("additional", "may not have "+strconv.Quote(m.Name))
		}
	}
	j.rules(t, t.Rules, v)
}

func length(v ir.Value) int {
	if v.Kind == ir.Text {
		return utf8.RuneCountInString(v.Text)
	}
	return len(v.Items) + len(v.Fields)
}
