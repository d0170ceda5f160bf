package backend

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// answer is what an API answered.
type answer struct {
	status int
	header http.Header
	body   []byte
	wait   time.Duration // Retry-After
}

// isJSON reports whether the answer says that it is JSON.
func (a *answer) isJSON() bool {
	media, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	media = strings.ToLower(strings.TrimSpace(media))
	return strings.HasSuffix(media, "/json") || strings.HasSuffix(media, "+json")
}

// repeats reports whether the call may be sent again.
func (c *Call) repeats() bool {
	switch c.Method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete:
		return true
	}
	return c.Idempotent || c.RetryKey != ""
}

// The states of an answer after which a call is sent again.
func passes(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// send sends the request, again if that is safe, until there is an answer that stays.
func (c *Client) send(ctx context.Context, q *request, e *Event) (*answer, error) {
	if q.call.RetryKey != "" {
		q.header.Set(q.call.RetryKey, rand.Text())
	}
	tries := 1
	if q.call.repeats() {
		tries = c.opts.Tries
	}
	refused := false
	for try := 1; ; try++ {
		e.Tries++
		q.try = e.Tries
		a, err := c.try(ctx, q, e.Principal, refused)
		if a != nil {
			e.Status = a.status
		}
		switch {
		case err != nil && (try >= tries || !isLost(err)):
			return nil, unwrapLost(err)
		case err == nil && a.status == http.StatusUnauthorized && !refused && !q.call.Anonymous && len(q.call.Auth)+len(c.api.Auth) > 0:
			refused = true // a credential that has expired is asked for once more; a refused call was not carried out
			tries = max(tries, try+1)
			continue
		case err == nil && (try >= tries || !passes(a.status)):
			return a, nil
		}
		wait := time.Duration(0)
		if a != nil {
			wait = a.wait
		}
		if wait <= 0 {
			wait = backoff(try)
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
			return a, unwrapLost(err)
		}
		if err := web.Sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// backoff is how long to wait after a try: up to half a second, doubling up to 64 seconds.
func backoff(try int) time.Duration {
	const doubled = 7 // times
	most := int64(500*time.Millisecond) << min(try-1, doubled)
	n, err := rand.Int(rand.Reader, big.NewInt(most))
	if err != nil {
		return time.Duration(most)
	}
	return time.Duration(n.Int64())
}

// lostError means that no part of an answer came.
type lostError struct{ err *Error }

func (e *lostError) Error() string { return e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }

// unwrapLost returns the error that callers see.
func unwrapLost(err error) error {
	if l, ok := errors.AsType[*lostError](err); ok {
		return l.err
	}
	return err
}

func isLost(err error) bool {
	_, ok := errors.AsType[*lostError](err)
	return ok
}

var errOwnToken = errors.New("the credential is the token of the client")

// try sends the request once.
func (c *Client) try(ctx context.Context, q *request, principal string, refused bool) (*answer, error) {
	secrets, err := c.credentials(ctx, q, principal, refused) // which may wait for a person
	if err != nil {
		return nil, err
	}
	q.carries(secrets)
	entered, err := c.gate.enter(ctx, principal)
	if err != nil {
		return nil, &Error{Kind: Busy, Text: "too many calls of the API run at once: try again later", Cause: err}
	}
	defer c.gate.leave(principal, entered)
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	r, err := c.dress(ctx, q, secrets)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(r)
	if err != nil {
		if cause, ok := errors.AsType[*redirectError](err); ok {
			return nil, &Error{Kind: Refused, Status: cause.status, Text: cause.Error()}
		}
		return nil, &lostError{&Error{Kind: Unreachable, Text: "the API cannot be reached: " + kindOf(err), Cause: q.secrets().HideError(err)}}
	}
	defer response.Body.Close()
	if response.Request != nil && response.Request != r { // the transport has made one of its own, with credentials perhaps
		q.asked = append(q.asked, response.Request.Header)
	}
	a := &answer{status: response.StatusCode, header: response.Header, wait: retryAfter(response.Header.Get("Retry-After"))}
	a.body, err = readAll(io.LimitReader(response.Body, c.opts.MaxAnswer+1), response.ContentLength)
	switch {
	case int64(len(a.body)) > c.opts.MaxAnswer && a.status >= 300:
		a.body = nil // it is an error, which the status says
	case int64(len(a.body)) > c.opts.MaxAnswer:
		a.body = a.body[:min(maxShown, len(a.body))]
		return nil, odd(q, a, fmt.Sprintf("it has more than %d bytes", c.opts.MaxAnswer))
	case err != nil && a.status < 300:
		return nil, odd(q, a, "it ended early: "+kindOf(err))
	}
	return a, nil
}

// readAll reads everything. The length is what is announced, which may be wrong, or negative if nothing is.
func readAll(r io.Reader, length int64) ([]byte, error) {
	if length <= 0 {
		length = 8 << 10 // most answers have less
	}
	var b bytes.Buffer
	b.Grow(int(min(length, 1<<20)) + bytes.MinRead)
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

// dress makes the HTTP request with its credentials. It is refused if it holds the token of the client.
func (c *Client) dress(ctx context.Context, q *request, secrets []sentCredential) (*http.Request, error) {
	tokens := clientTokens(ctx)
	r := (&http.Request{Method: q.call.Method, URL: q.url, Host: q.url.Host, Header: q.header.Clone(), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).
		WithContext(&attempting{quiet{ctx}, q.sent, Attempt{Backend: c.api.Name, Tool: q.call.Tool, Path: q.call.Path, Try: q.try, call: q.call}})
	if q.body != nil {
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(q.body)), nil }
		r.Body, _ = r.GetBody()
		r.ContentLength = int64(len(q.body))
	}
	for _, s := range secrets {
		if holdsToken(s.value, tokens) {
			return nil, &Error{Kind: Denied, Text: "the credential of scheme " + s.scheme.Name + " is the client's own token, which must not be passed on",
				Cause: errOwnToken}
		}
		switch s.in {
		case "query":
			pair := pairs{}
			pair.pair(pair.escapeName(s.name), s.value)
			u := *r.URL // that of the request is used again
			r.URL = &u
			r.URL.RawQuery = strings.Trim(r.URL.RawQuery+"&"+string(pair.b), "&")
		case "cookie":
			r.AddCookie(&http.Cookie{Name: s.name, Value: s.value})
		default:
			r.Header.Set(s.name, s.value)
		}
	}
	for name, values := range r.Header {
		for _, value := range values {
			if holdsToken(value, tokens) {
				return nil, &Error{Kind: Denied, Text: "the header " + name + " holds the client's own token, which must not be passed on", Cause: errOwnToken}
			}
		}
	}
	if len(tokens) > 0 && holdsInURL(r.URL, tokens) {
		return nil, &Error{Kind: Denied, Text: "the URL holds the client's own token, which must not be passed on", Cause: errOwnToken}
	}
	return r, nil
}

func holdsInURL(u *url.URL, tokens []string) bool {
	for segment := range strings.SplitSeq(u.EscapedPath(), "/") {
		for part := range strings.SplitSeq(segment, ",") { // of a list, whose elements may have commas, which are escaped
			if text, err := url.PathUnescape(part); err != nil || holdsToken(text, tokens) {
				return true
			}
		}
		if text, err := url.PathUnescape(segment); err != nil || holdsToken(text, tokens) {
			return true
		}
	}
	for name, values := range u.Query() {
		for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '[' || r == ']' }) { // of an object, whose members are names
			if holdsToken(part, tokens) {
				return true
			}
		}
		for _, value := range values {
			if holdsToken(value, tokens) {
				return true
			}
		}
	}
	return false
}

// Attempt is one try of a call, which a Transport finds in the context of the request.
type Attempt struct {
	Backend, Tool string
	Path          string // the path of the schema, without values
	Try           int    // from 1

	call *Call
}

// attemptKey is the key of the *Attempt in the context of an HTTP request.
type attemptKey struct{}

// attempting is the context of an HTTP request.
type attempting struct {
	quiet
	sent []sentCredential // credentials
	is   Attempt
}

// Value implements context.Context. A nil *web.Secrets, which other modules do not have, is the key of what the call has sent, a *web.Secrets.
func (a *attempting) Value(key any) any {
	switch key {
	case attemptKey{}:
		return &a.is
	case (*web.Secrets)(nil):
		return &newSecrets(a.sent, nil).Secrets
	}
	return a.quiet.Value(key)
}

// AttemptFrom returns the attempt that an HTTP request belongs to, and reports false for requests that no client of this package made.
func AttemptFrom(ctx context.Context) (Attempt, bool) {
	if a, ok := ctx.Value(attemptKey{}).(*Attempt); ok {
		return *a, true
	}
	return Attempt{}, false
}

// redirectError means that a redirect was not followed.
type redirectError struct {
	status int
	why    string
}

func (e *redirectError) Error() string {
	return "the API answered with a redirect (" + status(e.status) + ") " + e.why
}

// checkRedirect follows redirects on the same origin, three at most. A request with a body is not repeated elsewhere, unless it may be.
func checkRedirect(r *http.Request, via []*http.Request) error {
	attempt, _ := AttemptFrom(via[0].Context())
	call := attempt.call
	if call != nil && call.Link {
		return http.ErrUseLastResponse
	}
	code := http.StatusFound
	if r.Response != nil {
		code = r.Response.StatusCode
	}
	switch {
	case len(via) > maxRedirects:
		return &redirectError{code, "again and again"}
	case !sameOrigin(r.URL, via[0].URL) || r.URL.User != nil:
		return &redirectError{code, "to another host, which is not followed"}
	case r.Method != http.MethodGet && r.Method != http.MethodHead && (call == nil || !call.repeats()):
		return &redirectError{code, "that would send the call again, which is not safe"}
	}
	return nil
}

// kindOf says why there was no answer, without addresses.
func kindOf(err error) string {
	switch text := err.Error(); {
	case errors.Is(err, context.DeadlineExceeded) || strings.Contains(text, "timeout"):
		return "it took too long"
	case strings.Contains(text, "tls:") || strings.Contains(text, "x509:") || strings.Contains(text, "certificate"):
		return "the secure connection failed"
	case strings.Contains(text, "no such host"):
		return "its name is not known"
	case strings.Contains(text, "connection refused"):
		return "it does not accept connections"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(text, "reset") || strings.Contains(text, "broken pipe"):
		return "the connection broke"
	}
	return "the connection failed"
}

// maxWait bounds what Retry-After may say.
const maxWait = 24 * time.Hour

// retryAfter reads Retry-After: seconds or a date (RFC 9110 section 10.2.3).
func retryAfter(text string) time.Duration {
	if text == "" {
		return 0
	}
	if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil {
		return min(max(0, time.Duration(min(n, 1<<30))*time.Second), maxWait)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, time.Until(at)), maxWait)
	}
	return 0
}
