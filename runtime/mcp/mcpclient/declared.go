package mcpclient

import (
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// recogniser returns the error that a schema declares for what a server answered, or else what was
// answered. It may be nil.
type recogniser func(*runtime.Error) error

// of returns the declared error for err. If err says more than the server's answer does, such as the
// status of HTTP, both are in the chain of the result.
func (declared recogniser) of(err error) error {
	answered, ok := errors.AsType[*runtime.Error](err)
	if declared == nil || !ok {
		return err
	}
	switch e := declared(answered); {
	case e == nil, e == error(answered):
		return err
	case err == error(answered):
		return e
	default:
		return &declaredError{e, err}
	}
}

// declaredError is a declared error with the error that it came in.
type declaredError struct{ declared, cause error }

func (e *declaredError) Error() string   { return e.cause.Error() }
func (e *declaredError) Unwrap() []error { return []error{e.declared, e.cause} }
