package wire

import (
	"bytes"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
)

// Appender is a value that appends itself as JSON; all generated structs are.
type Appender interface {
	AppendJSON(b []byte) []byte
}

// Decoder is a value that reads itself; pointers to all generated structs are. Faults are r's to report.
type Decoder interface {
	DecodeJSON(r *Reader)
}

// Marshal returns v as JSON, or the [*EncodeError] that appending it panics with.
func Marshal(v Appender) (b []byte, err error) {
	defer CatchEncodeError(&err)
	return v.AppendJSON(nil), nil
}

// UnmarshalCopy decodes a copy of the JSON document b into v, and checks its rules, if it has any. The errors are those of
// [Unmarshal].
func UnmarshalCopy(b []byte, v Decoder) error {
	check := func(*rule.Violations) {}
	if c, ok := v.(rule.Checker); ok {
		check = c.CheckRules
	}
	return Unmarshal(bytes.Clone(b), v.DecodeJSON, check)
}

// Unmarshal decodes the JSON document b: decode reads it, check looks for broken rules (nil: there are none). Either may be
// called twice, a second time to collect every violation. The error is a [*SyntaxError], a [*DepthError], a [*BudgetError] or a
// [*rule.Error]. What is decoded shares b, which must not be changed afterwards.
func Unmarshal(b []byte, decode func(*Reader), check func(*rule.Violations)) error {
	if check == nil {
		check = func(*rule.Violations) {}
	}
	var r Reader
	var vs rule.Violations
	start := Space(b, 0)
	r.Reset(b, start, MaxDepth)
	decode(&r)
	check(&vs)
	if !r.Failed() && vs.Len() == 0 && Space(b, r.Pos()) == len(b) {
		return nil
	}
	if err := Check(b, MaxDepth); err != nil {
		return err
	}
	if r.Outcome(&vs) == Faulty {
		vs.Reset()
		r.Collect(b, start, MaxDepth, &vs)
		decode(&r)
		check(&vs)
	}
	if r.Outcome(&vs) == OverBudget {
		return &BudgetError{Size: len(b)}
	}
	return vs.Err()
}
