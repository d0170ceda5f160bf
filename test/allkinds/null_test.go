package allkinds_test

import (
	"context"
	"errors"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/allkinds"
	compact "github.com/rpcgen-go/rpcgen/generated/allkinds/compact"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

var errRefused = errors.New("refused")

// nulls answers with values that the codec writes whatever they are.
type nulls struct{ allkinds.UnimplementedServer }

func (nulls) AllNull(context.Context) (v struct{}, _ error)               { return v, nil }
func (nulls) AllNamedNull(context.Context) (v allkinds.OnlyNull, _ error) { return v, nil }
func (nulls) AllConstant(context.Context) (v allkinds.OnlyText, _ error)  { return v, errRefused }
func (nulls) AllNulls(context.Context) ([]struct{}, error)                { return make([]struct{}, 3), nil }

// compactNulls does the same in the compact codec.
type compactNulls struct{ compact.UnimplementedServer }

func (compactNulls) AllNull(context.Context) (v struct{}, _ error)              { return v, nil }
func (compactNulls) AllNamedNull(context.Context) (v compact.OnlyNull, _ error) { return v, nil }
func (compactNulls) AllConstant(context.Context) (v compact.OnlyText, _ error)  { return v, errRefused }
func (compactNulls) AllNulls(context.Context) ([]struct{}, error)               { return make([]struct{}, 3), nil }

// TestNullResults calls methods whose results are null or a constant, from each codec to each.
func TestNullResults(t *testing.T) {
	for name, server := range map[string]runtime.Handler{"full": allkinds.NewHandler(nulls{}), "compact": compact.NewHandler(compactNulls{})} {
		t.Run(name, func(t *testing.T) {
			near, far := pipe.New(0)
			there := runtime.NewSession(t.Context(), far, server, runtime.Options{})
			here := runtime.NewSession(t.Context(), near, nil, runtime.Options{})
			defer func() {
				here.Close()
				here.Wait()
				there.Wait()
			}()
			full, small := allkinds.NewClient(here), compact.NewClient(here)
			callNulls(t, full.AllNull, full.AllNamedNull, full.AllNulls, full.AllConstant)
			callNulls(t, small.AllNull, small.AllNamedNull, small.AllNulls, small.AllConstant)
			b := full.Batch()
			var nulls []struct{}
			one, all := b.AllNull(nil), b.AllNulls(&nulls)
			if err := b.Send(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := one.Err(); err != nil {
				t.Error(err)
			}
			if err := all.Err(); err != nil || len(nulls) != 3 {
				t.Error(nulls, err)
			}
		})
	}
}

type caller[T any] = func(context.Context) (T, error)

func callNulls(t *testing.T, null, named caller[struct{}], list caller[[]struct{}], refused caller[struct{}]) {
	t.Helper()
	for _, call := range []caller[struct{}]{null, named} {
		if _, err := call(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if got, err := list(t.Context()); err != nil || len(got) != 3 {
		t.Error(got, err)
	}
	if _, err := refused(t.Context()); err == nil {
		t.Error("a handler's error got lost")
	}
}
