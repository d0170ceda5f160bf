package peer

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// hand is a server written by hand on top of a JSON library: what encoding/json and sonic have in common. R is the type of JSON that is kept as it is.
type hand[R ~[]byte] struct {
	unmarshal func(b []byte, v any) error
	append    func(dst []byte, v any) ([]byte, error) // v is a pointer
}

type request[R ~[]byte] struct {
	JSONRPC string `json:"jsonrpc"`
	ID      R      `json:"id"`
	Method  string `json:"method"`
	Params  R      `json:"params"`
}

type reply[R ~[]byte, T any] struct {
	JSONRPC string `json:"jsonrpc"`
	ID      R      `json:"id"`
	Result  *T     `json:"result"`
}

type failure[R ~[]byte] struct {
	JSONRPC string        `json:"jsonrpc"`
	ID      R             `json:"id"`
	Error   *work.Failure `json:"error"`
}

// checked is a pointer to a T with rules.
type checked[T any] interface {
	*T
	Check(vs *rule.Violations)
}

func (h *hand[R]) dispatch(_ context.Context, dst, msg []byte) []byte {
	if len(msg) > 0 && msg[0] == '[' {
		return h.batch(dst, msg)
	}
	var q request[R]
	if err := h.unmarshal(msg, &q); err != nil {
		return h.fail(dst, R("null"), work.ParseError)
	}
	return h.route(dst, &q)
}

// batch reads the elements in one go.
func (h *hand[R]) batch(dst, msg []byte) []byte {
	var all []request[R]
	if err := h.unmarshal(msg, &all); err != nil {
		return h.fail(dst, R("null"), work.ParseError)
	}
	for i := range all {
		if i == 0 {
			dst = append(dst, '[')
		} else {
			dst = append(dst, ',')
		}
		dst = h.route(dst, &all[i])
	}
	return append(dst, ']')
}

func (h *hand[R]) route(dst []byte, q *request[R]) []byte {
	if q.JSONRPC != "2.0" || len(q.ID) == 0 || q.Method == "" {
		return h.fail(dst, R("null"), work.InvalidRequest)
	}
	switch q.Method {
	case work.MethodCurrent:
		return serve(h, dst, q, work.Current)
	case work.MethodForecast:
		return serve(h, dst, q, work.WeekForecast)
	case work.MethodList:
		return serve(h, dst, q, work.AllItems)
	case work.MethodEcho:
		return serve(h, dst, q, work.Echo)
	}
	return h.fail(dst, q.ID, work.MethodNotFound(q.Method))
}

func serve[R ~[]byte, P, T any, CP checked[P], CT checked[T]](h *hand[R], dst []byte, q *request[R], handle func(*P) T) []byte {
	var p P
	if err := h.unmarshal(q.Params, &p); err != nil {
		return h.fail(dst, q.ID, work.BadParams(err))
	}
	var vs rule.Violations
	if CP(&p).Check(&vs); vs.Len() > 0 {
		return h.fail(dst, q.ID, work.InvalidParams(&vs))
	}
	result := handle(&p)
	if CT(&result).Check(&vs); vs.Len() > 0 {
		return h.fail(dst, q.ID, work.Internal)
	}
	answer, err := h.append(dst, &reply[R, T]{"2.0", q.ID, &result})
	if err != nil {
		return h.fail(dst, q.ID, work.Internal)
	}
	return answer
}

func (h *hand[R]) fail(dst []byte, id R, f *work.Failure) []byte {
	answer, err := h.append(dst, &failure[R]{"2.0", id, f})
	if err != nil {
		return dst
	}
	return answer
}
