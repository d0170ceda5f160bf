package compact

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// The functions in this file take an optional member of a [Walked].

// WalkString takes a string.
//
//go:noinline
func WalkString(w *Walker, v *runtime.Opt[string], key string) *Walker {
	x, ok := v.Get()
	switch w.Member(key, Optional, ok) {
	case StepRead:
		v.Set(w.Reader().String())
	case StepWrite:
		w.Wrote(wire.AppendString(w.Buffer(), x))
	case StepCheck:
		w.SetText(x)
	case StepReset:
		v.Clear()
	}
	return w
}

// WalkBool takes a boolean.
//
//go:noinline
func WalkBool(w *Walker, v *runtime.Opt[bool], key string) *Walker {
	x, ok := v.Get()
	switch w.Member(key, Optional, ok) {
	case StepRead:
		v.Set(w.Reader().Bool())
	case StepWrite:
		w.Wrote(wire.AppendBool(w.Buffer(), x))
	case StepReset:
		v.Clear()
	}
	return w
}

// WalkInt64 takes an integer.
//
//go:noinline
func WalkInt64(w *Walker, v *runtime.Opt[int64], key string) *Walker {
	x, ok := v.Get()
	switch w.Member(key, Optional, ok) {
	case StepRead:
		v.Set(w.Reader().Int64())
	case StepWrite:
		w.Wrote(wire.AppendInt(w.Buffer(), x))
	case StepCheck:
		w.SetNumber(x)
	case StepReset:
		v.Clear()
	}
	return w
}

// WalkInt32 takes an integer of 32 bits.
//
//go:noinline
func WalkInt32(w *Walker, v *runtime.Opt[int32], key string) *Walker {
	x, ok := v.Get()
	switch w.Member(key, Optional, ok) {
	case StepRead:
		v.Set(w.Reader().Int32())
	case StepWrite:
		w.Wrote(wire.AppendInt(w.Buffer(), int64(x)))
	case StepCheck:
		w.SetNumber(int64(x))
	case StepReset:
		v.Clear()
	}
	return w
}

// WalkFloat64 takes a number.
//
//go:noinline
func WalkFloat64(w *Walker, v *runtime.Opt[float64], key string) *Walker {
	x, ok := v.Get()
	switch w.Member(key, Optional, ok) {
	case StepRead:
		v.Set(w.Reader().Float64())
	case StepWrite:
		w.Wrote(wire.AppendFloat(w.Buffer(), x))
	case StepReset:
		v.Clear()
	}
	return w
}
