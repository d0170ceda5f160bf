package remote

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// patience limits how long a server takes for an answer. The time that a person takes to log in, or to answer a question, does not count, and the
// server has all of it again afterwards.
type patience struct {
	wait   time.Duration // for its first answer, and for a page of a list
	mu     sync.Mutex
	asking int       // persons who log in or are asked
	asked  time.Time // when the last one began or ended
}

// limit returns a context that ends with the cause when the time is over, until stop is called.
func (p *patience) limit(ctx context.Context, wait time.Duration, cause error) (limited context.Context, stop func()) {
	limited, cancel := context.WithCancelCause(ctx)
	var look func()
	look = func() {
		if left := p.left(wait); left > 0 && limited.Err() == nil {
			time.AfterFunc(left, look)
		} else {
			cancel(cause)
		}
	}
	timer := time.AfterFunc(wait, look)
	return limited, func() { timer.Stop(); cancel(nil) }
}

// end ends a context when the time is over, until stop is called, which leaves it as it is.
func (p *patience) end(ctx context.Context, end context.CancelCauseFunc, wait time.Duration, cause error) (stop func()) {
	limited, stop := p.limit(ctx, wait, cause)
	context.AfterFunc(limited, func() {
		if context.Cause(limited) == cause {
			end(cause)
		}
	})
	return stop
}

// left is how much of a time the server has because a person was asked.
func (p *patience) left(wait time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asking > 0 {
		return wait
	}
	return time.Until(p.asked.Add(wait))
}

// lists limits how long a server takes for a page of a list.
func (p *patience) lists(next mcpclient.Handler) mcpclient.Handler {
	return func(ctx context.Context, q *mcpclient.Request) error {
		if !strings.HasSuffix(q.Method(), "/list") {
			return next(ctx, q)
		}
		ctx, stop := p.limit(ctx, p.wait, fmt.Errorf("there is no answer to %s after %s: give the server longer with --wait", q.Method(), p.wait))
		defer stop()
		err := next(ctx, q)
		if cause := context.Cause(ctx); err != nil && cause != nil {
			err = cause
		}
		return err
	}
}

// asks notes that one person more, or one less, is asked.
func (p *patience) asks(more int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asking, p.asked = p.asking+more, time.Now()
}

// timedAgent is an agent of logins whose visits do not count.
type timedAgent struct {
	mcpauth.Agent
	clock *patience
}

// Begin implements [mcpauth.Agent].
func (a timedAgent) Begin(ctx context.Context, registered string) (mcpauth.Visit, error) {
	v, err := a.Agent.Begin(ctx, registered)
	return timedVisit{v, a.clock}, err
}

type timedVisit struct {
	mcpauth.Visit
	clock *patience
}

// Go implements [mcpauth.Visit].
func (v timedVisit) Go(ctx context.Context, url string) (string, error) {
	v.clock.asks(1)
	defer v.clock.asks(-1)
	return v.Visit.Go(ctx, url)
}
