package backend

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
)

// Options say how an API is called. The zero value calls the server of the schema without credentials.
type Options struct {
	// Server replaces the server of the schema: an absolute URL of http or https, without query.
	Server string

	// ServerEnv names an environment variable with such a URL, which is used if it is set and Server is empty.
	ServerEnv string

	// Variables are values of variables of the server.
	Variables map[string]string

	// Credentials gives what requests carry. It is needed if the schema names schemes.
	Credentials Credentials

	// Transport sends requests. The default is one like http.DefaultTransport with a limit for headers.
	Transport http.RoundTripper

	// Timeout limits one try. The default is the timeout of the schema, or 30 seconds. CallTimeout limits a call with all tries and waits; the default
	// is the timeout of the tool, or 2 minutes.
	Timeout, CallTimeout time.Duration

	// MaxAnswer is the greatest size of an answer in bytes, after decompression. The default is 10 MiB.
	MaxAnswer int64

	// MaxCalls and MaxCallsPerPrincipal limit how many calls run at once; more wait. The defaults are 64 and 16.
	MaxCalls, MaxCallsPerPrincipal int

	// Tries is how often a call that may be repeated is sent, at most 100. The default is 3; 1 means that nothing is sent again.
	Tries int

	// CursorKeys sign the cursors that are made of links; the first one signs, all are accepted. The default is a random key: cursors are
	// then valid for this process only.
	CursorKeys [][]byte

	// Logger gets failures and deviations, without headers and bodies. The default is slog.Default().
	Logger *slog.Logger

	// OnCall is called after each call, OnDeviation for each place at which an answer differs from the schema.
	OnCall      func(context.Context, Event)
	OnDeviation func(context.Context, Deviation)
}

// Event is a call that has ended.
type Event struct {
	Backend, Tool string
	Method, Path  string // the path of the schema, without values
	Principal     string
	Status        int // of the last answer; 0 if there was none
	Tries         int
	Duration      time.Duration
	Err           error
}

// Client calls one API. It may be used by many goroutines at once.
type Client struct {
	api              *API
	opts             Options
	server           string      // without a slash at its end
	headers          http.Header // constants of all requests
	http             *http.Client
	gate             *gate
	logged           quieter
	message, details steps

	mu    sync.Mutex
	paths map[string]steps
}

const (
	defaultTimeout     = 30 * time.Second
	defaultCallTimeout = 2 * time.Minute
	defaultMaxAnswer   = 10 << 20
	maxRedirects       = 3
	maxTries           = 100
)

// New returns a client of an API. The error says which option is not valid.
func New(api *API, o Options) (*Client, error) {
	c := &Client{api: api, opts: o, paths: map[string]steps{}}
	server, err := c.serverURL()
	if err != nil {
		return nil, fmt.Errorf("backend %s: %w", api.Name, err)
	}
	if o.Tries < 0 || o.Tries > maxTries {
		return nil, fmt.Errorf("backend %s: Tries is %d, and has to be from 1 to %d, or 0 for the default", api.Name, o.Tries, maxTries)
	}
	for name, n := range map[string]int64{"Timeout": int64(o.Timeout), "CallTimeout": int64(o.CallTimeout), "MaxAnswer": o.MaxAnswer,
		"MaxCalls": int64(o.MaxCalls), "MaxCallsPerPrincipal": int64(o.MaxCallsPerPrincipal)} {
		if n < 0 {
			return nil, fmt.Errorf("backend %s: %s is negative", api.Name, name)
		}
	}
	c.server, c.headers = server, constants(api.Headers)
	c.opts.Timeout = cmp.Or(o.Timeout, api.Timeout, defaultTimeout)
	c.opts.MaxAnswer = cmp.Or(o.MaxAnswer, defaultMaxAnswer)
	c.opts.Tries = cmp.Or(o.Tries, 3)
	c.gate = &gate{all: make(chan struct{}, cmp.Or(o.MaxCalls, 64)), own: cmp.Or(o.MaxCallsPerPrincipal, 16), principals: map[string]*slots{}}
	if len(o.CursorKeys) == 0 {
		key := make([]byte, 32)
		_, _ = rand.Read(key)
		c.opts.CursorKeys = [][]byte{key}
	}
	c.opts.Logger = cmp.Or(o.Logger, slog.Default())
	c.http = &http.Client{Transport: o.Transport, CheckRedirect: checkRedirect}
	if o.Transport == nil {
		c.http.Transport = web.NewTransport()
	}
	c.message, c.details = c.path(api.Message), c.path(api.Details)
	c.warnUnset()
	return c, nil
}

