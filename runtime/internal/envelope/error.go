package envelope

import "github.com/rpcgen-go/rpcgen/runtime/gen/wire"

// ErrorObject is the error of a response (JSON-RPC 2.0 section 5.1).
type ErrorObject struct {
	Code    int64
	Message string
	Data    wire.Raw // null if there is no data
	HasData bool
}

// DecodeError reads an error object, whose syntax must be valid (JSON-RPC 2.0 section 5.1). It
// skips members that the specification does not define, and reports false if the code or the
// message is missing or has the wrong type.
func DecodeError(b []byte) (e ErrorObject, ok bool) {
	if len(b) == 0 || b[0] != '{' {
		return e, false
	}
	var hasCode, hasMessage bool
	for i := wire.Space(b, 1); b[i] != '}'; {
		name, at := MemberText(b, i)
		end := SkipValid(b, at)
		switch value := b[at:end]; name {
		case "code":
			e.Code, hasCode = wire.PeekAt(value).Int64()
		case "message":
			e.Message, at = wire.Str(b, at)
			hasMessage = at > 0
		case "data":
			e.Data, _ = wire.ParseRaw(value)
			e.HasData = true
		}
		if i = wire.Space(b, end); b[i] == ',' {
			i = wire.Space(b, i+1)
		}
	}
	return e, hasCode && hasMessage
}
