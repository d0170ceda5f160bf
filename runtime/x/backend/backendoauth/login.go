package backendoauth

import (
	"cmp"
	"context"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/outer"
	"github.com/rpcgen-go/rpcgen/runtime/internal/owner"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
)

// LoginOptions say how principals log in at an API.
type LoginOptions struct {
	Options

	// URL is where browsers reach the [Login], which the program serves there: https, or http on this machine. The redirect URL to register at the authorization
	// server is URL/callback.
	URL string

	// Store keeps the tokens. The default is memory. Processes that share one find what the others have got: a token in memory is compared with the store before
	// it is refreshed, and each minute, so that one which is removed there is used for a minute at most. If it has a lock, see [backend.Store], a token is
	// refreshed by one process at a time.
	Store backend.Store

	// User returns the principal whose browser sends a request, by a session of the program's own; empty if there is none. A login counts for the principal that
	// asked for it alone, so that a person cannot be made to log in for another, and calls without a principal get [backend.ErrNoCredential]. If User is nil, only
	// calls without a principal can log in, of a client over the standard streams or in memory, by a browser on this machine: calls over HTTP, WebSocket, TCP,
	// Unix sockets and NATS are refused.
	User func(*http.Request) string

	// Key seals logins that have begun in their URLs, so that each process with the same Key, URL and Store can finish them: 32 random bytes, kept secret. Nil:
	// only the process in which a login has begun can finish it.
	Key []byte
}

// Login gives tokens of principals who log in at the API, by an authorization code with PKCE (RFC 6749 section 4.1, RFC 7636). A call of a principal without a
// token sends its user to a URL, and goes on when the login is done. A client that cannot send its user there gets an error with the URL.
//
// It is also the http.Handler of the pages below that URL.
type Login struct {
	o      LoginOptions
	base   *url.URL
	tokens tokens[backend.Owner]
	sealed cipher.AEAD // nil without a key
	shared bool        // other processes may have the store

	mu      sync.Mutex
	pending map[string]*pending        // by state
	of      map[backend.Owner]*pending // the one of each owner
	odd     map[backend.Owner]bool     // whose token in the store was logged as none
}

// pending is a login that has begun.
type pending struct {
	state, verifier, browser string
	ask                      backend.Ask
	until                    time.Time
	done                     chan struct{} // closed when there is a token
	foreign                  bool          // it has begun in another process
}

// Limits of logins that have begun.
const (
	maxPending  = 10_000
	loginWithin = 10 * time.Minute
	lookEvery   = time.Second     // for a token that another process has got
	lookAfter   = time.Minute     // whether the store still holds the token in memory
	lookAgain   = 4               // times in a second, after a refusal
	useWithin   = 5 * time.Second // one use of the store
	lockWithin  = requestTimeout + useWithin
)

// NewLogin returns a Login. The error says which option is not valid.
func NewLogin(o LoginOptions) (*Login, error) {
	at, err := endpoint(o.URL)
	if err != nil {
		return nil, fmt.Errorf("backendoauth: URL: %w", err)
	}
	if o.ClientID == "" {
		return nil, errors.New("backendoauth: ClientID is empty")
	}
	shared := o.Store != nil
	if !shared {
		o.Store = new(backend.Memory)
	}
	base, err := url.Parse(strings.TrimRight(at, "/"))
	if err != nil || base.RawQuery != "" {
		return nil, errors.New("backendoauth: URL has a query")
	}
	l := &Login{o: o, shared: shared, base: base, pending: map[string]*pending{}, of: map[backend.Owner]*pending{}}
	if o.Key != nil {
		if l.sealed, err = sealer(o.Key); err != nil {
			return nil, fmt.Errorf("backendoauth: Key: %w", err)
		}
	}
	return l, nil
}

// Credential implements [backend.Credentials].
func (l *Login) Credential(ctx context.Context, q backend.Ask) (backend.Credential, error) {
	switch is := owner.Of(ctx, q.Principal); {
	case l.o.User != nil && is != owner.Principal:
		return backend.Credential{}, fmt.Errorf("%w: the call has no principal who could log in", backend.ErrNoCredential)
	case l.o.User == nil && is != owner.Operator:
		return backend.Credential{}, errors.New("backendoauth: LoginOptions.User is nil: then only a client over the standard streams or in memory can log " +
			"in, without a principal")
	}
	t, err := l.tokens.use(ctx, q.Owner(), func(old *token) (*token, error) { return l.tokenFor(ctx, q, old) })
	if err != nil || t != nil {
		return credential(t, err)
	}
	p, err := l.begin(q)
	if err != nil {
		return backend.Credential{}, err
	}
	if err := l.send(outer.From(ctx), q, l.page("/start", p.state)); err != nil {
		return backend.Credential{}, err
	}
	if t, err = l.wait(ctx, q, p); errors.Is(err, errWaited) {
		return backend.Credential{}, l.elsewhere(q, l.page("/start", p.state))
	}
	if err == nil && t == nil {
		err = fmt.Errorf("%w: there was no login", backend.ErrNoCredential)
	}
	return credential(t, err)
}

