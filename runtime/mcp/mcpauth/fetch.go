package mcpauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// fetcher makes the requests to authorization servers, and those for metadata. All are limited in
// time and size.
type fetcher struct {
	guard   *guard
	client  *http.Client
	timeout time.Duration
	most    int // bytes of an answer
	secrets *web.Secrets
}

func newFetcher(server *url.URL, o *Options) *fetcher {
	f := &fetcher{guard: &guard{server: server, private: o.AllowPrivate}, timeout: o.Timeout, most: o.MaxBody, secrets: new(web.Secrets)}
	f.client = &http.Client{Transport: &web.Transport{Transport: f.guard.transport(o.AuthTransport)}, CheckRedirect: f.redirect}
	return f
}

// redirect limits redirects: they are allowed for documents only, since other requests contain
// secrets.
func (f *fetcher) redirect(r *http.Request, via []*http.Request) error {
	const most = 3
	if via[0].Method != http.MethodGet {
		return http.ErrUseLastResponse
	}
	if len(via) > most {
		return fmt.Errorf("%w: more than %d redirects", ErrMetadata, most)
	}
	_, err := f.guard.check(r.URL.String())
	return err
}

// answer is a response that was read.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request.
func (f *fetcher) do(ctx context.Context, method, rawURL string, header http.Header, body []byte) (*answer, error) {
	if _, err := f.guard.check(rawURL); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, rawURL, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBlocked, err)
	}
	r.Header = header
	resp, err := f.client.Do(r)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer resp.Body.Close()
	a := &answer{status: resp.StatusCode, header: resp.Header}
	a.body, err = web.ReadAtMost(resp.Body, resp.ContentLength, f.most)
	if err == web.ErrBodyTooLarge {
		err = fmt.Errorf("%w of %d bytes", ErrTooLarge, f.most)
	}
	return a, err
}

// withoutURL removes the URL from an error of package net/http: it is reported elsewhere.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// errAbsent means that there is no document at a URL.
var errAbsent = fmt.Errorf("%w: there is no such document", ErrMetadata)

// document reads a JSON object. The error is errAbsent if the server has none there: some servers
// answer with a page for people instead of 404. Static hosts give names without an extension other
// media types than JSON, or none.
func (f *fetcher) document(ctx context.Context, rawURL string, into any) error {
	a, err := f.do(ctx, http.MethodGet, rawURL, http.Header{"Accept": {web.JSON}}, nil)
	switch {
	case err != nil:
		return err
	case a.status/100 == 4, a.status == http.StatusOK && !isJSON(a.header) && !(bytes.HasPrefix(bytes.TrimSpace(a.body), []byte("{")) && json.Valid(a.body)):
		return errAbsent
	case a.status != http.StatusOK:
		return fmt.Errorf("%w: the server answered %d", ErrMetadata, a.status)
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		return fmt.Errorf("%w: %w", ErrMetadata, err)
	}
	return nil
}

// isJSON reports whether the type of a response is JSON.
func isJSON(h http.Header) bool {
	t, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return t == web.JSON || strings.HasSuffix(t, "+json")
}
