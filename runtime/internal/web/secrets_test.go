package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// odd is a secret with characters that are escaped somewhere.
const odd = `S3cret+word/with=si&gns"<\x41%2`

// texts returns the ways to write a secret in a text.
func texts(secret string) map[string]string {
	quoted, _ := json.Marshal(secret)
	inner := string(quoted[1 : len(quoted)-1])
	all, units := "", ""
	for _, c := range []byte(secret) {
		all += fmt.Sprintf("%%%02x", c)
		units += fmt.Sprintf(`\u%04X`, c)
	}
	entities := ""
	for _, c := range secret {
		entities += fmt.Sprintf("&#%d;", c)
	}
	return map[string]string{
		"plain": secret, "query": url.QueryEscape(secret), "path": url.PathEscape(secret), "JSON": inner, "every byte of a URL": all,
		"every unit of JSON": units, "PHP": strings.ReplaceAll(inner, "/", `\/`), "one unit": units[:6] + inner[1:], "HTML": html.EscapeString(secret),
		"entities": entities, "hex entities": strings.Replace(html.EscapeString(secret), "+", "&#x2B;", 1), "Go": fmt.Sprintf("%q", secret),
		"JSON in JSON":      strings.ReplaceAll(units, `\`, `\\`),
		"URL in JSON":       strings.ReplaceAll(url.QueryEscape(secret), "%", `\u0025`),
		"query, lower case": strings.ToLower(url.QueryEscape("S3cret")) + strings.NewReplacer("%2B", "%2b", "%2F", "%2f", "%3D", "%3d").Replace(url.QueryEscape(secret)),
	}
}

// TestHide: a secret is found in every spelling, and nothing else is changed.
func TestHide(t *testing.T) {
	s := new(web.Secrets)
	s.Add(odd, "token-123456", "token-123456-and-more", "tiny", "")
	for name, text := range texts(odd) {
		got := s.Hide("before " + text + " after")
		if !strings.Contains(got, web.Hidden) || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") || strings.Contains(got, "word") {
			t.Errorf("%s: %q is %q", name, text, got)
		}
	}
	for text, want := range map[string]string{
		"":                                "",
		"a token-123456 tiny":             "a [secret] tiny",
		"token-123456-and-more":           "[secret]",
		"token-123456token-123456":        "[secret][secret]",
		`100% of C:\users &c. &#; %zz \u`: `100% of C:\users &c. &#; %zz \u`,
		`a\u002dtoken%2D123456`:           "a-[secret]",
		"Basic dG9rZW4tMTIzNDU2":          "Basic [secret]",
	} {
		if got := s.Hide(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

// TestHideCut: a long secret is found when its end is missing.
func TestHideCut(t *testing.T) {
	s := new(web.Secrets)
	long := strings.Repeat("0123456789", 20)
	s.Add(long)
	if got := s.Hide("a " + long[:150] + "..."); got != "a [secret]..." {
		t.Error(got)
	}
	if got := s.Excerpt([]byte("\xff" + strings.Repeat(" ", 1<<10) + long)); strings.Contains(got, "0123456789") || !strings.HasPrefix(got, "?") {
		t.Error(got)
	}
	if got := s.Excerpt([]byte(strings.Repeat("x", 90) + long)); !strings.HasSuffix(got, "[secret]") {
		t.Error(got)
	}
}

// TestSecretsOfHeader: what is secret of the headers of a request.
func TestSecretsOfHeader(t *testing.T) {
	basic := &http.Request{Header: http.Header{}}
	basic.SetBasicAuth("my-user", url.QueryEscape("pass+word"))
	for name, test := range map[string]struct {
		header http.Header
		secret []string
	}{
		"bearer":   {http.Header{"Authorization": {"Bearer  token-1"}}, []string{"token-1"}},
		"a token":  {http.Header{"Authorization": {"token-1"}}, []string{"token-1"}},
		"basic":    {basic.Header, []string{"pass+word", "pass%2Bword", strings.TrimPrefix(basic.Header.Get("Authorization"), "Basic ")}},
		"proxy":    {http.Header{"Proxy-Authorization": {"Bearer token-1"}}, []string{"token-1"}},
		"cookies":  {http.Header{"Cookie": {"a=session-1; b=session-2"}}, []string{"session-1", "session-2"}},
		"API key":  {http.Header{"X-Api-Key": {"key-123"}}, []string{"key-123"}},
		"a secret": {http.Header{"X-My-Secret": {"123456"}}, []string{"123456"}},
		"a proof":  {http.Header{"Dpop": {"eyJ0eX.a.b"}}, []string{"eyJ0eX.a.b"}},
	} {
		s := new(web.Secrets)
		s.AddHeader(test.header)
		for _, secret := range test.secret {
			if got := s.Hide("a " + secret); got != "a [secret]" {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
	s := new(web.Secrets)
	s.AddHeader(http.Header{"Mcp-Param-Key": {"Lisbon"}, "Accept": {"application/json"}, "Sec-Websocket-Key": {"123456"}})
	if got := s.Hide("Lisbon application/json 123456"); got != "Lisbon application/json 123456" {
		t.Error(got)
	}
}

// TestSecretsOfPseudoHeader: the fields that HTTP/2 sends in place of a URL hold no secrets, whatever words are in their names.
func TestSecretsOfPseudoHeader(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	s := new(web.Secrets)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/orders/7", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", "key-123")
	resp, err := s.Do(server.Client(), r)
	if err != nil || resp.ProtoMajor != 2 {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
	if got := s.Hide("see " + r.URL.String() + " with key-123"); got != "see "+r.URL.String()+" with [secret]" {
		t.Error(got)
	}
}

// TestHideJSON: the strings and names of JSON lose their secrets, and it stays JSON.
func TestHideJSON(t *testing.T) {
	s := new(web.Secrets)
	s.Add("token-123456")
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"bad token\u002d123456","data":{"token-123456":["a\n",7,"\/token-123456"]}}}`: `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"bad [secret]","data":{"[secret]":["a\n",7,"/[secret]"]}}}`,
		`[{"error":{"message":"token-123456"}},{"result":1}]`:                                                                              `[{"error":{"message":"[secret]"}},{"result":1}]`,
		`{"result":"token-123456"}`:      `{"result":"token-123456"}`,
		`{"error":"no \"secret\" here"}`: `{"error":"no \"secret\" here"}`,
		`{"error":"token-123456`:         `{"error":"\"[secret]"`,
	} {
		if got := string(s.HideErrors([]byte(text))); got != want {
			t.Errorf("%s\nis  %s\nnot %s", text, got, want)
		}
	}
}

// TestHideError: an error keeps what it wraps.
func TestHideError(t *testing.T) {
	s := new(web.Secrets)
	s.Add("token-123456")
	if err := s.HideError(fmt.Errorf("token-123456: %w", io.EOF)); !errors.Is(err, io.EOF) || err.Error() != "[secret]: EOF" {
		t.Error(err)
	}
	err := s.HideError(&url.Error{Op: "Get", URL: "https://a/?token%2d123456", Err: errors.New("token-123456")})
	if e, ok := errors.AsType[*url.Error](err); !ok || strings.Contains(e.URL+e.Err.Error()+err.Error(), "123456") {
		t.Error(err)
	}
	if s.HideError(nil) != nil || s.HideError(io.EOF) != io.EOF {
		t.Error("an error without secrets has changed")
	}
}

// TestManySecrets: the latest ones are kept, those of included lists count, and what is allocated for a text does not grow with the secrets.
func TestManySecrets(t *testing.T) {
	s, inner := new(web.Secrets), new(web.Secrets)
	s.Include(inner)
	s.Include(inner)
	s.Include(s)
	for i := range 10_000 {
		s.Add(fmt.Sprintf("token-%d", i))
	}
	inner.Add("later+one")
	if got := s.Hide("token-9999 later%2Bone token-1"); got != "[secret] [secret] token-1" {
		t.Error(got)
	}
	text := strings.Repeat(`\`, 1<<20) + strings.Repeat("token-99", 1<<10)
	if n := allocated(func() { s.Hide(text) }); n > 64<<20 {
		t.Errorf("%d bytes allocated for a text of 1 MB", n)
	}
}

// FuzzHide: no spelling of a secret is left, and JSON stays valid.
func FuzzHide(f *testing.F) {
	f.Add(`{"a":"`, "b\"]", uint64(5))
	f.Fuzz(func(t *testing.T, before, after string, seed uint64) {
		const secret = "a-secret/with+signs"
		s := new(web.Secrets)
		s.Add(secret)
		text := before
		for i, c := range []byte(secret) {
			switch seed >> (2 * i) & 3 {
			case 0:
				text += string(rune(c))
			case 1:
				text += fmt.Sprintf(`\u%04x`, c)
			case 2:
				text += fmt.Sprintf("%%%02X", c)
			case 3:
				text += fmt.Sprintf("&#%d;", c)
			}
		}
		got := s.Hide(text + after)
		if strings.Contains(got, secret) || len(before) == 0 && !strings.Contains(got, web.Hidden) {
			t.Errorf("%q is %q", text+after, got)
		}
		value, err := json.Marshal(map[string]any{"error": text + after, text: before})
		if err != nil {
			t.Fatal(err)
		}
		hidden := s.HideErrors(value)
		if !json.Valid(hidden) || strings.Contains(string(hidden), secret) {
			t.Errorf("%s is %s", value, hidden)
		}
	})
}

// TestDoWithSecrets: what a request writes is a secret, also when the caller traces the request, and a trace sees its own request alone.
func TestDoWithSecrets(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	secrets := new(web.Secrets)
	send := func(ctx context.Context, token string) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := secrets.Do(server.Client(), r)
		if err != nil {
			t.Fatal(err)
		}
		web.Discard(resp)
		if got := secrets.Hide("not " + token); got != "not "+web.Hidden {
			t.Errorf("got %q", got)
		}
	}
	var seen []string
	traced := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{WroteHeaderField: func(name string, values []string) {
		if name == "Authorization" {
			seen = append(seen, values...)
		}
	}})
	send(t.Context(), "first-token")
	send(traced, "second-token")
	send(t.Context(), "third-token")
	if !slices.Equal(seen, []string{"Bearer second-token"}) {
		t.Errorf("the trace of one request saw %q", seen)
	}
}

// TestDoHidesWhatClientsAdd: secrets are hidden whatever adds them, and headers are watched only where something may.
func TestDoHidesWhatClientsAdd(t *testing.T) {
	const secret = "secret-123456"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/redirect" {
			http.Redirect(w, r, "http://user:"+secret+"@"+r.Host+"/", http.StatusTemporaryRedirect)
		}
	}))
	defer server.Close()
	host, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	jar.SetCookies(host, []*http.Cookie{{Name: "session", Value: secret}})
	proxy := *host
	proxy.User = url.UserPassword("user", secret)
	adding := transportFunc(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+secret)
		return http.DefaultTransport.RoundTrip(r)
	})
	plain, key := http.Client{Transport: new(http.Transport)}, http.Header{"X-Api-Key": {secret}}
	for name, test := range map[string]struct {
		client  http.Client
		url     string
		header  http.Header
		watched bool
	}{
		"a header":                        {client: plain, url: server.URL, header: key},
		"a header of a client of its own": {client: http.Client{Transport: web.NewTransport()}, url: server.URL, header: key},
		"a redirection":                   {client: plain, url: server.URL + "/redirect", header: http.Header{}},
		"a URL":                           {client: plain, url: "http://" + proxy.User.String() + "@" + host.Host, header: http.Header{}, watched: true},
		"a jar":                           {client: http.Client{Transport: new(http.Transport), Jar: jar}, url: server.URL, header: http.Header{}, watched: true},
		"a proxy":                         {client: http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&proxy)}}, url: server.URL, header: http.Header{}, watched: true},
		"a transport":                     {client: http.Client{Transport: adding}, url: server.URL, header: http.Header{}, watched: true},
	} {
		var s web.Secrets
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, test.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = test.header
		resp, err := s.Do(&test.client, r)
		if err != nil {
			t.Fatal(name, err)
		}
		web.Discard(resp)
		if got := s.Hide("not " + secret); got != "not "+web.Hidden {
			t.Errorf("%s: %q", name, got)
		}
		if watched := httptrace.ContextClientTrace(resp.Request.Context()) != nil; watched != test.watched {
			t.Errorf("%s: the headers are watched: %t", name, watched)
		}
	}
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestHideBeginning: a beginning of a secret is hidden where a text was cut off, also if it is escaped or the cut is within an escape.
func TestHideBeginning(t *testing.T) {
	s := new(web.Secrets)
	s.Add("token/0123456789")
	for text, want := range map[string]string{
		`a token/01`: `a [secret]`, `a token/0123456789`: `a [secret]`, `{"a":"token/0... of "b"`: `{"a":"[secret]... of "b"`, `token... token/... token/01...`: `token... [secret]... [secret]...`,
		`\u0074oken/012`: `[secret]`, `x tok\u0065n\u002f0\u00...`: `x [secret]...`, `token%2F01%3`: `[secret]`, `/a/token~101234...`: `/a/[secret]...`, `token0 toke`: `token0 toke`, `...`: `...`, ``: ``,
	} {
		if got := s.HideCut(text, "..."); got != want {
			t.Errorf("%q, not %q, of %q", got, want, text)
		}
	}
}
