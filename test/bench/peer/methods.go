package peer

import (
	"context"
	"encoding/json"

	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// params are what a library gives its handlers to read params with.
type params interface{ UnmarshalParams(v any) error }

// raw are params of libraries that hand out bytes.
type raw struct{ json.RawMessage }

// UnmarshalParams reads the params.
func (r *raw) UnmarshalParams(v any) error { return json.Unmarshal(r.RawMessage, v) }

// methods are the handlers for the JSON-RPC libraries, which all read and write with encoding/json.
var methods = map[string]func(params) (any, *work.Failure){
	work.MethodCurrent:  method(work.Current),
	work.MethodForecast: method(work.WeekForecast),
	work.MethodList:     method(work.AllItems),
	work.MethodEcho:     method(work.Echo),
}

func method[P, T any, CP checked[P], CT checked[T]](handle func(*P) T) func(params) (any, *work.Failure) {
	return func(source params) (any, *work.Failure) {
		var p P
		if err := source.UnmarshalParams(&p); err != nil {
			return nil, work.BadParams(err)
		}
		var vs rule.Violations
		if CP(&p).Check(&vs); vs.Len() > 0 {
			return nil, work.InvalidParams(&vs)
		}
		result := handle(&p)
		if CT(&result).Check(&vs); vs.Len() > 0 {
			return nil, work.Internal
		}
		return &result, nil
	}
}

// call runs the method of that name.
func call(name string, source params) (any, *work.Failure) {
	if m, ok := methods[name]; ok {
		return m(source)
	}
	return nil, work.MethodNotFound(name)
}

// data returns the data of an error as JSON; nil: it has none.
func data(f *work.Failure) json.RawMessage {
	if f.Data == nil {
		return nil
	}
	b, err := json.Marshal(f.Data)
	if err != nil {
		return nil
	}
	return b
}

// checkCall checks both sides of a call, as generated clients do.
func checkCall[P, T any, CP checked[P], CT checked[T]](p CP, call func(CT) error) (result T, err error) {
	var vs rule.Violations
	if p.Check(&vs); vs.Len() > 0 {
		return result, vs.Err()
	}
	if err := call(&result); err != nil {
		return result, err
	}
	CT(&result).Check(&vs)
	return result, vs.Err()
}

// checkService checks the rules of params and result around the service.
func checkService[P, T any, CP checked[P], CT checked[T]](p CP, handle func(CP) T) (T, error) {
	return checkCall(p, func(result CT) error {
		*result = handle(p)
		return nil
	})
}

// checkingCaller is a caller with a client that checks no rules by itself.
func checkingCaller(name string, call func(ctx context.Context, p *work.CurrentParams, r *work.Report) error, stop func()) Caller {
	return Caller{Name: name, Close: stop, Call: func(ctx context.Context, p *work.CurrentParams) (work.Report, error) {
		return checkCall(p, func(r *work.Report) error { return call(ctx, p, r) })
	}}
}
