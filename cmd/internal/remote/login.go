package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Login says how a server at a URL gets a token when it requires one.
type Login struct {
	How          LoginHow
	ClientID     string // registered in advance; empty if it is not
	ClientSecret mcpauth.Secret
	RedirectURI  string // of a client that was registered in advance; empty means any port of this machine
	AllowParent  bool   // metadata about a part of the site that contains the server is accepted
}

// LoginHow is a value of the flag --login.
type LoginHow string

// The values of --login.
const (
	LoginAuto    LoginHow = "auto"    // with a browser, if there is a terminal
	LoginBrowser LoginHow = "browser" // with a browser
	LoginClient  LoginHow = "client"  // as the client itself, without a person
	LoginNever   LoginHow = "never"   // no token is sent, except by a header
)

// check returns an error if the fields do not fit together.
func (l *Login) check() error {
	switch l.How {
	case LoginAuto, LoginBrowser, LoginNever:
		return nil
	case LoginClient:
		if l.ClientID == "" || l.ClientSecret == "" {
			return errors.New("--login client needs --client-id, and the password of the client in the environment variable RPCGEN_CLIENT_SECRET")
		}
		return nil
	}
	return fmt.Errorf("--login is auto, browser, client or never, not %q", l.How)
}

// client returns an HTTP client that logs in at the server at a URL when it has to. It is nil if no
// login is wanted, or if the header has a token. The clock stands still while a person logs in.
func (l *Login) client(url string, header http.Header, t Terminal, clock *patience) (*http.Client, error) {
	if l.How == LoginNever || header.Get("Authorization") != "" {
		return nil, nil
	}
	auth, err := mcpauth.New(url, mcpauth.Options{
		Grant: l.grant(t, clock), Client: mcpauth.Client{ID: l.ClientID, Secret: l.ClientSecret}, Store: tokenStore(),
		AllowParentResource: l.AllowParent,
	})
	if err != nil {
		return nil, err
	}
	client := auth.Client()
	client.Transport = advising{auth}
	return client, nil
}

// advising adds what to do to the error of a request for which there is no token.
type advising struct{ *mcpauth.Transport }

// RoundTrip implements [http.RoundTripper].
func (a advising) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := a.Transport.RoundTrip(r)
	if errors.Is(err, mcpauth.ErrNoGrant) {
		err = fmt.Errorf("%w: log in with --login browser, or %s", err, sendToken)
	}
	return resp, err
}

const sendToken = "send a token with -H 'Authorization: Bearer TOKEN'"

// HTTP returns how requests to a server at a URL are sent: the header of each, and a client that logs in when it has to, which is nil for the default one.
func (s *Server) HTTP(t Terminal) (http.Header, *http.Client, error) {
	header, err := s.Header()
	if err != nil {
		return nil, nil, &UsageError{err}
	}
	client, err := s.Login.client(s.URL, header, t, cmp.Or(t.clock, new(patience)))
	return header, client, err
}

// tokenStore keeps tokens in the configuration of the person. Without one they are kept as long as the program runs.
func tokenStore() mcpauth.Store {
	folder, err := os.UserConfigDir()
	if err != nil {
		return new(mcpauth.Memory)
	}
	return mcpauth.Files(filepath.Join(folder, "rpcgen", "tokens"))
}

// grant returns the way to get tokens. It is nil if no person can be asked: then only those that are kept are used.
func (l *Login) grant(t Terminal, clock *patience) mcpauth.Grant {
	switch {
	case l.How == LoginClient:
		return &mcpauth.ClientCredentials{}
	case l.How == LoginBrowser, t.Interactive:
		return &mcpauth.Login{Agent: timedAgent{&mcpauth.Loopback{Open: browserFor(t.Err), RedirectURI: l.RedirectURI}, clock}}
	}
	return nil
}

// browserFor opens a page in a browser, and shows its URL, for browsers on other machines and for when there is none.
func browserFor(out io.Writer) func(context.Context, string) error {
	return func(ctx context.Context, url string) error {
		fmt.Fprintf(out, "The server requires a login. If no browser opens, open this page on this machine:\n%s\n", text.Line(url))
		if err := mcpauth.OpenBrowser(ctx, url); err != nil {
			fmt.Fprintln(out, "no browser was opened:", err)
		}
		return nil
	}
}

// explain adds what to do to an error about a token that is missing.
func explain(err error) error {
	if refused, ok := errors.AsType[*rpchttp.StatusError](err); ok && refused.Status == http.StatusUnauthorized {
		return fmt.Errorf("%w: %s", err, sendToken)
	}
	return err
}

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
		if left := p.timeLeft(wait); left > 0 && limited.Err() == nil {
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

// timeLeft is how much of a time the server has because a person was asked.
func (p *patience) timeLeft(wait time.Duration) time.Duration {
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
