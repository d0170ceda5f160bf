package peerlog

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of texts in a record, in bytes.
const (
	MaxText  = 100 // of a name, id or other word of a peer
	MaxError = 500 // of an error, which may quote a peer
)

// Clip shortens text of a peer for use in an error or an answer, to about [MaxText] bytes.
func Clip(s string) string {
	if len(s) > MaxText {
		return Cut(s, MaxText) + "..."
	}
	return s
}

// Text returns text of a peer in a form that may be logged: at most [MaxText] bytes, with escapes
// for what is not printable.
func Text(s string) string { return truncate(s, MaxText) }

// Error returns err with a text that may be logged: at most [MaxError] bytes, with escapes for what
// is not printable. An error that implements [slog.LogValuer] is returned unchanged.
func Error(err error) error {
	if _, ok := err.(slog.LogValuer); ok || err == nil {
		return err
	}
	text := err.Error()
	if short := truncate(text, MaxError); short != text {
		return &limitedError{err, short}
	}
	return err
}

// Value returns any value, such as that of a panic, as text that may be logged, see [Error].
func Value(v any) string { return truncate(fmt.Sprint(v), MaxError) }

// Stack is a stack of this program, which is logged as it is.
type Stack string

// limitedError is an error with another text.
type limitedError struct {
	error
	text string
}

func (e *limitedError) Error() string { return e.text }
func (e *limitedError) Unwrap() error { return e.error }

// clean returns args with texts and errors in a form that may be logged.
func clean(args []any) []any {
	for i, a := range args {
		switch a := a.(type) {
		case string:
			args[i] = Text(a)
		case error:
			args[i] = Error(a)
		}
	}
	return args
}

// truncate returns at most max bytes of s, with escapes for what is not printable, and "..." if s is
// longer.
func truncate(s string, max int) string {
	short := Cut(s, max)
	more := len(short) < len(s)
	if !utf8.ValidString(short) || strings.ContainsFunc(short, func(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }) {
		q := strconv.Quote(short)
		q = q[1 : len(q)-1]
		short = Cut(q, max)
		more = more || len(short) < len(q)
	}
	if more {
		short += "..."
	}
	return short
}

// Cut returns at most max bytes of s, cut between characters.
func Cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}
