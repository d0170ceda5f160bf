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
	Handlers map[string]http.Handler // by their paths
	NotFound http.HandlerFunc        // answers at other paths
	Log      *slog.Logger
	Shutdown func(ctx context.Context) error // ends what the HTTP server does not know, before that is shut down; may be nil
	Wait     func()                          // waits for requests that were cancelled; may be nil
}

// grace is how long what is in flight may take when serving ends.
const grace = 5 * time.Second

// ListenAndServe listens on address, such as localhost:4000, and calls serve with the listener.
func ListenAndServe(ctx context.Context, address string, serve func(net.Listener) error) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return serve(l)
}

// Serve serves s on every connection that l accepts, with limits for headers, idle connections and peers of HTTP/2 that take nothing, and closes l at
// the end. When ctx ends, it accepts no more, lets what is in flight end within five seconds, cancels what is left, and returns ctx's error.
func Serve(ctx context.Context, l net.Listener, s Service) error {
	mux := http.NewServeMux()
	for path, handler := range s.Handlers {
		mux.Handle(path, handler)
	}
	if s.Handlers["/"] == nil {
		mux.HandleFunc("/", s.NotFound)
	}
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			AwaitBody(w, r, BodyTime) // handlers may give it less or more
			mux.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, HTTP2: &http.HTTP2Config{WriteByteTimeout: BodyTime},
		BaseContext: func(net.Listener) context.Context { return requests }, ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		s.end(server, grace, cancel)
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
	if s.Wait != nil {
		s.Wait()
	}
}
