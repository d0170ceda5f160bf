package backend_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend/backendoauth"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
)

// spelled are ways in which an API writes what it was sent.
func spelled(secret string) []string {
	quoted, _ := json.Marshal(secret)
	inner, units := string(quoted[1:len(quoted)-1]), ""
	for _, c := range []byte(secret) {
		units += fmt.Sprintf(`\u%04x`, c)
	}
	return []string{secret, url.QueryEscape(secret), url.PathEscape(secret), inner, units, html.EscapeString(secret), "Bearer " + secret, "https://api.example/a?api_key=" + url.QueryEscape(secret)}
}

// TestRepeatedCredentials: an API that repeats what it was sent, in whichever spelling, does not get it into errors, their data, deviations and logs.
func TestRepeatedCredentials(t *testing.T) {
	const secret = `s3cret/of+"service"&account`
	text := func(status int, media string) func(string) (int, string, string) {
		return func(said string) (int, string, string) { return status, media, said }
	}
	within := func(status int, form string) func(string) (int, string, string) {
		return func(said string) (int, string, string) {
			quoted, _ := json.Marshal(said)
			return status, "application/json", fmt.Sprintf(form, quoted)
		}
	}
	issues := func(c *rpc.Backend) error {
		_, err := c.IssuesList(context.Background(), list)
		return err
	}
	droplet := func(c *rpc.Backend) error {
		_, err := c.DropletCreate(context.Background(), rpc.DropletCreateInput{Project: "p", Name: "n"})
		return err
	}
	paid := func(c *rpc.Backend) error {
		_, err := c.ChargeCreate(context.Background(), rpc.ChargeCreateInput{Amount: 1, Currency: "eur"})
		return err
	}
	token := backend.Fixed{"token": backend.Bearer(secretToken), "secret": backend.Basic("service", secretToken)}
	keys := backend.Fixed{"key": backend.Key(secret), "app": backend.Key(secretToken), "session": backend.Key(secretToken), "secret": backend.Basic("me", secret)}
	userOnly := backend.Fixed{"secret": backend.Basic(secretToken, "x")}
	for name, test := range map[string]struct {
		credentials backend.Credentials
		secrets     []string
		call        func(*rpc.Backend) error
		answer      func(said string) (status int, media, body string)
	}{
		"a debug page":                  {token, []string{secretToken}, issues, within(500, `{"error":{"headers":{"Authorization":%s}}}`)},
		"a message":                     {token, []string{secretToken}, issues, within(500, `{"message":%s,"errors":["x"]}`)},
		"details":                       {token, []string{secretToken}, issues, within(500, `{"message":"m","errors":[%s]}`)},
		"text":                          {token, []string{secretToken}, issues, text(500, "text/plain")},
		"no JSON":                       {token, []string{secretToken}, issues, text(200, "text/plain")},
		"another form":                  {token, []string{secretToken}, issues, within(200, `{"message":%s}`)},
		"an unknown member":             {token, []string{secretToken}, issues, within(200, `[{"number":1,"title":"a","state":%s}]`)},
		"half an answer":                {token, []string{secretToken}, issues, within(200, `[{"number":%s`)},
		"a declared error":              {token, []string{secretToken}, issues, within(404, `{"message":%s}`)},
		"keys":                          {keys, []string{secret, secretToken}, issues, text(500, "text/plain")},
		"keys, JSON":                    {keys, []string{secret, secretToken}, issues, within(500, `{"message":%s}`)},
		"a password":                    {keys, []string{secret, base64.StdEncoding.EncodeToString([]byte("me:" + secret))}, paid, text(500, "text/plain")},
		"a key in place of a user":      {userOnly, []string{secretToken}, paid, text(500, "text/plain")},
		"the state of some work":        {token, []string{secretToken}, droplet, within(500, `{"error":{"message":%s}}`)},
		"a number in place of an index": {token, []string{secretToken}, issues, within(200, `[{"number":%s}]`)},
	} {
		for _, secret := range test.secrets {
			for _, said := range spelled(secret) {
				var log bytes.Buffer
				var deviations []backend.Deviation
				status, media, body := test.answer("before " + said + " after")
				c := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
					if strings.HasSuffix(r.URL.Path, "/droplets") {
						says(202, created)(w, r)
						return
					}
					says(status, body, "Content-Type", media)(w, r)
				}).client(t, func(o *backend.Options) {
					o.Credentials, o.Tries, o.Logger = test.credentials, 1, slog.New(slog.NewTextHandler(&log, nil))
					o.OnDeviation = func(_ context.Context, d backend.Deviation) { deviations = append(deviations, d) }
				})
				err := test.call(c)
				if err == nil && len(deviations) == 0 {
					t.Errorf("%s: no error", name)
				}
				data := ""
				if e, ok := errors.AsType[interface {
					error
					AppendData([]byte) []byte
				}](err); ok {
					data = string(e.AppendData(nil))
				}
				all := fmt.Sprintf("%v %s %+v %s", err, data, deviations, &log)
				for _, part := range []string{said, secret, secret[:8], secret[len(secret)-8:]} {
					if strings.Contains(all, part) {
						t.Errorf("%s: %q is repeated as %s", name, said, all)
						break
					}
				}
				if err != nil && !strings.Contains(all, "[secret]") && len(deviations) == 0 {
					t.Errorf("%s: %q is not there: %s", name, said, all)
				}
			}
		}
	}
}

