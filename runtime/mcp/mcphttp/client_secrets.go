package mcphttp

import (
	"net/http"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// clean returns a message of the server without the secrets of the client, if it becomes an error, a record of a log or an unknown method:
// a server may repeat what it was sent. Results and params are data, and stay.
func (c *client) clean(msg []byte) []byte {
	if c.secrets.Empty() {
		return msg
	}
	var inner wire.Peek
	failed := false
	for name, member := range wire.PeekAt(msg).Members() {
		switch name {
		case "error":
			failed = true
		case "result", "params":
			inner = member
		case "method":
			method, _ := member.Text()
			failed = failed || method == "notifications/message" || method != c.secrets.Hide(method)
		}
	}
	if failed || fails(inner) || fails(inner.In("result")) { // of a task
		return c.secrets.HideJSON(msg)
	}
	return msg
}

// fails reports whether the result of a call or the state of a task describes a failure.
func fails(p wire.Peek) bool {
	for name, member := range p.Members() {
		flag, _ := member.Scalar()
		word, _ := member.Text()
		if name == "error" || name == "isError" && flag == "true" || name == "status" && word == "failed" {
			return true
		}
	}
	return false
}

// failure returns the error for a response whose body has been read. It repeats no secrets.
func (c *client) failure(resp *http.Response, body []byte, session bool) error {
	e := &StatusError{Status: resp.StatusCode, session: session}
	if e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden {
		e.Challenge = challengeOf(resp)
		e.Challenge.hide(&c.secrets)
	}
	if e.Err = web.ErrorWithoutID(c.clean(body)); e.Err == nil {
		e.Body = c.secrets.Excerpt(body)
	}
	return e
}

// refusal reads the body of a response, and returns the error for it, or why it cannot be read.
func (c *client) refusal(resp *http.Response, session bool) error {
	body, err := c.body(resp)
	if err != nil {
		return err
	}
	return c.failure(resp, body, session)
}

// hide removes secrets.
func (c *Challenge) hide(s *web.Secrets) {
	c.ResourceMetadata, c.Error, c.Description = s.Hide(c.ResourceMetadata), s.Hide(c.Error), s.Hide(c.Description)
	for i, scope := range c.Scopes {
		c.Scopes[i] = s.Hide(scope)
	}
}
