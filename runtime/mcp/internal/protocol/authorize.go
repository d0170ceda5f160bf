package protocol

import "errors"

// ErrNotAuthorized is matched by errors of a transport that could not authorize a request. The
// server has not seen the request, so the error says nothing about what it supports.
var ErrNotAuthorized = errors.New("the request is not authorized")
