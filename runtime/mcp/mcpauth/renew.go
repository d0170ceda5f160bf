package mcpauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// load reads the store. The record of another client is none. Nor is one that cannot be used, if there is a way to get
// another token, which replaces it.
func (t *Transport) load(ctx context.Context) (*credentials, error) {
	c, err := t.loadAny(ctx)
	if errors.As(err, new(*uselessError)) && t.o.Grant != nil {
		return &credentials{record: new(Record)}, nil
	}
	if err != nil {
		return nil, t.fail("stored token of", err)
	}
	return c, nil
}

// againAdvice says what to do about a record that cannot be used.
const againAdvice = " (remove it to log in again)"

// loadAny reads the store. The error for a record that cannot be used is a *uselessError.
func (t *Transport) loadAny(ctx context.Context) (*credentials, error) {
	r, err := t.o.Store.Load(ctx, t.server.String())
	if err != nil {
		return nil, err
	}
	if id := t.o.Client.ID; r != nil && id != "" && r.Registration.ClientID != id {
		r = nil
	}
	c := &credentials{record: r.clone()}
	token := &c.record.Token
	t.fetch.secrets.Add(string(token.Access), string(token.Refresh), string(c.record.Registration.Secret))
	if fault := token.fault(); fault != "" {
		return nil, &uselessError{fault + againAdvice}
	}
	if token.Type == schemeDPoP {
		if c.proofs, err = newProofs(c.record.Key); err != nil {
			return nil, &uselessError{err.Error() + againAdvice}
		}
	}
	return c, nil
}

// save writes to the store. A secret that the program has anyway is not kept.
func (t *Transport) save(ctx context.Context, r *Record) error {
	kept := r.clone()
	if t.o.Client.ID != "" {
		kept.Registration.Secret = ""
	}
	if err := t.o.Store.Save(ctx, t.server.String(), kept); err != nil {
		return t.fail("storing the token of", err)
	}
	return nil
}

// renew returns other credentials than those that a challenge rejects. It gets a token unless
// another request has done so. The time does not count for the server.
func (t *Transport) renew(ctx context.Context, rejected *credentials, c *challenge) (*credentials, error) {
	defer protocol.Suspend(ctx)()
	t.mu.Lock()
	before := t.logins
	t.mu.Unlock()
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	t.mu.Lock()
	now, logins, failed := t.now, t.logins, t.failed
	t.mu.Unlock()
	switch {
	case logins > before && failed != nil:
		return nil, failed // the login that this request waited for
	case now != rejected:
		return now, nil
	}
	next, err := t.authorize(ctx, rejected, c)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.logins++
	t.failed = err
	if ctx.Err() != nil {
		t.failed = nil // another request may have more time
	}
	if next != nil {
		t.now = next
	}
	return next, err
}

// authorize gets a token that a challenge asks for.
func (t *Transport) authorize(ctx context.Context, rejected *credentials, c *challenge) (*credentials, error) {
	if stored, err := t.storedCredentials(ctx, rejected); stored != nil || err != nil {
		return stored, err
	}
	if c.fault != nil {
		return nil, t.fail("request to", fmt.Errorf("%w: the challenge has %w", ErrMetadata, c.fault))
	}
	if t.o.Grant == nil && rejected.record.Token.Refresh == "" {
		return nil, errNoGrant(t)
	}
	d, err := t.discover(ctx, c, rejected.record)
	if err != nil {
		return nil, err
	}
	q := &request{discovery: d, t: t, known: rejected.record, next: &Record{Issuer: d.issuer.Issuer}, more: c.forbids()}
	if err := q.choose(rejected, c); err != nil {
		return nil, err
	}
	return q.get(ctx, rejected, c)
}

// storedCredentials returns the credentials of the store if another program has put other ones there, or nil.
func (t *Transport) storedCredentials(ctx context.Context, known *credentials) (*credentials, error) {
	c, err := t.load(ctx)
	if err != nil || c.record.Token.Access == "" || c.record.Token.Access == known.record.Token.Access {
		return nil, err
	}
	return c, nil
}

// same reports whether the authorization server is the one of the known token.
func (q *request) same() bool { return q.known.Issuer == q.issuer.Issuer }

// choose chooses the scopes and the key. It fails if the same request was made before in vain.
func (q *request) choose(rejected *credentials, c *challenge) error {
	var granted []string
	if q.same() {
		granted = q.known.Token.Scopes
		q.next.Key = q.known.Key
	}
	q.scopes = selectScopes(c, q.resource, q.t.o.Scopes, granted)
	if most := mostGranted + len(q.t.o.Scopes); len(q.scopes) > most {
		return q.t.fail("request to", fmt.Errorf("%w: with those that were granted before, the server requires more than %d scopes", ErrMetadata, most))
	}
	if err := q.bind(c); err != nil {
		return err
	}
	if rejected.source != fromGrant || !q.same() {
		return nil
	}
	var err error
	switch {
	case c.forbids() && contains(q.known.Token.Requested, q.scopes):
		err = fmt.Errorf("%w: %q", ErrScope, strings.Join(q.scopes, " "))
	case c.status == http.StatusUnauthorized && !rejected.accepted.Load():
		err = ErrRejected
	default:
		return nil
	}
	return q.t.fail("request to", err)
}

