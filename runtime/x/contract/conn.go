package contract

import (
	"context"
	"errors"
)

// Conn reaches a server. Make one by [Command], [URL], [Stream] or [InMemory].
type Conn interface {
	open(ctx context.Context) (*link, error)
}

type link struct{}

func run(context.Context, Conn, Options) (*Report, error) { return nil, errors.ErrUnsupported }
