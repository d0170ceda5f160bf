package natsrpc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// Server serves the calls of a subject. [Start] makes one. It is safe for concurrent use.
type Server struct {
	o         Options
	nc        *nats.Conn
	worker    *worker
	discovery *discovery
	calls     *nats.Subscription
	others    []*nats.Subscription // cancellations and discovery
	drained   chan struct{}        // closed when no more messages arrive

	once sync.Once
	err  error // of Shutdown
}

// Serve serves h on a subject until ctx ends. Then it takes no more calls, which go to the other servers of the subject, waits for the calls in
// flight as long as [Options].Grace says, and returns the error of ctx. If the connection nc is closed earlier, the error wraps
// [runtime.ErrClosed]. It does not close nc.
//
// A connection that is lost is restored by nats.go, as its options say: set nats.MaxReconnects(-1) and nats.IgnoreAuthErrorAbort for a server.
func Serve(ctx context.Context, nc *nats.Conn, h runtime.Handler, o Options) error {
	s, err := Start(ctx, nc, h, o)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		err = ctx.Err()
	case <-s.drained:
		err = fmt.Errorf("natsrpc: serving %s has ended: %w", o.Subject, runtime.ErrClosed)
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.o.Grace)
	defer cancel()
	if late := s.Shutdown(within); errors.Is(late, runtime.ErrStillRunning) {
		return errors.Join(err, late)
	}
	return err
}

// Start is Serve in the background: it returns when the server receives calls. The contexts of handlers have the values of ctx. The
// caller must call Shutdown or Close. It fails if NATS cannot be reached.
func Start(ctx context.Context, nc *nats.Conn, h runtime.Handler, o Options) (*Server, error) {
	o = o.withDefaults()
	if err := checkSubject("Options.Subject", o.Subject); err != nil {
		return nil, err
	}
	if err := checkSubject("Options.Queue", o.Queue); err != nil {
		return nil, err
	}
	d, err := newDiscovery(h, o, nc.MaxPayload())
	if err != nil {
		return nil, err
	}
	peers, err := newCaller(nc, ClientOptions{Runtime: o.Runtime, MaxMessage: o.MaxMessage}.withDefaults())
	if err != nil {
		return nil, err
	}
	s := &Server{o: o, nc: nc, discovery: d, drained: make(chan struct{})}
	s.worker = newWorker(ctx, nc, countingHandler{h, d}, o, peers)
	if err := s.subscribe(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// subscribe starts receiving.
func (s *Server) subscribe() error {
	at := serviceTarget(s.o.Subject)
	others := s.discovery.subjects()
	others[at.cancel] = s.worker.abandon
	for subject, take := range others {
		sub, err := s.nc.Subscribe(subject, take)
		if err != nil {
			return connError(err)
		}
		s.others = append(s.others, sub)
	}
	sub, err := s.nc.QueueSubscribe(at.calls, s.o.Queue, s.worker.take)
	if err != nil {
		return connError(err)
	}
	s.calls = sub
	sub.SetClosedHandler(func(string) { close(s.drained) }) // also at the end of the connection
	const patience = 10 * time.Second
	if err := s.nc.FlushTimeout(patience); err != nil {
		return fmt.Errorf("natsrpc: NATS at %q cannot be reached: %w", s.nc.ConnectedUrlRedacted(), err)
	}
	return nil
}

// Ready returns nil if the server receives calls, and otherwise why not: [runtime.ErrClosed] when it shuts down, or [ErrDisconnected]. It is
// for checks of readiness.
func (s *Server) Ready() error {
	switch {
	case !s.calls.IsValid() || s.calls.IsDraining():
		return runtime.ErrClosed
	case s.nc.Status() != nats.CONNECTED:
		return ErrDisconnected
	}
	return nil
}

// Shutdown takes no more calls, serves those that have arrived, and waits for them. If ctx ends first, it cancels them and returns the error of
// ctx, or [runtime.ErrStillRunning] if their handlers do not return. Only the first call of Shutdown or Close has an effect.
func (s *Server) Shutdown(ctx context.Context) error {
	s.once.Do(func() { s.err = s.shutdown(ctx) })
	return s.err
}

// Close is Shutdown without waiting for calls.
func (s *Server) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func (s *Server) shutdown(ctx context.Context) error {
	defer s.worker.caller.close()
	s.drain(ctx)
	err := s.worker.stop(ctx)
	for _, sub := range s.others {
		sub.Unsubscribe()
	}
	flush(s.nc) // so that the answers leave before the caller closes the connection
	return err
}

// drain ends the subscription of calls. Messages that have arrived are still served.
func (s *Server) drain(ctx context.Context) {
	if s.calls == nil || s.calls.Drain() != nil {
		return
	}
	select {
	case <-s.drained:
	case <-ctx.Done():
		s.calls.Unsubscribe()
		<-s.drained
	}
}
