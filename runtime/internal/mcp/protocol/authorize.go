package protocol

import "errors"

// ErrNotAuthorized is matched by errors of a transport whose request was not authorized: there was no
// token for it, or the server has rejected it because of that. The error says nothing about what the
// server supports.
var ErrNotAuthorized = errors.New("the request is not authorized")

// ErrOverloaded is matched by errors of a transport whose request the server, or what is before it, cannot serve at present.
var ErrOverloaded = errors.New("the server is overloaded")
