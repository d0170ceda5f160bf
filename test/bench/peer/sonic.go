package peer

import (
	"encoding/json"
	"reflect"
	"unsafe"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// Sonic is a server written by hand on sonic as it comes.
func Sonic() Dispatcher {
	pretouch[json.RawMessage]()
	h := &hand[json.RawMessage]{unmarshal: sonic.Unmarshal, append: appendSonic(0)}
	return Dispatcher{Name: "sonic", Dispatch: h.dispatch}
}

// SonicTuned is the same with all that makes sonic faster and less strict: the fastest configuration, raw values and strings that
// share the message, no copy of the message.
func SonicTuned() Dispatcher {
	pretouch[sonic.NoCopyRawMessage]()
	h := &hand[sonic.NoCopyRawMessage]{
		unmarshal: func(b []byte, v any) error {
			return sonic.ConfigFastest.UnmarshalFromString(unsafe.String(unsafe.SliceData(b), len(b)), v)
		},
		append: appendSonic(encoder.NoQuoteTextMarshaler | encoder.NoValidateJSONMarshaler),
	}
	return Dispatcher{Name: "sonic, tuned", Dispatch: h.dispatch}
}

func appendSonic(opts encoder.Options) func(dst []byte, v any) ([]byte, error) {
	return func(dst []byte, v any) ([]byte, error) {
		err := encoder.EncodeInto(&dst, v, opts)
		return dst, err
	}
}

// pretouch compiles what is decoded and encoded, so that no call pays for it.
func pretouch[R ~[]byte]() {
	for _, t := range []reflect.Type{
		reflect.TypeFor[request[R]](), reflect.TypeFor[[]request[R]](), reflect.TypeFor[failure[R]](),
		reflect.TypeFor[work.CurrentParams](), reflect.TypeFor[reply[R, work.Report]](),
		reflect.TypeFor[work.ForecastParams](), reflect.TypeFor[reply[R, work.Forecast]](),
		reflect.TypeFor[work.ListParams](), reflect.TypeFor[reply[R, work.List]](),
		reflect.TypeFor[work.EchoParams](), reflect.TypeFor[reply[R, work.Text]](),
		reflect.TypeFor[work.ParamsData](), reflect.TypeFor[work.Suggestion](),
	} {
		if err := sonic.Pretouch(t); err != nil {
			panic(err)
		}
	}
}
