package section7

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	jsonrpc "github.com/rpcgen-go/rpcgen/test/jsonrpc/rpc"
)

// Service implements [jsonrpc.Server]: the server of the examples.
type Service struct{ jsonrpc.UnimplementedServer }

// Subtract implements [jsonrpc.Server].
func (Service) Subtract(_ context.Context, p jsonrpc.SubtractParams) (int64, error) {
	return p.Minuend - p.Subtrahend, nil
}

// Sum implements [jsonrpc.Server].
func (Service) Sum(_ context.Context, numbers []int64) (total int64, err error) {
	for _, n := range numbers {
		total += n
	}
	return total, nil
}

// GetData implements [jsonrpc.Server].
func (Service) GetData(context.Context) ([]runtime.Raw, error) {
	return []runtime.Raw{wire.RawOf([]byte(`"hello"`)), wire.RawOf([]byte(`5`))}, nil
}

// Update implements [jsonrpc.Server].
func (Service) Update(context.Context, []int64) error { return nil }

// NotifyHello implements [jsonrpc.Server].
func (Service) NotifyHello(context.Context, []int64) error { return nil }

// NotifySum implements [jsonrpc.Server].
func (Service) NotifySum(context.Context, []int64) error { return nil }