var errWaited = errors.New("the call ended before the login")

// wait waits for the end of a login, which may be in another process.
func (l *Login) wait(ctx context.Context, q backend.Ask, p *pending) (*token, error) {
	var look <-chan time.Time
	if l.sealed != nil {
		ticker := time.NewTicker(lookEvery)
		defer ticker.Stop()
		look = ticker.C
	}
	for over := false; ; {
		t, err := l.tokens.use(ctx, q.Owner(), func(old *token) (*token, error) { return l.load(ctx, q, old) })
		if ctx.Err() != nil {
			return nil, errWaited
		}
		if over || t != nil {
			l.over(p)
			return t, err
		} // a store that fails meanwhile is asked again
		select {
		case <-p.done:
			over = true
		case <-look:
		case <-ctx.Done():
			return nil, errWaited
		}
	}
}

// load returns the token of a principal, or nil if there is none. The one in memory is compared with the store each minute, because other processes replace and
// remove tokens there; while the store fails, it is used on.
func (l *Login) load(ctx context.Context, q backend.Ask, known *token) (*token, error) {
	switch {
	case known != nil && known.unsaved:
		_ = l.save(ctx, q.Owner(), known) // the call that has got it has failed with the error
		return known, nil
	case known != nil && time.Since(known.looked) < lookAfter:
		return known, nil
	}
	t, err := l.storedToken(ctx, q.Owner())
	if err != nil && known != nil {
		return known, nil
	}
	return t, err
}

// storedToken returns the token in the store, or nil if there is none. What is not a token is logged once, and counts as none.
func (l *Login) storedToken(ctx context.Context, o backend.Owner) (*token, error) {
	within, cancel := context.WithTimeout(ctx, useWithin)
	defer cancel()
	text, err := l.o.Store.Load(within, o)
	if _, cut := errors.AsType[*json.SyntaxError](err); err != nil && !cut {
		return nil, err
	}
	if err == nil && text == nil {
		return nil, nil
	}
	t := &token{looked: time.Now()}
	if err == nil && json.Unmarshal(text, t) == nil && (t.Access != "" || t.Refresh != "") {
		return t, nil
	}
	if l.logsOdd(o) {
		slog.WarnContext(ctx, "the store of a login holds what is not a token: the principal has to log in again", "backend", o.Backend, "scheme", o.Scheme,
			"principal", o.Principal)
	}
	return nil, nil
}

// logsOdd reports whether the log has to say that the store holds no token of an owner: it is true once for each.
func (l *Login) logsOdd(o backend.Owner) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.odd[o] || len(l.odd) >= maxPending {
		return false
	}
	if l.odd == nil {
		l.odd = map[backend.Owner]bool{}
	}
	l.odd[o] = true
	return true
}

// tokenFor returns the token of a principal, refreshed if it has to be. It is nil if the principal has to log in. A refresh begins with what the store holds:
// another process may have used the refresh token that is in memory. Processes refresh one after another, if the store has a lock.
func (l *Login) tokenFor(ctx context.Context, q backend.Ask, known *token) (*token, error) {
	t, err := l.load(ctx, q, known)
	switch {
	case err != nil:
		return known, err
	case t == nil || t.serves(q):
		return t, nil
	}
	unlock, err := l.lock(ctx, q.Owner())
	if err != nil {
		return known, err
	}
	defer unlock()
	if !t.unsaved {
		if t, err = l.storedToken(ctx, q.Owner()); err != nil {
			return known, err
		}
	}
	const most = 3 // refresh tokens, of other processes
	for range most {
		switch {
		case t == nil || t.serves(q):
			return t, nil
		case t.Refresh == "":
			return nil, l.remove(ctx, q.Owner(), t)
		}
		whole := context.WithoutCancel(ctx) // a caller that gives up would lose what the refresh token is exchanged for; the request and the store have limits
		fresh, err := l.o.request(whole, q, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {t.Refresh}})
		if err == nil {
			fresh.Refresh = cmp.Or(fresh.Refresh, t.Refresh)
			return fresh, l.save(whole, q.Owner(), fresh)
		}
		if refused, ok := errors.AsType[*errorAnswer](err); !ok || !refused.ends {
			return t, err // all other failures may be temporary
		}
		if t, err = l.successor(ctx, q, t); err != nil {
			return t, err
		}
	}
	return t, nil
}

