package mcphttp

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
)

// ErrSessionOver is wrapped by errors of calls whose session the server does not know any more. The
// client has to begin a new session (2025-11-25, basic/transports, Session Management).
var ErrSessionOver = protocol.ErrSessionOver

// StatusError means that the server answered with an HTTP status other than success, and without a
// response to the message.
type StatusError struct {
	Status    int            // HTTP status
	Err       *runtime.Error // error in the body without the id of the message; may be nil
	Body      string         // the beginning of the body if it is not such an error
	Challenge *Challenge     // of a 401 or 403; may be nil
	session   bool           // the message belonged to a session
}

func (e *StatusError) Error() string {
	text := "mcphttp: the server answered " + strconv.Itoa(e.Status) + " " + http.StatusText(e.Status)
	switch {
	case e.Err != nil:
		text += ": " + e.Err.Error()
	case e.Body != "":
		text += ": " + e.Body
	}
	return text
}

// Is reports that a 404 in a session is [ErrSessionOver].
func (e *StatusError) Is(target error) bool {
	return target == ErrSessionOver && e.session && e.Status == http.StatusNotFound
}

// Unwrap returns the error in the body, or nil.
func (e *StatusError) Unwrap() error {
	if e.Err == nil {
		return nil
	}
	return e.Err
}

// failure returns the error for a response whose body has been read.
func failure(resp *http.Response, body []byte, session bool) error {
	e := &StatusError{Status: resp.StatusCode, session: session}
	if e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden {
		e.Challenge = challengeOf(resp)
	}
	if e.Err = web.ErrorWithoutID(body); e.Err == nil {
		e.Body = web.Clip(strings.ToValidUTF8(strings.TrimSpace(string(body)), "?"))
	}
	return e
}

// Challenge is what a server says when it rejects or requires a token (RFC 6750 section 3, RFC 9728
// section 5.1).
type Challenge struct {
	Status           int      // HTTP status: 401 or 403
	ResourceMetadata string   // URL of the metadata that names the issuers; may be empty
	Scopes           []string // required scopes; may be empty
	Error            string   // such as invalid_token or insufficient_scope; empty if no token was sent
	Description      string   // for people
}

// challengeOf reads the header WWW-Authenticate, as far as it is about bearer tokens.
func challengeOf(resp *http.Response) *Challenge {
	c := &Challenge{Status: resp.StatusCode}
	for _, value := range resp.Header["Www-Authenticate"] {
		scheme, rest, _ := strings.Cut(strings.TrimSpace(value), " ")
		if !strings.EqualFold(scheme, "Bearer") {
			continue
		}
		for name, param := range authParams(rest) {
			switch strings.ToLower(name) {
			case "resource_metadata":
				c.ResourceMetadata = param
			case "scope":
				c.Scopes = strings.Fields(param)
			case "error":
				c.Error = param
			case "error_description":
				c.Description = param
			}
		}
	}
	return c
}

// authParams yields the parameters of a challenge: name=token or name="text" (RFC 9110 section 11.2).
func authParams(s string) func(yield func(name, value string) bool) {
	return func(yield func(string, string) bool) {
		for s = strings.TrimLeft(s, " \t,"); s != ""; s = strings.TrimLeft(s, " \t,") {
			name, rest, ok := strings.Cut(s, "=")
			if !ok {
				return
			}
			var value string
			value, s = authValue(strings.TrimLeft(rest, " \t"))
			if !yield(strings.TrimSpace(name), value) {
				return
			}
		}
	}
}

// authValue reads a token or a quoted string, and returns the rest.
func authValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, " \t,")
		if end < 0 {
			return s, ""
		}
		return s[:end], s[end:]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}
