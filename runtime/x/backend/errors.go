package backend

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/report"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// Kind says how a call failed.
type Kind string

// The kinds of failures.
const (
	Refused     Kind = "refused"     // the API answered with an error
	Denied      Kind = "denied"      // the API did not accept the credential, or there is none
	Unreachable Kind = "unreachable" // there was no answer
	Odd         Kind = "odd"         // the answer does not have the declared form
	Busy        Kind = "busy"        // too many calls at once, or the API asks to wait
)

// Error is the failure of a call. Its text is for models: it holds what the API says, without control characters and at most 2,000 bytes of
// it. The credentials that the call has sent are replaced by [secret] if the API repeats them, in any spelling, and have 6 bytes or more.
type Error struct {
	Kind   Kind
	Status int // of the answer; 0 if there was none
	Text   string
	Cause  error // for logs; may be nil
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Cause }

// ToolError implements mcp.ToolError.
func (*Error) ToolError() string { return "BackendError" }

// AppendData implements mcp.ToolError: {"kind", "status"}.
func (e *Error) AppendData(b []byte) []byte {
	b = wire.AppendString(append(b, `{"kind":`...), string(e.Kind))
	if e.Status != 0 {
		b = strconv.AppendInt(append(b, `,"status":`...), int64(e.Status), 10)
	}
	return append(b, '}')
}

// argumentError means that arguments have no place in a request.
type argumentError struct{ broken violation.Error }

func (e *argumentError) Error() string { return "invalid arguments: " + e.broken.Error() }
func (e *argumentError) Unwrap() error { return &e.broken }

// ToolError implements mcp.ToolError; the name is mcp.InvalidArguments.
func (*argumentError) ToolError() string { return "InvalidArguments" }

// AppendData implements mcp.ToolError.
func (e *argumentError) AppendData(b []byte) []byte {
	return append(report.Append(b, e.broken.Violations, e.broken.Dropped, ""), '}')
}

type toolError = mcp.ToolError

// shownError is a declared error whose text an API has made long, or has put control characters in.
type shownError struct {
	toolError
	text string
}

func (e *shownError) Error() string { return e.text }
func (e *shownError) Unwrap() error { return e.toolError }

// modelError is a declared error with a text that a model can be shown.
func modelError(declared error) error {
	is, ok := declared.(toolError)
	if !ok {
		return declared
	}
	text := is.Error()
	if safe := clean(text, maxShown); safe != text {
		return &shownError{is, safe}
	}
	return declared
}

// invalid is the error for a member of the input that has no place in the request. It does not repeat the value, which may be sensitive.
func invalid(field, rule, expected string) error {
	return &argumentError{violation.Error{Violations: []violation.Violation{{Pointer: "/" + violation.EscapePointer(field), Rule: rule, Expected: expected}}}}
}

// The greatest number of bytes of an answer that an error shows, and that a deviation keeps.
const (
	maxShown = 2000
	maxKept  = 500
)

// clean returns at most most bytes of a text of an API, with control characters escaped.
func clean(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	cut := len(s) > most
	if cut {
		s = s[:most]
		for len(s) > 0 && !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	if cut {
		b.WriteString(" ...")
	}
	return b.String()
}

// status is a status with its text: 404 Not Found.
func status(code int) string {
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

// refusalError is the error for an answer with a status that the schema does not declare.
func (c *Client) refusalError(q *request, a *answer) error {
	switch {
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		return &Error{Kind: Denied, Status: a.status, Text: "the API did not accept the credential of the call (" + status(a.status) + ")" + c.schemesOf(q.call)}
	case a.status >= 300 && a.status < 400:
		return &Error{Kind: Refused, Status: a.status, Text: "the API answered with a redirect (" + status(a.status) + ") that is not followed"}
	}
	text := "the API refused the call (" + status(a.status) + ")"
	if a.status >= 500 {
		text = "the API failed (" + status(a.status) + ")"
	}
	if said := c.excerptOfError(q, a); said != "" {
		text += ": " + said
	}
	if wait := a.wait; wait > 0 {
		text += fmt.Sprintf("; the API asks to wait %d s", int(wait.Seconds()+0.5))
	}
	kind := Refused
	if a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable {
		kind = Busy
	}
	return &Error{Kind: kind, Status: a.status, Text: text}
}

// excerptOfError is what the body of an error says, without what the call has sent.
func (c *Client) excerptOfError(q *request, a *answer) string {
	secrets := q.secrets()
	if wire.Check(a.body, wire.MaxDepth) == nil {
		root := wire.PeekAt(a.body)
		message, details := secrets.Hide(plainText(c.message.find(root))), secrets.Hide(plainText(c.details.find(root)))
		switch {
		case message != "" && details != "":
			return clean(message, maxShown/2) + "; " + clean(strings.TrimSuffix(lastName(c.api.Details), "."), 100) + ": " + clean(details, maxShown/2)
		case message != "" || details != "":
			return clean(message+details, maxShown)
		}
		return clean(secrets.Hide(string(a.body)), maxKept)
	}
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/plain") {
		return clean(secrets.Hide(strings.TrimSpace(string(a.body))), maxKept)
	}
	return ""
}

// lastName is the last name of a path.
func lastName(path string) string {
	if steps, err := parsePath(path); err == nil && len(steps) > 0 && steps[len(steps)-1].name != "" {
		return steps[len(steps)-1].name
	}
	return "details"
}

// plainText is the text of a value: of a string what it holds, of a list of scalars these, of everything else its JSON, and of nothing and null nothing.
func plainText(p wire.Peek) string {
	if text, ok := p.Text(); ok {
		return text
	}
	if p.Kind() == wire.Array {
		if texts, ok := scalars(p); ok {
			return strings.Join(texts, "; ")
		}
	}
	if k := p.Kind(); k == wire.Invalid || k == wire.Null {
		return ""
	}
	return strings.TrimSpace(string(p.JSON()))
}

// odd is the error for an answer that does not have the declared form.
func odd(q *request, a *answer, why string) error {
	call, secrets := q.call, q.secrets()
	why = secrets.hide(why)
	text := "The call was carried out (HTTP " + strconv.Itoa(a.status) + "). Its answer does not have the declared form"
	if call.Method == http.MethodGet || call.Method == http.MethodHead {
		text = "The answer (HTTP " + strconv.Itoa(a.status) + ") does not have the declared form"
	}
	text += " (" + clean(why, maxKept) + ")"
	if len(a.body) == 0 {
		text += ": it is empty"
	} else if utf8.Valid(a.body) && !bytes.ContainsRune(a.body, 0) {
		text += ": " + clean(secrets.HideCut(string(a.body), ""), maxShown)
	}
	return &Error{Kind: Odd, Status: a.status, Text: text, Cause: errors.New(why)}
}
