package mcphttp

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
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

// Is reports that a 404 in a session is [ErrSessionOver], and that a request that was answered 401 or
// 403 is not authorized.
func (e *StatusError) Is(target error) bool {
	switch e.Status {
	case http.StatusNotFound:
		return target == ErrSessionOver && e.session
	case http.StatusUnauthorized, http.StatusForbidden:
		return target == protocol.ErrNotAuthorized
	case http.StatusServiceUnavailable:
		return target == protocol.ErrOverloaded
	}
	return false
}

// Unwrap returns the error in the body, or nil.
func (e *StatusError) Unwrap() error {
	if e.Err == nil {
		return nil
	}
	return e.Err
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
	for _, one := range web.Challenges(resp.Header["Www-Authenticate"]) {
		if one.Scheme == "bearer" {
			c.ResourceMetadata, c.Scopes = one.Params["resource_metadata"], strings.Fields(one.Params["scope"])
			c.Error, c.Description = one.Params["error"], one.Params["error_description"]
		}
	}
	return c
}
