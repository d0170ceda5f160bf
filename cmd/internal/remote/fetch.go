package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	urlpkg "net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/file"
)

// fetchTimeout is how long one document may take, from the first connection to the last byte.
const fetchTimeout = 5 * time.Minute

// mostConnections is how many connections are made for one document: net/http makes another one, without end, as long as a server ends those of HTTP/2
// before it answers.
const mostConnections = 24

// Fetch gets a document of at most [file.Most] bytes, in at most five minutes. The headers are "Name: value". They are for the host of the URL: other
// hosts that it redirects to get neither them nor the URL.
func Fetch(ctx context.Context, url string, headers []string) ([]byte, error) {
	return fetchBy(ctx, http.DefaultTransport, url, headers)
}

// fetchBy is [Fetch] over a transport.
func fetchBy(ctx context.Context, transport http.RoundTripper, url string, headers []string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, fetchTimeout, fmt.Errorf("the server has not answered within %v", fetchTimeout))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	connections := 0
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GetConn: func(string) {
		if connections++; connections > mostConnections {
			stop(errors.New("the server ends each connection before it answers"))
		}
	}})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json, application/yaml, */*;q=0.5")
	own, err := (&Server{Headers: headers}).Header()
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, own)
	away := false // for good: what another host redirects to is its choice
	client := http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		const most = 10
		if len(via) > most {
			return fmt.Errorf("more than %d redirects", most)
		}
		r.Header.Del("Referer")
		if away = away || r.URL.Scheme != req.URL.Scheme || r.URL.Host != req.URL.Host; away {
			r.Header = http.Header{"Accept": req.Header["Accept"]}
		}
		return nil
	}}
	resp, err := client.Do(req)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if failed, ok := errors.AsType[*urlpkg.Error](err); ok { // whose text repeats the URL
		return nil, connectAdvice(failed.Err)
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotAcceptable:
		return nil, fmt.Errorf("the server answers %s; if it is an MCP server, add --tools", resp.Status)
	default:
		if away && len(headers) > 0 {
			return nil, fmt.Errorf("it redirects to %s, which gets no headers of -H and answers %s", resp.Request.URL.Host, resp.Status)
		}
		return nil, fmt.Errorf("the server answers %s", resp.Status)
	}
	text, err := file.ReadAll(resp.Body)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return text, err
}

// ServeHTTP serves requests at a listener until ctx ends. Requests in flight end with it. If the address of the listener is for this machine only,
// requests whose header Host names another one are refused: pages of other sites, whose names may lead here, send them. The body of a request, and each
// write of an answer, have 30 seconds.
func ServeHTTP(ctx context.Context, l net.Listener, h http.Handler, errors *log.Logger) error {
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && tcp.IP.IsLoopback() {
		h = localOnly(h)
	}
	srv := &http.Server{
		Handler: limitTime(h), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: errors,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	if err := srv.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// limitTime limits how long the body of a request and each write of its answer may take, also where the handler reads or writes nothing: net/http reads what is
// left of a body before it answers.
func limitTime(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		if r.ContentLength != 0 {
			c.SetReadDeadline(time.Now().Add(exchangeTime))
			r.Body = &timedBody{r.Body, c}
		}
		defer func() { c.SetWriteDeadline(time.Now().Add(exchangeTime)) }() // what is buffered is written afterwards
		next.ServeHTTP(&timedWriter{w, c}, r)
	})
}

const exchangeTime = 30 * time.Second

type timedBody struct {
	io.ReadCloser
	c *http.ResponseController
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.c.SetReadDeadline(time.Time{}) // or the connection would be given up during a long call
	}
	return n, err
}

type timedWriter struct {
	http.ResponseWriter
	c *http.ResponseController
}

func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *timedWriter) Write(p []byte) (int, error) {
	w.c.SetWriteDeadline(time.Now().Add(exchangeTime))
	return w.ResponseWriter.Write(p)
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
