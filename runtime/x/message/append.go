package message

import (
	"bytes"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/envelope"
)

// AppendRequest appends a request (JSON-RPC 2.0 section 4). The id is the JSON text of a string or
// number, or null, such as the String of a [runtime.ID]. The params are the JSON text of an object
// or array; nil leaves them out. An invalid part is an error, and dst is returned unchanged.
func AppendRequest(dst, id []byte, method string, params []byte) ([]byte, error) {
	if err := checkID(id); err != nil {
		return dst, err
	}
	b := append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
	return appendCall(dst, append(b, ','), method, params)
}

// AppendNotification appends a notification, which is a request without an id (JSON-RPC 2.0 section
// 4.1), see [AppendRequest].
func AppendNotification(dst []byte, method string, params []byte) ([]byte, error) {
	return appendCall(dst, append(dst, `{"jsonrpc":"2.0",`...), method, params)
}

// appendCall appends the method and the params to b. It returns dst if there is an error.
func appendCall(dst, b []byte, method string, params []byte) ([]byte, error) {
	if method == "" || !utf8.ValidString(method) {
		return dst, &wire.EncodeError{What: "the method must be a text that is not empty"}
	}
	b = wire.AppendString(append(b, `"method":`...), method)
	if params != nil {
		if err := check("the params", params, 1); err != nil {
			return dst, err
		}
		if c := params[wire.Space(params, 0)]; c != '{' && c != '[' {
			return dst, &wire.EncodeError{What: "the params must be an object or an array"}
		}
		b = appendValue(append(b, `,"params":`...), params)
	}
	return append(b, '}'), nil
}

// AppendResult appends the response to a request that succeeded (JSON-RPC 2.0 section 5). The id
// must be that of the request. The result is any JSON text; a method without a result answers {}. An
// invalid part is an error, and dst is returned unchanged.
func AppendResult(dst, id, result []byte) ([]byte, error) {
	if err := checkID(id); err != nil {
		return dst, err
	}
	if err := check("the result", result, 1); err != nil {
		return dst, err
	}
	b := append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
	b = appendValue(append(b, `,"result":`...), result)
	return append(b, '}'), nil
}

// AppendError appends the response to a request that failed (JSON-RPC 2.0 section 5.1). A nil id,
// for a request whose id could not be read, is written as null. An invalid part is an error, and dst
// is returned unchanged.
func AppendError(dst, id []byte, o runtime.ErrorObject) (all []byte, err error) {
	all = dst
	defer wire.CatchEncodeError(&err)
	if id == nil {
		id = []byte("null")
	}
	if err := checkID(id); err != nil {
		return dst, err
	}
	if o.AppendData != nil {
		data := o.AppendData(nil)
		if err := check("the data of the error", data, 2); err != nil {
			return dst, err
		}
		o.AppendData = func(b []byte) []byte { return appendValue(b, data) }
	}
	b := append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
	return append(o.AppendJSON(append(b, `,"error":`...)), '}'), nil
}

// AppendBatch appends a batch of messages (JSON-RPC 2.0 section 6). No message, or one that is not
// valid, is an error, and dst is returned unchanged.
func AppendBatch(dst []byte, messages ...[]byte) ([]byte, error) {
	if len(messages) == 0 {
		return dst, &wire.EncodeError{What: "a batch must have a message"}
	}
	b := append(dst, '[')
	element := Parser{Protocol: runtime.Plain, MaxDepth: wire.MaxDepth - 1}
	for i, m := range messages {
		if _, err := element.Parse(m); err != nil {
			return dst, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, m)
	}
	return append(b, ']'), nil
}

// appendValue appends a JSON text on one line, because transports may separate messages by line ends.
func appendValue(b, text []byte) []byte {
	if !bytes.ContainsAny(text, "\r\n") {
		return append(b, text...)
	}
	raw, _ := wire.ParseRaw(text) // which was checked
	return wire.AppendRaw(b, raw)
}

// check returns an error unless text is a JSON text that may stand so many levels deep in a message.
func check(what string, text []byte, level int) error {
	if err := wire.Check(text, wire.MaxDepth-level); err != nil {
		return &wire.EncodeError{What: what + ": " + err.Error()}
	}
	return nil
}

// checkID returns an error unless id is a valid id.
func checkID(id []byte) error {
	if envelope.SkipID(id, 0, true) != len(id) || len(id) == 0 {
		return &wire.EncodeError{What: "the id must be a string, a number or null"}
	}
	return nil
}
