package kit

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// Fake is the part that fake servers have in common: what their methods do whose function is nil.
type Fake struct {
	t       testing.TB
	sampled bool
	seed    uint64

	mu    sync.Mutex
	calls uint64
}

// NewFake returns a fake whose methods fail the test unless they have a function.
func NewFake(t testing.TB) *Fake { return &Fake{t: t} }

// Sampled lets methods without a function answer values that are drawn from their schemas.
func (f *Fake) Sampled(seed uint64) { f.sampled, f.seed = true, seed }

// Calls keeps what a method was called with. It is safe for concurrent use.
type Calls[T any] struct {
	mu  sync.Mutex
	all []T
}

// All returns what the method was called with, in order.
func (c *Calls[T]) All() []T {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]T(nil), c.all...)
}

func (c *Calls[T]) add(v T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, v)
}

// Answer is a method of a fake server that takes a value and returns one. The shape is nil if the result cannot be drawn.
func Answer[In, Out any](ctx context.Context, f *Fake, method string, in In, calls *Calls[In], do func(context.Context, In) (Out, error), out *Shape[Out]) (Out, error) {
	calls.add(in)
	if do != nil {
		return do(ctx, in)
	}
	return sample(f, method, out)
}

// Give is a method that returns a value and takes none.
func Give[Out any](ctx context.Context, f *Fake, method string, calls *Calls[struct{}], do func(context.Context) (Out, error), out *Shape[Out]) (Out, error) {
	calls.add(struct{}{})
	if do != nil {
		return do(ctx)
	}
	return sample(f, method, out)
}

// Do is a method that takes a value and returns none.
func Do[In any](ctx context.Context, f *Fake, method string, in In, calls *Calls[In], do func(context.Context, In) error) error {
	calls.add(in)
	if do != nil {
		return do(ctx, in)
	}
	return f.unset(method)
}

// Run is a method that neither takes nor returns a value.
func Run(ctx context.Context, f *Fake, method string, calls *Calls[struct{}], do func(context.Context) error) error {
	calls.add(struct{}{})
	if do != nil {
		return do(ctx)
	}
	return f.unset(method)
}

// unset is what a method without a function answers that returns no value.
func (f *Fake) unset(method string) error {
	if f.sampled {
		return nil
	}
	return f.fail(method + " was called, and its function is nil")
}

// sample is what a method without a function answers that returns a value.
func sample[Out any](f *Fake, method string, out *Shape[Out]) (v Out, err error) {
	switch {
	case !f.sampled:
		return v, f.unset(method)
	case out == nil:
		return v, f.fail(fmt.Sprintf("%s was called, its function is nil, and a %T is not drawn from a schema", method, v))
	}
	f.mu.Lock()
	f.calls++
	c := values.NewChoices(f.seed, f.calls)
	f.mu.Unlock()
	if _, v, err = out.both(c); err != nil {
		return v, f.fail(err.Error())
	}
	return v, nil
}

// fail fails the test. The caller of the method gets an error that does not describe the test.
func (f *Fake) fail(what string) error {
	f.t.Helper()
	f.t.Error(what)
	return runtime.ErrUnimplemented
}
