package runtime

import (
	"math"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Declared returns the declared error, whose decode reads the data of e into it; or e itself when the data do not fit.
func (e *Error) Declared(declared error, decode func(*wire.Reader)) error {
	if err := wire.Unmarshal([]byte(e.Data.String()), decode, nil); err != nil {
		return e
	}
	return declared
}

// Names returns every name there is, or nothing when that is not known.
func (c Condition) Names() []string {
	if c.Available == nil {
		return []string{}
	}
	return c.Available()
}

// TimeoutMillis returns the timeout in milliseconds.
func (c Condition) TimeoutMillis() int64 { return c.Timeout.Milliseconds() }

// RetrySeconds returns when to come back, in whole seconds from now, rounded up.
func (c Condition) RetrySeconds() int64 {
	return int64(math.Ceil(float64(c.RetryAfter) / float64(time.Second)))
}

// MessageText is a field of an error's data as part of its message: the text of a string, the JSON of anything else.
func MessageText[T any](appendJSON func([]byte, T) []byte, v T) string {
	text := appendJSON(nil, v)
	if s, end := wire.Str(text, 0); end == len(text) {
		return s
	}
	return string(text)
}

// MessageOpt is MessageText for a field that may be missing: nothing then.
func MessageOpt[T any](appendJSON func([]byte, T) []byte, v Opt[T]) string {
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