// locker is a [backend.Store] in which processes can lock what they are about to replace.
type locker interface {
	Lock(ctx context.Context, o backend.Owner) (unlock func(), err error)
}

// lock locks an owner in the store, if that can be done. A process that holds a lock for longer than a refresh takes is not waited for.
func (l *Login) lock(ctx context.Context, o backend.Owner) (unlock func(), err error) {
	store, ok := l.o.Store.(locker)
	if !ok {
		return func() {}, nil
	}
	waiting, cancel := context.WithTimeout(ctx, lockWithin)
	defer cancel()
	if unlock, err = store.Lock(waiting, o); err == nil {
		return unlock, nil
	}
	if ctx.Err() == nil {
		slog.WarnContext(ctx, "a token is refreshed without a lock, which the store does not give", "backend", o.Backend, "scheme", o.Scheme, "error", err)
	}
	return func() {}, context.Cause(ctx)
}

// successor returns the token that another process has put in the place of one whose refresh token was refused, or nil if there is none: then that one is
// removed.
func (l *Login) successor(ctx context.Context, q backend.Ask, t *token) (*token, error) {
	for n := 0; ; n++ {
		other, err := l.storedToken(ctx, q.Owner())
		switch {
		case err != nil:
			return t, err
		case other == nil || !other.is(t):
			return other, nil
		case n == lookAgain || !l.shared:
			return nil, l.keep(ctx, q.Owner(), nil)
		}
		select { // another process that has used it may be about to save what it got
		case <-time.After(time.Second / lookAgain):
		case <-ctx.Done():
			return t, context.Cause(ctx)
		}
	}
}

// remove removes a token from the store, unless another one is there.
func (l *Login) remove(ctx context.Context, o backend.Owner, t *token) error {
	other, err := l.storedToken(ctx, o)
	if err != nil || !other.is(t) {
		return err
	}
	return l.keep(ctx, o, nil)
}

// save keeps a token in the store. It notes whether that has worked.
func (l *Login) save(ctx context.Context, o backend.Owner, t *token) error {
	text, err := json.Marshal(t)
	if err == nil {
		err = l.keep(ctx, o, text)
	}
	t.looked, t.unsaved = time.Now(), err != nil
	return err
}

// keep replaces what the store has for an owner.
func (l *Login) keep(ctx context.Context, o backend.Owner, text []byte) error {
	within, cancel := context.WithTimeout(ctx, useWithin)
	defer cancel()
	return l.o.Store.Save(within, o, text)
}

// begin returns the login of a principal that has begun, or a new one.
func (l *Login) begin(q backend.Ask) (*pending, error) {
	if _, err := endpoint(cmp.Or(l.o.Authorize, q.Authorize)); err != nil {
		return nil, fmt.Errorf("the authorization endpoint: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for state, p := range l.pending {
		if time.Now().After(p.until) {
			l.end(state, p)
		}
	}
	if p := l.of[q.Owner()]; p != nil {
		return p, nil
	}
	if len(l.pending) >= maxPending {
		return nil, errors.New("too many logins have begun")
	}
	p := &pending{state: rand.Text(), verifier: rand.Text() + rand.Text(), browser: rand.Text(), ask: q, until: time.Now().Add(loginWithin),
		done: make(chan struct{})}
	if l.sealed != nil {
		var err error
		if p.state, err = l.seal(p); err != nil {
			return nil, err
		}
	}
	l.pending[p.state], l.of[q.Owner()] = p, p
	return p, nil
}

// end forgets a login. The lock is held.
func (l *Login) end(state string, p *pending) {
	delete(l.pending, state)
	if l.of[p.ask.Owner()] == p {
		delete(l.of, p.ask.Owner())
	}
}

func (l *Login) page(path, state string) string {
	u := *l.base
	u.Path += path
	u.RawQuery = url.Values{"state": {state}}.Encode()
	return u.String()
}

// send sends the user of the client to a page. The error is the one that the caller gets.
func (l *Login) send(ctx context.Context, q backend.Ask, page string) error {
	result, err := mcp.ElicitURL(ctx, "log-in-"+q.Backend+"-"+q.Scheme, mcp.ElicitRequestURLParams{Message: "Log in to " + q.Backend + " so that " +
		q.Tool + " can act for you.", URL: page})
	if _, rounds := errors.AsType[*mcp.InputRequired](err); rounds {
		return &outer.Passing{Err: err}
	}
	if err != nil {
		return l.elsewhere(q, page)
	}
	if result.Action != "accept" {
		return &backend.Error{Kind: backend.Denied, Text: "the user did not log in to " + q.Backend}
	}
	return nil
}

// elsewhere is the error for a client that cannot send its user to a page, or whose user takes long.
func (l *Login) elsewhere(q backend.Ask, page string) error {
	return &backend.Error{Kind: backend.Denied, Text: "the user has to log in to " + q.Backend + " first, at " + page + " : then call the tool again"}
}

// ServeHTTP implements http.Handler: GET URL/start sends a browser to the authorization server, which sends it back to URL/callback.
func (l *Login) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.AwaitBody(w, r, web.BodyTime)
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet {
		http.Error(w, "a browser gets this page", http.StatusMethodNotAllowed)
		return
	}
	p := l.find(r.URL.Query().Get("state"))
	switch {
	case p == nil || time.Now().After(p.until):
		http.Error(w, "This login is over, or never began. Call the tool again.", http.StatusNotFound)
	case !l.isUser(p, r):
		http.Error(w, "Another user has begun this login.", http.StatusForbidden)
	case strings.HasSuffix(r.URL.Path, "/start"):
		l.start(w, r, p)
	case strings.HasSuffix(r.URL.Path, "/callback"):
		l.callback(w, r, p)
	default:
		http.NotFound(w, r)
	}
}

