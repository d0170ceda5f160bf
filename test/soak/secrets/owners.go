package secrets

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// mark stands in every secret, and nowhere else.
const mark = "zq9Secret9qz"

// marks are how the mark looks as it is, and within base64, at each of the three places in a group of letters.
var marks = func() []string {
	all := []string{mark}
	for i := range 3 {
		b := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", i) + mark))
		all = append(all, strings.TrimRight(b, "=")[(i*8+5)/6:len(strings.TrimRight(b, "="))-1])
	}
	return all
}()

// leak returns what stands around a secret in a text. The spellings change only what is not a letter or a digit, but for base64.
func leak(text string) (around string, found bool) {
	for _, m := range marks {
		if i := strings.Index(text, m); i >= 0 {
			return text[max(0, i-200):min(len(text), i+100)], true
		}
	}
	return "", false
}

// spelled returns a secret in one of five spellings.
func spelled(secret string, n int) string {
	switch n % 5 {
	case 1:
		return url.QueryEscape(secret)
	case 2:
		return strings.ReplaceAll(secret, "/", `\/`)
	case 3:
		return strings.ReplaceAll(strings.ReplaceAll(secret, "/", `\u002f`), "+", `\u002B`)
	case 4:
		return base64.StdEncoding.EncodeToString([]byte(secret))
	}
	return secret
}

const clientSecret = "cs/" + mark + "+client"

// lifetime is how long the API takes a token.
const lifetime = 3 * time.Second

// owners is an authorization server with rotation, and the API that takes its tokens.
type owners struct {
	mu        sync.Mutex
	random    *rand.Rand
	codes     map[string]string // users
	access    map[string]grant
	refresh   map[string]string // users; those that are used have ""
	issued    int
	refreshes int
	reused    int
	logins    int
}

type grant struct {
	user  string
	until time.Time
}

func (o *owners) counts() (refreshes, reused, logins int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.refreshes, o.reused, o.logins
}

// ServeHTTP is the authorization server.
func (o *owners) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	q := r.URL.Query()
	if strings.HasPrefix(r.URL.Path, "/authorize") {
		o.issued++
		code := fmt.Sprint("code-", o.issued)
		o.codes[code] = r.Header.Get("X-User")
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
		return
	}
	_ = r.ParseForm()
	sent := r.PostForm.Get("refresh_token")
	said := fmt.Sprintf("%s sent %s and %s", r.PostForm.Get("grant_type"), r.Header.Get("Authorization"), spelled(sent, o.random.IntN(5)))
	refuse := func(status int, code string) {
		w.Header().Set("X-Debug", strings.ReplaceAll(said, "\n", " "))
		w.WriteHeader(status)
		text, _ := json.Marshal(map[string]string{"error": code, "error_description": said})
		_, _ = w.Write(text)
	}
	user := ""
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		o.logins++
		user = o.codes[r.PostForm.Get("code")]
		delete(o.codes, r.PostForm.Get("code"))
	case "refresh_token":
		switch o.random.IntN(10) {
		case 0:
			refuse(http.StatusTooManyRequests, "slow_down")
			return
		case 1:
			refuse(http.StatusServiceUnavailable, "temporarily_unavailable")
			return
		case 2:
			refuse(http.StatusBadRequest, "temporarily_unavailable")
			return
		case 3:
			_, _ = w.Write([]byte(`{"access_token":"half ` + sent)) // and no more
			return
		}
		o.refreshes++
		if user = o.refresh[sent]; user == "" {
			o.reused++
		}
		o.refresh[sent] = ""
	}
	if user == "" {
		refuse(http.StatusBadRequest, "invalid_grant")
		return
	}
	o.issued++
	access, refresh := fmt.Sprintf("at/%s+%s~%d", mark, user, o.issued), fmt.Sprintf("rt/%s+%s~%d", mark, user, o.issued)
	o.access[access], o.refresh[refresh] = grant{user, time.Now().Add(lifetime)}, user
	fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","refresh_token":%q,"expires_in":%d}`, access, refresh, lifetime/time.Second)
}

// api answers with the user of a token, and repeats it in all that it says besides.
func (o *owners) api(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	o.mu.Lock()
	g, kind, n := o.access[token], o.random.IntN(20), o.random.IntN(5)
	o.mu.Unlock()
	said := spelled(token, n)
	w.Header().Set("X-Request", said)
	w.Header().Set("Set-Cookie", "seen="+url.QueryEscape(token))
	if time.Now().After(g.until) {
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", error_description="`+token+`"`)
		kind = 0
		w.WriteHeader(http.StatusUnauthorized)
	}
	switch kind {
	case 0, 1:
		fmt.Fprintf(w, "debug: the request had Authorization: Bearer %s", said)
	case 2:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"message":"no such thing for %s","errors":[{"code":"%s"}]}`, strings.ReplaceAll(said, `\`, `\\`), said)
	case 3:
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, "<html>panic\nAuthorization: Bearer %s\n%s", said, r.UserAgent())
	case 4:
		http.Redirect(w, r, "http://other.invalid/?token="+url.QueryEscape(token), http.StatusFound)
	case 5:
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, said)
	case 6:
		w.Header().Set("Content-Length", "1000000")
		fmt.Fprintf(w, `[{"number":1,"title":"%s`, said)
	case 7:
		fmt.Fprintf(w, `[{"number":"%s"}]`, said)
	default:
		fmt.Fprintf(w, `[{"number":1,"title":"t","user":{"login":%q},"debug":"%s"}]`, g.user, said)
	}
}
