package remote

import (
	"context"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// ServeHTTP serves requests at a listener until ctx ends. Requests in flight end with it. If the address of the listener is for this machine only,
// requests whose header Host names another one are refused: pages of other sites, whose names may lead here, send them.
func ServeHTTP(ctx context.Context, l net.Listener, h http.Handler, errors *log.Logger) error {
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && tcp.IP.IsLoopback() {
		h = localOnly(h)
	}
	srv := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, ErrorLog: errors,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	if err := srv.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// localOnly refuses requests whose header Host does not name this machine.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if ip := net.ParseIP(strings.Trim(host, "[]")); !strings.EqualFold(host, "localhost") && !ip.IsLoopback() {
			http.Error(w, "the host is not this machine", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// UntilStopped returns a context that ends with the signals that ask a program to end: an interrupt, SIGTERM, and the end of its terminal unless
// that is ignored, as under nohup. What is to be removed at the end is removed then.
func UntilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signal.NotifyContext(ctx, signals...)
}
