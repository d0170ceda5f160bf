// Package weather is written by hand in the form of generated code for a small schema. The tests of
// the runtime and of its transports use it.
package weather

import (
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

const _ = gen.API1

// CurrentParams are the params of weather/current, weather/slow and weather/watch.
type CurrentParams struct {
	City string
	Days int64
}

const currentParamsKeys = "city\ndays"

// DecodeJSON reads the params.
func (v *CurrentParams) DecodeJSON(r *wire.Reader) {
	*v = CurrentParams{}
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if r.Key(&o, 0, `"city":`) {
			v.City = r.String()
		}
		if r.Key(&o, 1, `"days":`) {
			v.Days = r.Int64()
		}
		r.Reject(&o, currentParamsKeys)
	}
	r.Need(&o, 0b1, currentParamsKeys)
}

// AppendJSON appends the params.
func (v CurrentParams) AppendJSON(b []byte) []byte {
	b = append(b, `{"city":`...)
	b = wire.AppendString(b, v.City)
	b = append(b, `,"days":`...)
	b = strconv.AppendInt(b, v.Days, 10)
	return append(b, '}')
}

// Check reports the rules that the params break.
func (v *CurrentParams) Check(vs *rule.Violations) {
	if v.City == "" {
		vs.Add(rule.Violation{Pointer: "/city", Rule: "minLength", Expected: "at least 1 character"})
	}
	if v.Days < 0 {
		vs.Add(rule.Violation{Pointer: "/days", Rule: "minimum", Expected: "at least 0", Got: strconv.FormatInt(v.Days, 10)})
	}
}

// Report is the result of weather/current.
type Report struct {
	City    string
	Degrees float64
}

const reportKeys = "city\ndegrees"

// DecodeJSON reads the report.
func (v *Report) DecodeJSON(r *wire.Reader) {
	*v = Report{}
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if r.Key(&o, 0, `"city":`) {
			v.City = r.String()
		}
		if r.Key(&o, 1, `"degrees":`) {
			v.Degrees = r.Float64()
		}
		r.Reject(&o, reportKeys)
	}
	r.Need(&o, 0b11, reportKeys)
}

// AppendJSON appends the report.
func (v Report) AppendJSON(b []byte) []byte {
	b = append(b, `{"city":`...)
	b = wire.AppendString(b, v.City)
	b = append(b, `,"degrees":`...)
	b = wire.AppendFloat(b, v.Degrees)
	return append(b, '}')
}

// Check reports the rules that the report breaks.
func (v *Report) Check(vs *rule.Violations) {
	if v.Degrees < -273.15 {
		vs.Add(rule.Violation{Pointer: "/degrees", Rule: "minimum", Expected: "at least -273.15"})
	}
}

// CodeCityNotFound is the code of [CityNotFoundError].
const CodeCityNotFound = 1001

// CityNotFoundError means that there is no such city.
type CityNotFoundError struct{ City string }

func (e *CityNotFoundError) Error() string { return "no city called " + e.City }

// RPCError implements [runtime.Coder].
func (e *CityNotFoundError) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: CodeCityNotFound, Message: "city not found", AppendData: e.appendData}
}

func (e *CityNotFoundError) appendData(b []byte) []byte {
	return append(wire.AppendString(append(b, `{"city":`...), e.City), '}')
}

func (e *CityNotFoundError) decodeData(r *wire.Reader) {
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if r.Key(&o, 0, `"city":`) {
			e.City = r.String()
		}
	}
	r.Need(&o, 0b1, "city")
}

// OverloadedError answers for the runtime's condition `overloaded`.
type OverloadedError struct{ Limit int }

func (e *OverloadedError) Error() string { return "try again later" }

// RPCError implements [runtime.Coder].
func (e *OverloadedError) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: 1002, Message: "try again later", AppendData: func(b []byte) []byte {
		return append(strconv.AppendInt(append(b, `{"limit":`...), int64(e.Limit), 10), '}')
	}}
}

// TimeoutError answers for the runtime's condition `timeout`.
type TimeoutError struct{ Method, Timeout string }

func (e *TimeoutError) Error() string { return e.Method + " took longer than " + e.Timeout }

// RPCError implements [runtime.Coder].
func (e *TimeoutError) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: 1003, Message: "too slow", AppendData: func(b []byte) []byte {
		b = wire.AppendString(append(b, `{"method":`...), e.Method)
		return append(wire.AppendString(append(b, `,"timeout":`...), e.Timeout), '}')
	}}
}

func decodeError(e *runtime.Error) error {
	if e.Code != CodeCityNotFound {
		return nil
	}
	v := new(CityNotFoundError)
	if wire.Unmarshal([]byte(e.Data.String()), v.decodeData, func(*rule.Violations) {}) != nil {
		return nil
	}
	return v
}
