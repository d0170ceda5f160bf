package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptrace"
	urlpkg "net/url"
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
		return nil, failed.Err
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
