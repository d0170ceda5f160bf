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
	h := &hand[sonic.NoCopyRawMessage]{unmarshal: sharing(sonic.ConfigFastest), append: appendSonic(tuned)}
	return Dispatcher{Name: "sonic, tuned", Dispatch: h.dispatch}
}

// tuned are the options of the encoder that is less strict.
const tuned = encoder.NoQuoteTextMarshaler | encoder.NoValidateJSONMarshaler

// sharing reads without a copy: strings share the message.
func sharing(api sonic.API) func(b []byte, v any) error {
	return func(b []byte, v any) error {
		return api.UnmarshalFromString(unsafe.String(unsafe.SliceData(b), len(b)), v)
	}
}

func appendSonic(opts encoder.Options) func(dst []byte, v any) ([]byte, error) {
	return func(dst []byte, v any) ([]byte, error) {
		err := encoder.EncodeInto(&dst, v, opts)
		return dst, err
	}
}

// pretouch compiles what is decoded and encoded, so that no call pays for it.
func pretouch[R ~[]byte]() {
	compile(
		reflect.TypeFor[request[R]](), reflect.TypeFor[[]request[R]](), reflect.TypeFor[failure[R]](),
		reflect.TypeFor[work.CurrentParams](), reflect.TypeFor[reply[R, work.Report]](),
		reflect.TypeFor[work.ForecastParams](), reflect.TypeFor[reply[R, work.Forecast]](),
		reflect.TypeFor[work.ListParams](), reflect.TypeFor[reply[R, work.List]](),
		reflect.TypeFor[work.EchoParams](), reflect.TypeFor[reply[R, work.Text]](),
		reflect.TypeFor[work.ParamsData](), reflect.TypeFor[work.Suggestion](),
	)
}

func compile(types ...reflect.Type) {
	for _, t := range types {
		must(sonic.Pretouch(t))
	}
}
