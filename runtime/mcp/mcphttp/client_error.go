package mcphttp

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
)

// ErrSessionOver is wrapped by errors of calls whose session the server does not know any more: the client is to begin again
// (2025-11-25, basic/transports, Session Management).
var ErrSessionOver = protocol.ErrSessionOver

// StatusError says that the server answered with a status that is none of success, and that no response to the message came with it.
type StatusError struct {
	Status    int            // of HTTP
	Err       *runtime.Error // that came in the body without the message's id; nil: none did
	Body      string         // the beginning of the body, when it was no such error
	Challenge *Challenge     // of a 401 or 403; nil: there was none
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

// Is tells that a 404 in a session is [ErrSessionOver].
func (e *StatusError) Is(target error) bool {
	return target == ErrSessionOver && e.session && e.Status == http.StatusNotFound
}

// Unwrap returns the error that the server answered, if any.
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

// Challenge is what a server says that refuses a token, or wants one (RFC 6750 section 3, RFC 9728 section 5.1).
type Challenge struct {
	Status           int      // of HTTP: 401 or 403
	ResourceMetadata string   // the URL that says who issues tokens; empty: it is not told
	Scopes           []string // that are needed; none: it is not told
	Error            string   // such as invalid_token or insufficient_scope; empty: there was no token
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

// authValue reads a token or a quoted text, and returns what follows.
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
