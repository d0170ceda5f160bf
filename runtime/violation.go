package runtime

import (
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
)

// detail says in one sentence what is wrong.
func detail(all []rule.Violation, dropped int) string {
	if len(all) == 0 {
		return "params do not fit the schema"
	}
	text := all[0].String()
	if more := len(all) - 1 + dropped; more > 0 {
		text += " (and " + strconv.Itoa(more) + " more)"
	}
	return text
}

// InvalidParams returns the [Coder] that answers -32602 with violations that were found, of which dropped more there were; for
// handlers that decode parts of their params themselves.
func InvalidParams(violations []rule.Violation, dropped int) error {
	return &invalidParams{&rule.Error{Violations: violations, Dropped: dropped}}
}

type invalidParams struct{ broken *rule.Error }

func (e *invalidParams) Error() string { return e.broken.Error() }
func (e *invalidParams) Unwrap() error { return e.broken }

func (e *invalidParams) RPCError() ErrorObject {
	same := func(pointer string) string { return pointer }
	return ErrorObject{Code: CodeInvalidParams, Message: "Invalid params", AppendData: func(b []byte) []byte {
		return append(appendViolations(b, e.broken.Violations, e.broken.Dropped, same), '}')
	}}
}

// appendViolations appends {"detail","violations", without the closing brace.
func appendViolations(b []byte, all []rule.Violation, dropped int, mapPointer func(string) string) []byte {
	b = append(b, `{"detail":`...)
	b = appendString(b, detail(all, dropped))
	b = append(b, `,"violations":[`...)
	for i, v := range all {
		if i > 0 {
			b = append(b, ',')
		}
		v.Pointer = mapPointer(v.Pointer)
		b = appendViolation(b, v)
	}
	return append(b, ']')
}

// appendViolation appends v as an object without its empty members; the pointer is always there.
func appendViolation(b []byte, v rule.Violation) []byte {
	b = append(b, `{"pointer":`...)
	b = appendString(b, v.Pointer)
	b = appendMember(b, `,"rule":`, v.Rule)
	b = appendMember(b, `,"expected":`, v.Expected)
	b = appendMember(b, `,"got":`, v.Got)
	b = appendMember(b, `,"closest":`, v.Closest)
	return append(b, '}')
}

func appendMember(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return appendString(append(b, name...), value)
}

// mapPointer turns the pointer of a field back to its place in positional params.
func (c *Call) mapPointer(pointer string) string {
	if c.keys == "" || pointer == "" {
		return pointer
	}
	first, rest, nested := strings.Cut(pointer[1:], "/")
	for i, key := range names(c.keys) {
		if rule.EscapePointer(key) == first {
			pointer = "/" + strconv.Itoa(i)
			if nested {
				pointer += "/" + rest
			}
			break
		}
	}
	return pointer
}