// bind decides whether the token is bound to a key.
func (q *request) bind(c *challenge) (err error) {
	mode := q.t.o.DPoP
	must := mode == DPoPRequired || q.resource.Bound || c.dpop && !c.bearer
	supported := slices.Contains(q.issuer.DPoPAlgs, proofAlgorithm)
	if mode == DPoPNever || !must && !(c.dpop && supported) {
		q.next.Key = ""
		return nil
	}
	q.bound = must
	if q.next.Key == "" {
		if q.next.Key, err = newKey(); err != nil {
			return err
		}
	}
	q.proofs, err = newProofs(q.next.Key)
	return err
}

// get gets the token, by a refresh if that is possible, and keeps it. It returns the token also if
// that cannot be stored: the next request uses it.
func (q *request) get(ctx context.Context, rejected *credentials, c *challenge) (*credentials, error) {
	token := &q.known.Token
	if c.status == http.StatusUnauthorized && token.Refresh != "" && q.same() && contains(token.Requested, c.scopes) &&
		(rejected.source != fromRefresh || rejected.accepted.Load()) {
		if out, err := q.refreshAlone(ctx, rejected, c); out != nil || err != nil {
			return out, err
		}
	}
	if err := q.grant(ctx); err != nil {
		return nil, q.failLogin(ctx, rejected, c, err)
	}
	return q.keep(ctx, fromGrant)
}

// refreshAlone gets the token by a refresh while no other program does so with the same store, or takes the one that another program has stored. It returns nil
// without an error if the refresh token was rejected.
func (q *request) refreshAlone(ctx context.Context, rejected *credentials, c *challenge) (*credentials, error) {
	unlock, err := q.t.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if stored, err := q.t.storedCredentials(ctx, rejected); stored != nil || err != nil {
		return stored, err
	}
	switch done, err := q.refresh(ctx); {
	case err != nil:
		return nil, q.failLogin(ctx, rejected, c, err)
	case !done: // another program may have used the refresh token at the same time, if the store has no lock
		return q.t.storedCredentials(ctx, rejected)
	}
	return q.keep(ctx, fromRefresh)
}

// keep returns the token after storing it.
func (q *request) keep(ctx context.Context, from source) (*credentials, error) {
	out := &credentials{proofs: q.proofs, source: from, record: q.next}
	if q.next.Token.Type != schemeDPoP {
		out.proofs = nil
	}
	return out, q.t.save(ctx, q.next)
}

// failLogin returns the error of a login or a refresh, after forgetting what it was caused by.
func (q *request) failLogin(ctx context.Context, rejected *credentials, c *challenge, err error) error {
	if lost := q.forget(ctx, rejected, c, err); lost != nil {
		return errors.Join(err, lost)
	}
	return err
}

// locker is a [Store] whose records can be locked, for programs and transports that share it.
type locker interface {
	// lock waits until no other one has locked the record of a server, or ctx ends.
	lock(ctx context.Context, server string) (unlock func(), err error)
}

// lock locks the record of the server, if the store can do that. A program that holds a lock for longer than a refresh takes is not waited for.
func (t *Transport) lock(ctx context.Context) (unlock func(), err error) {
	store, ok := t.o.Store.(locker)
	if !ok {
		return func() {}, nil
	}
	waiting, cancel := context.WithTimeout(ctx, 2*t.o.Timeout) // a request that is repeated with a nonce
	defer cancel()
	if unlock, err = store.lock(waiting, t.server.String()); err == nil {
		return unlock, nil
	}
	return func() {}, ctx.Err() // a folder in which nothing can be written has no lock
}

// grant gets the token by the grant of the options.
func (q *request) grant(ctx context.Context) error {
	if q.t.o.Grant == nil {
		return errNoGrant(q.t)
	}
	return q.t.o.Grant.token(ctx, q)
}

func errNoGrant(t *Transport) error { return t.fail("request to", ErrNoGrant) }

// forget removes the registration that the client has made if a login has failed because of it. Some
// authorization servers tell only the person that they do not know a client; then the login ends
// without a redirect.
func (q *request) forget(ctx context.Context, rejected *credentials, c *challenge, cause error) error {
	blamed := is(cause, "invalid_client", "unauthorized_client") || errors.Is(cause, context.DeadlineExceeded)
	if !blamed || c.status != http.StatusUnauthorized || !q.known.Registration.Dynamic || q.next.Registration != q.known.Registration {
		return nil
	}
	record := q.known.clone()
	record.Registration, record.Token = Registration{}, Token{}
	q.t.mu.Lock()
	q.t.now = &credentials{record: record, source: rejected.source}
	q.t.mu.Unlock()
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.t.o.Timeout)
	defer cancel()
	return q.t.save(within, record)
}
