package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// fill is a field of error data that the runtime can fill for a condition, and what it fills it with.
type fill struct {
	field string
	with  filling
}

type filling uint8

const (
	withText filling = iota
	withTexts
	withNumber
)

// String says what a field must be to be filled.
func (f filling) String() string {
	return [...]string{"string", "list<string>", "integer or number"}[f]
}

// condition is something that the runtime answers with an error by itself.
type condition struct {
	name  string
	fills []fill
}

// conditions are what the runtime answers by itself, in the order of the reference.
var conditions = []condition{
	{"method_not_found", []fill{{"method", withText}, {"tool", withText}, {"available", withTexts}, {"availableMethods", withTexts},
		{"availableTools", withTexts}, {"suggestion", withText}}},
	{"tool_not_found", []fill{{"tool", withText}, {"available", withTexts}, {"availableTools", withTexts}, {"suggestion", withText}}},
	{"resource_not_found", []fill{{"uri", withText}, {"available", withTexts}, {"availableResources", withTexts}, {"suggestion", withText}}},
	{"prompt_not_found", []fill{{"prompt", withText}, {"available", withTexts}, {"availablePrompts", withTexts}, {"suggestion", withText}}},
	{"timeout", []fill{{"method", withText}, {"timeout", withText}, {"timeoutMs", withNumber}}},
	{"rate_limited", []fill{{"limit", withNumber}, {"retryAfter", withNumber}}},
	{"forbidden", []fill{{"method", withText}, {"tool", withText}, {"missing", withTexts}, {"scopes", withTexts}}},
	{"overloaded", []fill{{"limit", withNumber}, {"inFlight", withNumber}}},
	{"message_too_large", []fill{{"maxSize", withNumber}, {"size", withNumber}, {"unit", withText}}},
	{"batch_too_large", []fill{{"maxSize", withNumber}, {"size", withNumber}, {"unit", withText}}},
	{"budget_exceeded", []fill{{"method", withText}, {"maxSize", withNumber}, {"size", withNumber}, {"unit", withText}}},
	{"not_initialized", []fill{{"method", withText}}},
	{"already_initialized", []fill{{"method", withText}}},
	{"shut_down", []fill{{"method", withText}}},
	{"too_many_streams", []fill{{"method", withText}, {"limit", withNumber}}},
	{"stream_unsupported", []fill{{"method", withText}, {"reason", withText}}},
	{"session_not_found", []fill{{"reason", withText}}},
	{"unsupported_version", []fill{{"supported", withTexts}, {"requested", withText}}},
	{"cancelled", []fill{{"reason", withText}}},
}

// fillable compares the data of an error with what the runtime can fill for each of its conditions: required fields must be among it, and fields
// among it must take it.
func (c *errorChecker) fillable(e *ir.Error) {
	s, ok := dataOf(e)
	if !ok {
		return
	}
	for _, f := range s.Fields {
		for _, known := range conditions {
			if slices.Contains(e.When, known.name) && !c.fills(known, f) {
				break // one fault for each field
			}
		}
	}
}

// fills compares a field with what the runtime can fill for a condition.
func (c *errorChecker) fills(known condition, f *ir.Field) bool {
	names := ir.Each(known.fills, func(fill fill) string { return fill.field })
	at := point(f.Pos, len(f.Name))
	switch i := slices.Index(names, f.Name); {
	case i >= 0 && !takes(f.Type, known.fills[i].with):
		c.d.report(diag.UnfillableData, at, "make it "+known.fills[i].with.String(), "when %s, the runtime fills %q with another type", known.name, f.Name)
	case i < 0 && !f.Optional:
		c.d.report(diag.UnfillableData, at, "make it optional; the runtime knows "+orList(names), "when %s, the runtime cannot fill the required field %q",
			known.name, f.Name)
	default:
		return true
	}
	return false
}

func dataOf(e *ir.Error) (*ir.Struct, bool) {
	if e.Data == nil {
		return nil, false
	}
	s, ok := ir.Underlying(e.Data).(*ir.Struct)
	return s, ok
}

func takes(t ir.Type, with filling) bool {
	t = ir.Underlying(t)
	if null, ok := t.(*ir.Nullable); ok {
		t = ir.Underlying(null.Elem)
	}
	switch t := t.(type) {
	case *ir.Any:
		return true
	case *ir.String:
		return with == withText
	case *ir.List:
		return with == withTexts && takes(t.Elem, withText)
	}
	return with == withNumber && ir.Numeric(t)
}