const secretToken = "sk-SERVICE-ACCOUNT-0123456789"

// TestRepeatedLater: credentials of earlier tries are secrets, too, and those that a transport adds.
func TestRepeatedLater(t *testing.T) {
	n := 0
	a := newAPI(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 1 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		says(500, fmt.Sprintf(`{"message":"first-token-123 second-token-456 %s"}`, r.Header.Get("Proxy-Authorization")))(w, r)
	})
	c := a.client(t, func(o *backend.Options) {
		o.Credentials = backend.Func(func(_ context.Context, q backend.Ask) (backend.Credential, error) {
			if q.Refused {
				return backend.Bearer("second-token-456"), nil
			}
			return backend.Bearer("first-token-123"), nil
		})
		o.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			r.Header.Set("Proxy-Authorization", "Bearer added-token-789")
			return http.DefaultTransport.RoundTrip(r)
		})
	})
	_, err := c.IssuesList(t.Context(), list)
	if err == nil || !strings.HasSuffix(err.Error(), ": [secret] [secret] Bearer [secret]") {
		t.Error(err)
	}
}

// TestRepeatedData: the members of a declared error hide credentials, results do not: they are what the API says.
func TestRepeatedData(t *testing.T) {
	token := func(o *backend.Options) { o.Credentials = backend.Fixed{"token": backend.Bearer(secretToken)} }
	_, err := newAPI(t, says(404, `{"message":"no `+secretToken+`"}`)).client(t, token).IssuesList(t.Context(), list)
	if e, ok := errors.AsType[*rpc.NotFoundError](err); !ok || e.Message != "no [secret]" {
		t.Error(err)
	}
	out, err := bearers(t, nil).client(t, token).IssuesList(t.Context(), list)
	if err != nil || out.Issues[0].User.Login != secretToken {
		t.Error(out, err)
	}
}

// TestRepeatedByTransport: the error of a transport, which may hold what the server sent, is logged without credentials.
func TestRepeatedByTransport(t *testing.T) {
	var log bytes.Buffer
	var cause error
	c := newAPI(t, says(200, ``)).client(t, func(o *backend.Options) {
		o.Credentials, o.Tries, o.Logger = backend.Fixed{"token": backend.Bearer(secretToken)}, 1, slog.New(slog.NewTextHandler(&log, nil))
		o.Transport = roundTripper(func(*http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("malformed HTTP version %q: %w", "Bearer "+secretToken, io.ErrUnexpectedEOF)
		})
		o.OnCall = func(_ context.Context, e backend.Event) { cause = errors.Unwrap(e.Err) }
	})
	if _, err := c.IssuesList(t.Context(), list); err == nil || strings.Contains(err.Error(), secretToken) {
		t.Error(err)
	}
	if strings.Contains(log.String(), secretToken) || !strings.Contains(log.String(), "malformed") || !errors.Is(cause, io.ErrUnexpectedEOF) || strings.Contains(cause.Error(), secretToken) {
		t.Error(log.String(), cause)
	}
}

// TestRepeatedByAuthority: an authorization server that repeats a secret does not get it into the error, which is logged.
func TestRepeatedByAuthority(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		says(400, fmt.Sprintf(`{"error":"bad_secret:%s"}`, password))(w, r)
	}))
	defer site.Close()
	_, err := backendoauth.Machine(backendoauth.Options{ClientID: "client", ClientSecret: "client-secret", Token: site.URL}).Credential(t.Context(), backend.Ask{})
	if err == nil || !strings.Contains(err.Error(), "bad_secret:[secret]") {
		t.Error(err)
	}
}

// TestRepeatedByLink: the cursor that is made of a link, which callers can read, does not hold a credential that the API has put into the link, and the list goes on.
func TestRepeatedByLink(t *testing.T) {
	a := newAPI(t, says(200, `[]`, "Link", `</repos/o/r/issues?page=2&access_token=`+secretToken+`>; rel="next"`))
	c := a.client(t, func(o *backend.Options) { o.Credentials = backend.Fixed{"token": backend.Bearer(secretToken)} })
	out, err := c.IssuesList(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	next := list
	next.Cursor = out.Next
	if _, err := c.IssuesList(t.Context(), next); err != nil || !strings.HasSuffix(a.last(), "?page=2") || a.header.Get("Authorization") != "Bearer "+secretToken {
		t.Error(a.last(), err)
	}
}
