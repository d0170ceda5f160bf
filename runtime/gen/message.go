package gen

import "github.com/rpcgen-go/rpcgen/runtime/gen/wire"

// Redacted replaces the value of a sensitive field in logs and error texts.
const Redacted = "[redacted]"

// MessageText returns a field of an error's data for use in the error message: the text of a
// string, or the JSON of any other value.
func MessageText[T any](appendJSON func([]byte, T) []byte, v T) string {
	text := appendJSON(nil, v)
	if s, end := wire.Str(text, 0); end == len(text) {
		return s
	}
	return string(text)
}

// Texts converts a list of strings to a list of another string type.
func Texts[L ~[]S, S ~string](texts []string) L {
	list := make(L, len(texts))
	for i, t := range texts {
		list[i] = S(t)
	}
	return list
}
