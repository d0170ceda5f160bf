package mcp

import (
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// FormResult is the answer to [Questions.Form].
type FormResult struct {
	Action string // accept, decline or cancel
	form   wire.Decoder
}

// Accepted reports whether the user has filled in the form and submitted it.
func (f *FormResult) Accepted() bool { return f.Action == "accept" }

// Err returns nil if the user has accepted, and otherwise a [*NotAcceptedError].
func (f *FormResult) Err() error {
	if f.Accepted() {
		return nil
	}
	return &NotAcceptedError{f.Action}
}

// DecodeJSON reads the answer, and the content into the form. A form that is accepted without
// content has no fields.
func (f *FormResult) DecodeJSON(r *wire.Reader) {
	needs := uint64(1)
	f.Action, _ = r.Peek().In("action").Text()
	if f.Accepted() && !r.Peek().Has("content") && !f.empty() {
		needs = 0b11
	}
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if r.Key(&o, 0, `"action":`) {
			r.Skip()
		}
		if f.Accepted() && r.Key(&o, 1, `"content":`) && !(r.Kind() == wire.Null && f.empty() && r.Null()) {
			f.form.DecodeJSON(r)
		}
	}
	r.Need(&o, needs, "action\ncontent")
}

// empty reports whether the form is valid without any field, and clears it in that case.
func (f *FormResult) empty() bool {
	var r wire.Reader
	r.Reset(empty, 0, wire.MaxDepth)
	f.form.DecodeJSON(&r)
	return !r.Failed()
}

// CheckRules reports violations of the rules of the form.
func (f *FormResult) CheckRules(vs *violation.List) {
	switch f.Action {
	case "accept":
		if c, ok := f.form.(violation.Checker); ok {
			s := vs.Enter()
			c.CheckRules(vs)
			vs.Leave(s, "/content")
		}
	case "decline", "cancel":
	default:
		vs.Add(violation.Violation{Pointer: "/action", Rule: "enum", Expected: "accept, decline or cancel"})
	}
}

// NotAcceptedError means that the user declined to fill in a form or cancelled it.
type NotAcceptedError struct{ Action string }

func (e *NotAcceptedError) Error() string {
	if e.Action == "decline" {
		return "the user declined"
	}
	return "the user cancelled"
}

// ToolError implements [ToolError].
func (*NotAcceptedError) ToolError() string { return "NotAccepted" }

// AppendData implements [ToolError].
func (e *NotAcceptedError) AppendData(b []byte) []byte {
	return append(wire.AppendString(append(b, `{"action":`...), e.Action), '}')
}

// formParams are the params of elicitation/create in form mode.
type formParams struct{ message, schema string }

// AppendJSON implements [wire.Appender].
func (p formParams) AppendJSON(b []byte) []byte {
	b = wire.AppendString(append(b, `{"message":`...), p.message)
	return append(append(append(b, `,"requestedSchema":`...), p.schema...), '}')
}
