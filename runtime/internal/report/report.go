// Package report writes violations as the data of an error.
//
//test:by ./runtime
//test:by ./runtime/x/backend
package report

import (
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Append appends an object with the members detail and violations, without the closing
// brace: the caller may add members. The argument keys holds the names of the fields in the order of positional params,
// newline-separated; it is empty if the params were an object.
func Append(b []byte, all []violation.Violation, dropped int, keys string) []byte {
	b = append(b, `{"detail":`...)
	if len(all) > 0 {
		first := all[0]
		first.Pointer = mapPointer(first.Pointer, keys)
		b = appendDetail(b, &first, len(all)-1+dropped)
	} else {
		b = wire.AppendString(b, "params do not fit the schema")
	}
	b = append(b, `,"violations":[`...)
	for i := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendViolation(b, &all[i], keys)
	}
	return append(b, ']')
}

// appendDetail appends one sentence that says what is wrong: the first violation, and how many more
// there are.
func appendDetail(b []byte, first *violation.Violation, more int) []byte {
	var short [256]byte
	text := first.Append(short[:0])
	if more > 0 {
		text = append(text, " (and "...)
		text = append(strconv.AppendInt(text, int64(more), 10), " more)"...)
	}
	return wire.AppendQuoted(b, text)
}

// appendViolation appends v as an object without its empty members. The pointer is always present,
// because an empty pointer is the whole value (RFC 6901 section 5).
func appendViolation(b []byte, v *violation.Violation, keys string) []byte {
	b = append(b, `{"pointer":`...)
	b = wire.AppendString(b, mapPointer(v.Pointer, keys))
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
	return wire.AppendString(append(b, name...), value)
}

// mapPointer turns the pointer of a field into the pointer of its element if the params were
// positional: the peer has to find the place in what it sent.
func mapPointer(pointer, keys string) string {
	if keys == "" || pointer == "" {
		return pointer
	}
	first, rest, nested := strings.Cut(pointer[1:], "/")
	i := 0
	for key := range strings.SplitSeq(keys, "\n") {
		if violation.EscapePointer(key) == first {
			pointer = "/" + strconv.Itoa(i)
			if nested {
				pointer += "/" + rest
			}
			break
		}
		i++
	}
	return pointer
}
