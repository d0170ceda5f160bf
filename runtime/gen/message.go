package gen

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Redacted stands in logs and error texts for the value of a sensitive field.
const Redacted = "[redacted]"

// MessageText is a field of an error's data as part of its message: the text of a string, the JSON of anything else.
func MessageText[T any](appendJSON func([]byte, T) []byte, v T) string {
	text := appendJSON(nil, v)
	if s, end := wire.Str(text, 0); end == len(text) {
		return s
	}
	return string(text)
}

// MessageOpt is MessageText for a field that may be missing: nothing then.
func MessageOpt[T any](appendJSON func([]byte, T) []byte, v runtime.Opt[T]) string {
	if x, ok := v.Get(); ok {
		return MessageText(appendJSON, x)
	}
	return ""
}

// MessagePointer is MessageText for a field that is held by a pointer.
func MessagePointer[T any](appendJSON func([]byte, T) []byte, v *T) string {
	if v == nil {
		return ""
	}
	return MessageText(appendJSON, *v)
}

// Texts converts texts to a list of another kind of string.
func Texts[L ~[]S, S ~string](texts []string) L {
	list := make(L, len(texts))
	for i, t := range texts {
		list[i] = S(t)
	}
	return list
}
