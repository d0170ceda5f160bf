package wire

import (
	"bytes"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
)

// Appender is a value that appends its JSON to a buffer. All generated structs implement it.
type Appender interface {
	AppendJSON(b []byte) []byte
}

// Decoder is a value that reads itself from a Reader. Pointers to all generated structs implement it. Faults are reported to the reader.
type Decoder interface {
	DecodeJSON(r *Reader)
}

// Marshal returns v as JSON. The error is the [*EncodeError] of appending it.
func Marshal(v Appender) (b []byte, err error) {
	defer CatchEncodeError(&err)
	return v.AppendJSON(nil), nil
}

// UnmarshalCopy decodes a copy of the JSON document b into v, and checks its rules, if it has any. The errors are those of [Unmarshal].
func UnmarshalCopy(b []byte, v Decoder) error {
	check := func(*violation.List) {}
	if c, ok := v.(violation.Checker); ok {
		check = c.CheckRules
	}
	return Unmarshal(bytes.Clone(b), v.DecodeJSON, check)
}

// Unmarshal decodes the JSON document b: decode reads it, and check reports violations of rules; a nil check means that there are none. Both may be
// called a second time, to collect every violation. The error is a [*SyntaxError], a [*DepthError], a [*BudgetError] or a [*violation.Error]. Decoded
// strings share b, which must not be changed afterwards.
func Unmarshal(b []byte, decode func(*Reader), check func(*violation.List)) error {
	if check == nil {
		check = func(*violation.List) {}
	}
	var r Reader
	var vs violation.List
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
