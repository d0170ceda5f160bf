package web

import (
	"context"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
)

// Give passes the answer to a message on. Its memory, which buf may be nil for, is to be given to [PutBuffer].
type Give func(buf *[]byte, answer []byte, o transport.Outcome)

// Dispatch has d serve msg, and calls give once with the answer: when the handlers have returned, or when their timeouts have passed. A
// handler that ends its goroutine is answered for.
func Dispatch(ctx context.Context, d *runtime.Dispatcher, msg []byte, give Give) {
	var once sync.Once
	late := func(answer []byte, o transport.Outcome) { once.Do(func() { give(nil, answer, o) }) }
	var outcome transport.Outcome
	buf, returned := GetBuffer(), false
	defer func() {
		if !returned { // by runtime.Goexit
			late(d.Unfinished(nil, msg), transport.Outcome{Failed: true, Code: runtime.CodeInternalError})
		}
	}()
	answer := d.Dispatch(transport.WithOutcome(transport.WithLate(ctx, late), &outcome), (*buf)[:0], msg)
	returned = true
	once.Do(func() { give(buf, answer, outcome) })
}

// DispatchLate is [Dispatch] in a goroutine of its own. It returns when give has returned; ended is called when the handlers have returned.
func DispatchLate(ctx context.Context, d *runtime.Dispatcher, msg []byte, give Give, ended func()) {
	given := make(chan struct{})
	go func() {
		defer ended()
		Dispatch(ctx, d, msg, func(buf *[]byte, answer []byte, o transport.Outcome) {
			defer close(given)
			give(buf, answer, o)
		})
	}()
	<-given
}
