package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Service is what [Serve] serves.
type Service struct {
	Path     string
	Handler  http.Handler
	NotFound http.HandlerFunc // answers at other paths
	Log      *slog.Logger
	Grace    time.Duration                   // for what is in flight when serving ends
	Shutdown func(ctx context.Context) error // ends what the HTTP server does not know, before that is shut down; may be nil
	Wait     func()                          // waits for requests that were cancelled
}

// Serve serves s on every connection that l accepts, with limits for headers and idle connections, and closes l at the end. When ctx ends, it
// accepts no more, lets what is in flight end within the grace period, cancels what is left, and returns ctx's error.
func Serve(ctx context.Context, l net.Listener, s Service) error {
	mux := http.NewServeMux()
	mux.Handle(s.Path, s.Handler)
	if s.Path != "/" {
		mux.HandleFunc("/", s.NotFound)
	}
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return requests },
		ErrorLog:    slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		s.end(server, s.Grace, cancel)
	})
	err := server.Serve(l)
	if !stop() {
		<-ended
		return ctx.Err()
	}
	s.end(server, 0, cancel)
	return err
}

// end ends serving, with grace.
func (s *Service) end(server *http.Server, grace time.Duration, cancel func()) {
	ctx, done := context.WithTimeout(context.Background(), grace)
	defer done()
	var err error
	if s.Shutdown != nil {
		err = s.Shutdown(ctx)
	}
	if err = errors.Join(err, server.Shutdown(ctx)); err != nil {
		server.Close()
		cancel()
	}
	s.Wait()
}
