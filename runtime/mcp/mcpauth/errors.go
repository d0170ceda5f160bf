package mcpauth

import (
	"errors"
	"slices"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// Errors that an [*Error] wraps. No error contains a token, a code or a key.
var (
	// ErrBlocked means that a URL or address may not be used: it is not https, or not public, see
	// [Options.AllowPrivate].
	ErrBlocked = errors.New("the address is not allowed")

	// ErrTooLarge means that an answer exceeds [Options.MaxBody].
	ErrTooLarge = errors.New("the answer is over the size limit")

	// ErrMetadata means that a document does not contain what it should.
	ErrMetadata = errors.New("the metadata is not valid")

	// ErrIssuer means that metadata or a redirect names another issuer than expected, or that the
	// client is registered at another one.
	ErrIssuer = errors.New("the issuer is another one")

	// ErrResource means that metadata describes another server than the one that is used.
	ErrResource = errors.New("the metadata is about another resource")

	// ErrRedirect means that a redirect does not belong to the login: its URI or its state differ,
	// or a parameter is repeated.
	ErrRedirect = errors.New("the redirect does not belong to this login")

	// ErrClient means that no client identifier can be had: the authorization server registers
	// none, and none was given.
	ErrClient = errors.New("the client is not registered")

	// ErrScope means that the server requires scopes that were requested before in vain, or requires
	// further ones again and again.
	ErrScope = errors.New("the server still requires scopes after a token with those that it named was issued")

	// ErrRejected means that the server rejects a token that was just issued for it.
	ErrRejected = errors.New("the server rejects a token that was just issued")

	// ErrToken means that an authorization server answered with something else than the requested
	// token.
	ErrToken = errors.New("the answer is not the requested token")

	// ErrClock means that the authorization server rejected a signature with a time, and its clock
	// differs from that of this machine.
	ErrClock = errors.New("the clocks of the client and the server differ")

	// ErrNoGrant means that the server requires a token, and [Options.Grant] is nil.
	ErrNoGrant = errors.New("the server requires a token")
)

// Error says which step of an authorization has failed, and at which URL.
type Error struct {
	Step string // such as "token request"
	URL  string // of the document or endpoint; may be empty
	Err  error  // wraps one of the errors above, a [*ServerError], or a network error
}

func (e *Error) Error() string {
	text := "mcpauth: " + e.Step
	if e.URL != "" {
		text += " " + peerlog.Text(e.URL)
	}
	return text + ": " + peerlog.Error(e.Err).Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// fail returns an error without secrets.
func (f *fetcher) fail(step, url string, err error) *Error {
	return &Error{step, f.secrets.Hide(url), f.secrets.HideError(err)}
}

// word returns a word of a server in a form that may be part of an error.
func (f *fetcher) word(s string) string { return peerlog.Text(f.secrets.Hide(s)) }

// Is reports that the request was not authorized: nothing about the server follows from that.
func (*Error) Is(target error) bool { return target == protocol.ErrNotAuthorized }

// ServerError is an error response of an authorization server (RFC 6749 sections 4.1.2.1 and 5.2,
// RFC 7591 section 3.2.2).
type ServerError struct {
	Status      int    // HTTP status; 0 for a redirect
	Code        string // such as access_denied; empty if the response has none
	Description string // for people; may be empty
}

func (e *ServerError) Error() string {
	text := "the authorization server answered"
	if e.Status != 0 {
		text += " " + strconv.Itoa(e.Status)
	}
	if e.Code != "" {
		text += " " + e.Code
	}
	if e.Description != "" {
		text += ": " + e.Description
	}
	return text
}

// is reports whether err is an error response with one of the codes.
func is(err error, codes ...string) bool {
	answer, ok := errors.AsType[*ServerError](err)
	return ok && slices.Contains(codes, answer.Code)
}
