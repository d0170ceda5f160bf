package runtime

import (
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
)

// detail returns one sentence that says what is wrong: the first violation, and how many more there
// are.
func detail(first rule.Violation, more int) string {
	text := first.String()
	if more > 0 {
		text += " (and " + strconv.Itoa(more) + " more)"
	}
	return text
}

// InvalidParams returns a [Coder] that answers -32602 Invalid params with the given violations. The
// argument dropped is the number of further violations that were found but not kept. It is for
// handlers that decode a part of their params themselves.
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

// appendViolations appends an object with the members detail and violations, without the closing
// brace: the caller may add members.
func appendViolations(b []byte, all []rule.Violation, dropped int, mapPointer func(string) string) []byte {
	b = append(b, `{"detail":`...)
	if len(all) > 0 {
		first := all[0]
		first.Pointer = mapPointer(first.Pointer)
		b = appendString(b, detail(first, len(all)-1+dropped))
	} else {
		b = appendString(b, "params do not fit the schema")
	}
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

// appendViolation appends v as an object without its empty members. The pointer is always present,
// because an empty pointer is the whole value (RFC 6901 section 5).
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

// mapPointer turns the pointer of a field into the pointer of its element if the params were
// positional: the peer has to find the place in what it sent.
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
