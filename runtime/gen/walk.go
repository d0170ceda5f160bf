package gen

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// The functions in this file take an optional member of a [wire.Walked].

// WalkString takes a string.
//
//go:noinline
func WalkString(w *wire.Walker, v *runtime.Opt[string], key string) *wire.Walker {
	x, ok := v.Get()
	switch w.Member(key, wire.Optional, ok) {
	case wire.StepRead:
		v.Set(w.Reader().String())
	case wire.StepWrite:
		w.Wrote(wire.AppendString(w.Buffer(), x))
	case wire.StepCheck:
		w.SetText(x)
	case wire.StepReset:
		v.Clear()
	}
	return w
}

// WalkBool takes a boolean.
//
//go:noinline
func WalkBool(w *wire.Walker, v *runtime.Opt[bool], key string) *wire.Walker {
	x, ok := v.Get()
	switch w.Member(key, wire.Optional, ok) {
	case wire.StepRead:
		v.Set(w.Reader().Bool())
	case wire.StepWrite:
		w.Wrote(wire.AppendBool(w.Buffer(), x))
	case wire.StepReset:
		v.Clear()
	}
	return w
}

// WalkInt64 takes an integer.
//
//go:noinline
func WalkInt64(w *wire.Walker, v *runtime.Opt[int64], key string) *wire.Walker {
	x, ok := v.Get()
	switch w.Member(key, wire.Optional, ok) {
	case wire.StepRead:
		v.Set(w.Reader().Int64())
	case wire.StepWrite:
		w.Wrote(wire.AppendInt(w.Buffer(), x))
	case wire.StepCheck:
		w.SetNumber(x)
	case wire.StepReset:
		v.Clear()
	}
	return w
}

// WalkInt32 takes an integer of 32 bits.
//
//go:noinline
func WalkInt32(w *wire.Walker, v *runtime.Opt[int32], key string) *wire.Walker {
	x, ok := v.Get()
	switch w.Member(key, wire.Optional, ok) {
	case wire.StepRead:
		v.Set(w.Reader().Int32())
	case wire.StepWrite:
		w.Wrote(wire.AppendInt(w.Buffer(), int64(x)))
	case wire.StepCheck:
		w.SetNumber(int64(x))
	case wire.StepReset:
		v.Clear()
	}
	return w
}

// WalkFloat64 takes a number.
//
//go:noinline
func WalkFloat64(w *wire.Walker, v *runtime.Opt[float64], key string) *wire.Walker {
	x, ok := v.Get()
	switch w.Member(key, wire.Optional, ok) {
	case wire.StepRead:
		v.Set(w.Reader().Float64())
	case wire.StepWrite:
		w.Wrote(wire.AppendFloat(w.Buffer(), x))
	case wire.StepReset:
		v.Clear()
	}
	return w
}