// constants are headers that requests share: they are copied before anything is added to them.
func constants(all []Header) http.Header {
	h := make(http.Header, len(all))
	for _, one := range all {
		h.Set(one.Name, one.Value)
	}
	return h
}

// serverURL is the URL below which paths lie.
func (c *Client) serverURL() (string, error) {
	text := c.api.Server
	for name := range c.opts.Variables {
		if !slices.ContainsFunc(c.api.Variables, func(v Variable) bool { return v.Name == name }) {
			return "", fmt.Errorf("the server %s has no variable %q", c.api.Server, name)
		}
	}
	for _, v := range c.api.Variables {
		value := v.Default
		if own, ok := c.opts.Variables[v.Name]; ok {
			whole, err := regexp.Compile(`^(?:` + v.Pattern + `)$`)
			if err != nil || v.Values != nil && !slices.Contains(v.Values, own) || v.Values == nil && !whole.MatchString(own) {
				return "", fmt.Errorf("the variable %s of the server cannot be %q", v.Name, own)
			}
			value = own
		}
		text = strings.ReplaceAll(text, "{"+v.Name+"}", value)
	}
	where := ""
	if c.opts.Server != "" {
		text = c.opts.Server
	} else if own := os.Getenv(c.opts.ServerEnv); own != "" {
		text, where = own, "the environment variable "+c.opts.ServerEnv+": "
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%s%q is not an absolute URL of http or https without user, query and fragment", where, text)
	}
	return strings.TrimRight(text, "/"), nil
}

// path returns a path of a table as steps.
func (c *Client) path(text string) steps {
	if text == "" {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.paths[text]
	if !ok {
		s = mustPath(text)
		c.paths[text] = s
	}
	return s
}

// Do makes the call: it sends what the input says and reads the answer. Input appends a JSON object; nil means that there is no input. Decode reads the output
// and check checks its rules; both may be called several times. Nil means that there is nothing to read, or to check.
//
// The error is one that the schema declares for the status of the answer, an [*Error], one that lists violations of the input, or the
// error of a context that has ended.
func (c *Client) Do(ctx context.Context, call *Call, input func([]byte) []byte, decode func(*wire.Reader), check func(*violation.List)) error {
	start := time.Now()
	whole, cancel := context.WithTimeout(ctx, cmp.Or(c.opts.CallTimeout, call.Timeout, defaultCallTimeout))
	defer cancel()
	e := Event{Backend: c.api.Name, Tool: call.Tool, Method: call.Method, Path: call.Path, Principal: principal.From(ctx)}
	err := c.do(whole, call, input, decode, check, &e)
	if ctx.Err() != nil && err != nil {
		err = context.Cause(ctx)
	}
	if failure, ok := errors.AsType[*Error](err); ok && failure.Cause != nil && failure.Kind != Odd {
		c.opts.Logger.WarnContext(ctx, "a call of an API failed", "backend", c.api.Name, "tool", call.Tool, "status", failure.Status, "kind",
			string(failure.Kind), "err", withoutURL(failure.Cause))
	}
	if c.opts.OnCall != nil {
		e.Duration, e.Err = time.Since(start), err
		c.opts.OnCall(ctx, e)
	}
	return err
}

// withoutURL is the text of an error without the URL of the request, which may hold a key.
func withoutURL(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return err.Error()
}

func (c *Client) do(ctx context.Context, call *Call, input func([]byte) []byte, decode func(*wire.Reader), check func(*violation.List), e *Event) error {
	text, err := encode(input)
	if err != nil {
		return err
	}
	q, err := c.build(call, text, e.Principal)
	if err != nil {
		return err
	}
	a, err := c.send(ctx, q, e)
	if err != nil {
		return err
	}
	if a.status == http.StatusAccepted && call.Wait != nil {
		if err := c.wait(ctx, q, a, e); err != nil {
			return err
		}
	}
	if a.status >= 200 && a.status < 300 || call.Link && a.status >= 300 && a.status < 400 {
		return c.read(ctx, q, a, decode, check, e.Principal)
	}
	for i := range call.Errors {
		d := &call.Errors[i]
		if d.Low <= a.status && a.status <= d.High {
			if err := c.declaredError(q, a, i); err != nil {
				return err
			}
		}
	}
	return c.refusalError(q, a)
}

// encode returns the JSON of an input; nil if there is none.
func encode(input func([]byte) []byte) (text []byte, err error) {
	if input == nil {
		return nil, nil
	}
	defer wire.CatchEncodeError(&err)
	return input(make([]byte, 0, 256)), nil
}
