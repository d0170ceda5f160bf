package runtime

// ErrorInfo describes an error by its code, for logs and people. Generated packages with errors have a function LookupError that returns it for the
// errors of their schema.
type ErrorInfo struct {
	Name       string // in the schema, such as CityNotFound
	Code       int64
	Message    string // text as declared, where {field} stands for a field of the data
	Category   string // the schema's own classification; empty means none
	Severity   string // info, warning, error or critical; empty means none
	HTTPStatus int    // status for HTTP transports; 0 means none
	Retry      bool   // the call may succeed if it is repeated
}

// LookupError returns what JSON-RPC 2.0 section 5.1 says about a code. It reports false for a code that it does not define.
func LookupError(code int64) (info ErrorInfo, ok bool) {
	switch code {
	case CodeParseError:
		return ErrorInfo{Name: "ParseError", Code: code, Message: parseError.Message}, true
	case CodeInvalidRequest:
		return ErrorInfo{Name: "InvalidRequest", Code: code, Message: invalidRequest.Message}, true
	case CodeMethodNotFound:
		return ErrorInfo{Name: "MethodNotFound", Code: code, Message: "Method not found"}, true
	case CodeInvalidParams:
		return ErrorInfo{Name: "InvalidParams", Code: code, Message: "Invalid params"}, true
	case CodeInternalError:
		return ErrorInfo{Name: "InternalError", Code: code, Message: internal.Message}, true
	}
	return ErrorInfo{}, false
}
