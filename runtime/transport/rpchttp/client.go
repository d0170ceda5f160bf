package rpchttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// ClientOptions are the limits and settings of [Dial]. The zero value selects the defaults.
type ClientOptions struct {
	// HTTP sends the requests. Nil means a client that only this connection uses, which keeps idle connections for 90 seconds.
	HTTP *http.Client

	// Header is sent with every request.
	Header http.Header

	// Token returns the bearer token to send; empty means none. It is called for every request, so it should keep the token. Nil means no token.
	// [StaticToken] returns a function for a token that never changes.
	Token func(ctx context.Context) (string, error)

	// MaxMessage limits the size of a message that is sent, and of an answer after expansion, in bytes. Zero means [frame.DefaultMax], which is 10 MiB.
	MaxMessage int

	// CallTimeout limits the time of a request, which then fails with [context.DeadlineExceeded], unless it is a stream.
	// Zero means that only the context limits it.
	CallTimeout time.Duration

	// Gather reports whether calls of a method may share a POST with others, which saves most of what HTTP costs when many calls are made at the same time.
	// While fewer than two POSTs of such methods are under way, a call is sent at once. Otherwise it joins a batch, which is sent as soon as only one of them
	// is under way, or at once when it holds 16 calls. Nil means that no calls are gathered.
	//
	// The answers of a batch arrive together, and a call may have to wait until earlier ones return: with few callers, calls of 5 ms take up to twice as
	// long. Therefore Gather should return false for methods that declare a timeout or take long. A batch holds no more calls than a server handles
	// concurrently by default, see BatchCalls of [runtime.Options]; with 100 in a batch, calls of 5 ms by 64 callers would take about four times as long.
	// Gather must be safe for concurrent use.
	//
	// A call of more than 64 KiB is never gathered, and calls with different tokens never share a POST. A call whose context ends leaves its batch without
	// cancelling the others. If the POST fails, all calls in it fail. The context of its HTTP request holds no values of the calls. If the server refuses
	// batches, this is logged once; the calls are sent again one by one, which is safe because none of them was handled, and later calls are not gathered.
	Gather func(method string) bool

	// Logger logs that the server refuses batches. Nil means [slog.Default].
	Logger *slog.Logger
}

// StaticToken returns a [ClientOptions.Token] that always returns the same token.
func StaticToken(token string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return token, nil }
}

// Conn is a connection to a server in which every call is an HTTP request. It implements [runtime.Conn] and is safe for concurrent use.
type Conn struct {
	o       ClientOptions
	url     string
	http    *http.Client
	own     *web.Transport  // nil if the caller supplied the HTTP client
	ctx     context.Context // ends with Close
	end     context.CancelFunc
	ids     web.IDs
	gather  *gatherer   // nil if no calls are gathered
	secrets web.Secrets // that were sent
}

// Dial returns a connection to the server at a URL. Nothing is sent before the first call. The caller must call Close.
func Dial(rawURL string, o ClientOptions) (*Conn, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("rpchttp: " + u.Redacted() + " is not a URL of an HTTP server: it begins with http:// or https://")
	}
	defaults.Set(&o.MaxMessage, frame.DefaultMax)
	c := &Conn{o: o, url: u.String(), http: o.HTTP}
	c.secrets.AddHeader(o.Header)
	c.ctx, c.end = context.WithCancel(context.Background())
	if o.Gather != nil {
		c.gather = &gatherer{conn: c}
	}
	if c.http == nil {
		c.own = web.NewTransport()
		c.http = &http.Client{Transport: c.own, CheckRedirect: web.SameHost}
	}
	return c, nil
}

// Close makes the calls in flight fail with [runtime.ErrClosed].
func (c *Conn) Close() error {
	c.end()
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
	return nil
}

// NextID implements [runtime.Conn].
func (c *Conn) NextID(n int) (int64, error) { return c.ids.NextID(n) }

