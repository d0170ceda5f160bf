package mcp

import (
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Info returns the constant properties of the server.
func (s *Server) Info() Info { return *s.info }

// Logger returns the logger of the server's options.
func (s *Server) Logger() *slog.Logger { return s.log }

// Revisions returns the revisions that the server serves, newest first.
func (s *Server) Revisions() []string { return slices.Clone(s.revisions) }

// Protocol implements [runtime.Handler].
func (s *Server) Protocol() runtime.Protocol {
	return runtime.Protocol{Name: s.info.Name, Revision: s.revisions[0], OmitID: true, Batch: s.opts.Batches}
}

// Condition implements [runtime.Handler]. Some default codes of package runtime are reserved in
// MCP; they are replaced here.
func (s *Server) Condition(c runtime.Condition) error {
	switch c.Kind {
	case when.MethodNotFound:
		if s.methods != nil && c.Available != nil {
			return s.methodNotFound(c)
		}
	case when.Timeout:
		return s.declaredError(c, &fault{CodeTimeout, 504, "Request timed out", nil})
	case when.Overloaded:
		return s.declaredError(c, &fault{CodeOverloaded, 503, withReason("Overloaded", c.Reason), nil})
	case when.Forbidden:
		return s.declaredError(c, &fault{codeForbidden, 403, "Forbidden", c.MissingData})
	case when.RateLimited:
		return s.declaredError(c, &fault{CodeRateLimited, 429, withReason("Rate limited", c.Reason), c.LimitData()})
	}
	err := s.declaredError(c, nil)
	if err == nil {
		return nil
	}
	return withStatus(err, conditionStatus(c.Kind))
}

// methodNotFound returns the error for a method that neither MCP nor the server's own methods have.
func (s *Server) methodNotFound(c runtime.Condition) error {
	all := append(c.Available(), strings.Split(s.served[bothEras], "\n")...)
	c.Available = func() []string { return all }
	c.Suggestion = violation.Closest(c.Method, all)
	return s.declaredError(c, notFoundError(404, runtime.CodeMethodNotFound, "Method not found", "", "", c.Suggestion))
}

// conditionStatus returns the HTTP status of a condition whose default error is that of package
// runtime, or 0 if it has none.
func conditionStatus(kind when.Kind) int {
	switch kind {
	case when.MethodNotFound:
		return 404
	case when.BatchTooLarge, when.BudgetExceeded, when.AlreadyInitialized, when.NotInitialized, when.ShutDown, when.UnsupportedVersion:
		return 400
	}
	return 0
}

// withReason appends the reason to a message, if one is known.
func withReason(message, reason string) string {
	if reason == "" {
		return message
	}
	return message + ": " + reason
}

// declaredError returns the error that the schema declares for c, or other if it declares none. A declared
// error without an HTTP status has that of other.
func (s *Server) declaredError(c runtime.Condition, other error) error {
	err := s.declarations.Condition(c)
	if err == nil {
		return other
	}
	if usual, ok := other.(*fault); ok {
		return withStatus(err, usual.status)
	}
	return err
}

// withStatus returns an error with the HTTP status, which is err if it has one or the status is 0.
func withStatus(err error, status int) error {
	coder, ok := errors.AsType[runtime.Coder](err)
	if !ok || status == 0 || coder.RPCError().HTTPStatus != 0 {
		return err
	}
	return &statusError{coder, status}
}

// statusError is an error with an HTTP status.
type statusError struct {
	runtime.Coder
	status int
}

// RPCError implements [runtime.Coder].
func (e *statusError) RPCError() runtime.ErrorObject {
	o := e.Coder.RPCError()
	o.HTTPStatus = e.status
	return o
}

// Unwrap returns the error that the schema declares.
func (e *statusError) Unwrap() error { return e.Coder }

// mapError prevents handlers from answering with reserved codes (basic, Error Codes), and gives
// unknown methods their HTTP status.
func (s *Server) mapError(o runtime.ErrorObject) runtime.ErrorObject {
	if o.Code == runtime.CodeMethodNotFound && o.HTTPStatus == 0 {
		o.HTTPStatus = 404
	}
	if !s.forbidden(o) {
		return o
	}
	s.log.Error("a handler answered with a reserved code", "code", o.Code, "message", peerlog.Text(o.Message))
	return runtime.ErrorObject{Code: runtime.CodeInternalError, Message: "Internal error"}
}

// forbidden reports whether handlers must not answer with o: JSON-RPC reserves its code, neither
// JSON-RPC 2.0 nor MCP define it for use by handlers, and the schema does not use it on purpose.
func (s *Server) forbidden(o runtime.ErrorObject) bool {
	return o.Category != ownCategory && isReserved(o.Code) && !slices.Contains(s.info.ReservedCodes, o.Code)
}

// available returns the function that returns names, which are newline-separated. The last one is
// kept, so that most requests for something that does not exist cost no allocation for it.
func (s *Server) available(names string) func() []string {
	last := s.names.Load()
	if last == nil || last.names != names {
		last = &nameList{names, func() []string { return violation.Names(names) }}
		s.names.Store(last)
	}
	return last.all
}
