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
