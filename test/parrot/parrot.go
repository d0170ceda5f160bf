// Package parrot is an HTTP API that repeats the credentials of its requests wherever an answer has a place for text.
//
//test:by ./test/backend RepeatedEverywhere
package parrot

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Spellings are the ways in which the API writes a credential: what it got in the header Authorization now, and in the first request, which it answered with
// 401.
var Spellings = map[string]func(now, first string) string{
	"plain":   func(now, _ string) string { return plain(now) },
	"base64":  func(now, _ string) string { _, value, _ := strings.Cut(now, " "); return value }, // of Basic
	"percent": func(now, _ string) string { return each(plain(now), "%%%02x") },
	"JSON":    func(now, _ string) string { return each(plain(now), `\u%04x`) },
	"earlier": func(_, first string) string { return plain(first) },
}

// plain is the secret in the value of a header Authorization.
func plain(header string) string {
	scheme, value, _ := strings.Cut(header, " ")
	if pair, err := base64.StdEncoding.DecodeString(value); err == nil && scheme == "Basic" {
		_, value, _ = strings.Cut(string(pair), ":")
	}
	return value
}

func each(text, form string) (out string) {
	for _, c := range []byte(text) {
		out += fmt.Sprintf(form, c)
	}
	return out
}

// Ways are answers, from their status line on, that say something.
var Ways = map[string]func(said string) string{
	"status line":      func(said string) string { return "HTTP/1.1 500 " + said + "\r\nContent-Length: 0\r\n\r\n" },
	"no status line":   func(said string) string { return said + "\r\n\r\n" },
	"no status":        func(said string) string { return "HTTP/1.1 " + said + " no\r\n\r\n" },
	"headers":          func(said string) string { return headers(500, said) },
	"headers of a 200": func(said string) string { return headers(200, said) },
	"no header":        func(said string) string { return "HTTP/1.1 200 OK\r\n" + said + "\r\n\r\n" },
	"text":             func(said string) string { return answer(500, "text/plain", said) },
	"page":             func(said string) string { return answer(200, "text/html", "<pre>"+said+"</pre>") },
	"message":          func(said string) string { return answer(500, "application/json", `{"message":`+quote(said)+`}`) },
	"members": func(said string) string {
		return answer(422, "application/json", `{"error":{`+quote(said)+`:[`+quote(said)+`]}}`)
	},
	"declared":     func(said string) string { return answer(404, "application/json", `{"message":`+quote(said)+`}`) },
	"another form": func(said string) string { return answer(200, "application/json", `{`+quote(said)+`:`+quote(said)+`}`) },
	"a place":      func(said string) string { return answer(200, "application/json", `[{"number":1,"title":`+quote(said)) },
	"a long text":  func(said string) string { return answer(200, "text/plain", strings.Repeat("x", 1990)+said) },
	"no number": func(said string) string {
		return answer(200, "application/json", `[{"number":`+quote(strings.Repeat("y", 70)+said)+`}]`)
	},
	"redirect":      func(said string) string { return redirect("/x/" + said + "?x=" + said) },
	"redirect away": func(said string) string { return redirect("https://other.example/" + said) },
	"no redirect":   func(said string) string { return redirect("http://[" + said) },
	"trailers":      func(said string) string { return chunked("9\r\nall wrong\r\n0\r\nX-Said: " + said + "\r\n\r\n") },
	"no trailers":   func(said string) string { return chunked("0\r\n" + said + "\r\n\r\n") },
	"no chunk":      func(said string) string { return chunked(said + "\r\n") },
	"retry after": func(said string) string {
		return "HTTP/1.1 429 X\r\nRetry-After: " + said + "\r\nContent-Length: 0\r\n\r\n"
	},
	"half an answer": func(said string) string { return "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n[" + quote(said) },
}

func quote(said string) string {
	text, _ := json.Marshal(said)
	return string(text)
}

func answer(status int, media, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", status, media, len(body), body)
}

func headers(status int, said string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: text/plain; x=%[2]s\r\nLink: <%[2]s>; rel=next\r\nLocation: /%[2]s\r\nRetry-After: "+
		"%[2]s\r\nWWW-Authenticate: Bearer %[2]s\r\nX-Said: %[2]s\r\nContent-Length: 0\r\n\r\n", status, said)
}

func redirect(to string) string {
	return "HTTP/1.1 307 X\r\nLocation: " + to + "\r\nContent-Length: 0\r\n\r\n"
}

func chunked(rest string) string {
	return "HTTP/1.1 500 X\r\nContent-Type: text/plain\r\nTrailer: X-Said\r\nTransfer-Encoding: chunked\r\n\r\n" + rest
}

// API is the API. It answers the first request with 401, and others in one of the [Ways], in one of the [Spellings].
type API struct {
	Way, Spelling string
	First         func(r *http.Request) string // an answer that comes before; nil or empty: none

	mu   sync.Mutex
	seen []string
}

// ServeHTTP implements [http.Handler].
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := r.Header.Get("Authorization")
	a.mu.Lock()
	a.seen = append(a.seen, now)
	first, n := a.seen[0], len(a.seen)
	a.mu.Unlock()
	said := Spellings[a.Spelling](now, first)
	text := Ways[a.Way](said)
	if n == 1 {
		text = answer(401, "text/plain", said)
	} else if a.First != nil {
		if before := a.First(r); before != "" {
			text = answer(202, "application/json", before)
		}
	}
	conn, out, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	_, _ = out.WriteString(text)
	_ = out.Flush()
}

var (
	escaped = regexp.MustCompile(`\\u([0-9a-fA-F]{4})|%([0-9a-fA-F]{2})|&#([0-9]{2,3});`)
	doubled = strings.NewReplacer(`\\`, `\`, `\/`, `/`, `~1`, `/`, `\"`, `"`)
)

// Leak returns a part of a credential that the API has got which is in a text, in whatever spelling; it is empty if there is none.
func (a *API) Leak(text string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for range 5 {
		for _, header := range slices.Compact(slices.Clone(a.seen)) {
			_, value, _ := strings.Cut(header, " ")
			for _, secret := range []string{plain(header), value} {
				const least = 8 // bytes
				for i := 0; i+least <= len(secret); i++ {
					if strings.Contains(text, secret[i:i+least]) {
						return secret[i : i+least]
					}
				}
			}
		}
		text = escaped.ReplaceAllStringFunc(doubled.Replace(text), func(one string) string {
			base, digits := 16, strings.TrimLeft(one, `\u%`)
			if one[0] == '&' {
				base, digits = 10, strings.Trim(one, "&#;")
			}
			n, _ := strconv.ParseInt(digits, base, 32)
			return string(rune(n))
		})
	}
	return ""
}

// Calls returns how many requests there were.
func (a *API) Calls() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.seen)
}