// isUser reports whether a browser is that of the principal which has begun a login.
func (l *Login) isUser(p *pending, r *http.Request) bool {
	if l.o.User != nil {
		who := l.o.User(r)
		return who != "" && who == p.ask.Principal
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	return err == nil && net.ParseIP(host).IsLoopback() && p.ask.Principal == ""
}

const cookieName = "rpcgen-login"

func (l *Login) start(w http.ResponseWriter, r *http.Request, p *pending) {
	at, err := url.Parse(cmp.Or(l.o.Authorize, p.ask.Authorize))
	if err != nil {
		http.Error(w, "The address of the authorization server is not valid.", http.StatusInternalServerError)
		return
	}
	q := at.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": l.o.ClientID, "redirect_uri": l.redirect(), "state": p.state, "code_challenge": challenge(p.verifier), "code_challenge_method": "S256",
		"scope": strings.Join(l.o.scopes(p.ask), " "), "audience": l.o.Audience, "resource": l.o.Resource,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	at.RawQuery = q.Encode()
	l.setCookie(w, p.browser, int(loginWithin.Seconds()))
	http.Redirect(w, r, at.String(), http.StatusFound)
}

// setCookie sets the cookie of the browser, for so many seconds; -1 deletes it.
func (l *Login) setCookie(w http.ResponseWriter, value string, age int) {
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: value, Path: cmp.Or(l.base.Path, "/"), MaxAge: age, HttpOnly: true,
		Secure: l.base.Scheme == "https", SameSite: http.SameSiteLaxMode})
}

func (l *Login) redirect() string { return l.base.String() + "/callback" }

func (l *Login) callback(w http.ResponseWriter, r *http.Request, p *pending) {
	if c, err := r.Cookie(cookieName); err != nil || c.Value != p.browser {
		http.Error(w, "This login has begun in another browser.", http.StatusForbidden)
		return
	}
	l.setCookie(w, "", -1) // a page that is loaded again does not use the code twice, whichever process gets the request
	l.mu.Lock()
	open := l.pending[p.state] != nil || p.foreign
	delete(l.pending, p.state)
	l.mu.Unlock()
	code := r.URL.Query().Get("code")
	if !open || code == "" {
		l.over(p)
		http.Error(w, "The login was not finished. Call the tool again.", http.StatusBadRequest)
		return
	}
	whose := p.ask.Owner()
	_, err := l.tokens.use(r.Context(), whose, func(old *token) (*token, error) {
		fresh, err := l.o.request(r.Context(), p.ask, url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {l.redirect()},
			"code_verifier": {p.verifier}})
		if err != nil {
			return old, err
		}
		unlock, err := l.lock(r.Context(), whose) // a refresh of the token that this one replaces ends first
		if err != nil {
			return old, err
		}
		defer unlock()
		if err := l.save(r.Context(), whose, fresh); err != nil {
			return old, err
		}
		return fresh, nil
	})
	l.over(p)
	if err != nil {
		http.Error(w, "The login failed. Call the tool again.", http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("You are logged in. You can close this window.\n"))
}

// over ends a login: who waits for it goes on, with the token that there is now, or without one.
func (l *Login) over(p *pending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end(p.state, p)
	select {
	case <-p.done:
	default:
		close(p.done)
	}
}