// Call implements [runtime.Conn]. If the answer is not a response to the message, the error is a [*StatusError] or a [*runtime.ResponseError].
func (c *Conn) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	if c.gather != nil {
		if method, ok := c.gather.methodOf(msg); ok {
			return c.gather.call(ctx, id, method, msg)
		}
	}
	return c.callAlone(ctx, id, msg)
}

// callAlone is Call with a POST for this call only.
func (c *Conn) callAlone(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	a, err := c.post(ctx, msg, c.o.CallTimeout, nil)
	if err != nil {
		return nil, err
	}
	return a.response(id)
}

// CallBatch implements [runtime.Conn].
func (c *Conn) CallBatch(ctx context.Context, first int64, n int, msg []byte) ([][]byte, error) {
	if n == 0 {
		return nil, c.Notify(ctx, msg)
	}
	a, err := c.post(ctx, msg, c.o.CallTimeout, nil)
	if err != nil {
		return nil, err
	}
	return a.responses(first, n)
}

// Notify implements [runtime.Conn]. It returns when the server has acknowledged the notification. An HTTP status other than success is a [*StatusError].
func (c *Conn) Notify(ctx context.Context, msg []byte) error {
	a, err := c.post(ctx, msg, c.o.CallTimeout, nil)
	if err != nil {
		return err
	}
	return a.acceptance()
}

// post sends a message and reads the answer, see exchange. A positive limit is how long that may take.
func (c *Conn) post(ctx context.Context, msg []byte, limit time.Duration, take func(event []byte) bool) (*answer, error) {
	if len(msg) > c.o.MaxMessage {
		return nil, &frame.TooLargeError{Size: int64(len(msg)), Max: c.o.MaxMessage}
	}
	if c.ctx.Err() != nil {
		return nil, runtime.ErrClosed
	}
	inner, cancel := within(ctx, limit)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	token, err := c.token(inner)
	if err != nil {
		return nil, c.callError(ctx, inner, err)
	}
	a, err := c.exchange(inner, bytes.Clone(msg), token, take)
	if err != nil {
		return nil, c.callError(ctx, inner, err)
	}
	return a, nil
}

// callError returns the error of a call with the context ctx whose request, within inner, has failed with err.
func (c *Conn) callError(ctx, inner context.Context, err error) error {
	switch {
	case c.ctx.Err() != nil:
		return runtime.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case inner.Err() != nil:
		return inner.Err()
	}
	return err
}

// within returns the context of a request.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit > 0 {
		return context.WithTimeout(ctx, limit)
	}
	return context.WithCancel(ctx)
}

// token returns the bearer token to send; empty means none.
func (c *Conn) token(ctx context.Context) (string, error) {
	if c.o.Token == nil {
		return "", nil
	}
	token, err := c.o.Token(ctx)
	if err != nil {
		return "", fmt.Errorf("rpchttp: there is no token: %w", err)
	}
	c.secrets.Add(token)
	return token, nil
}

// exchange sends a message, which the caller gives away: it may still be read when the response is there. If take is not nil,
// the response may be a stream of events: then the answer is the first one for which take reports true.
func (c *Conn) exchange(ctx context.Context, msg []byte, token string, take func(event []byte) bool) (*answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(msg))
	if err != nil {
		return nil, err
	}
	if r.Header = c.o.Header.Clone(); r.Header == nil {
		r.Header = make(http.Header, 3)
	}
	if r.Header["Content-Type"], r.Header["Accept"] = jsonType, jsonType; take != nil {
		r.Header["Accept"] = anyType
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := c.secrets.Do(c.http, r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if take != nil && resp.StatusCode == http.StatusOK && web.MediaType(resp) == web.EventStream {
		body, err := readEvents(resp.Body, c.o.MaxMessage, take)
		return &answer{resp, body, &c.secrets}, c.secrets.HideError(err)
	}
	body, err := web.ReadResponse(resp, c.o.MaxMessage)
	return &answer{resp, body, &c.secrets}, c.secrets.HideError(err)
}
