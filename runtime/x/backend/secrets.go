package backend

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// secrets are what a call has sent and what texts of its answers must not repeat: an API may show its request.
type secrets struct{ web.Secrets }

// carries notes the credentials of a try.
func (q *request) carries(credentials []sentCredential) {
	if q.sent == nil {
		q.sent = credentials
		return
	}
	for _, c := range credentials {
		if !slices.Contains(q.sent, c) {
			q.sent = append(slices.Clip(q.sent), c)
		}
	}
}

// leastSecret is the least number of bytes of a secret for package web.
const leastSecret = 6

// secrets returns the credentials that all tries have sent so far, also those that a transport has added to the headers.
func (q *request) secrets() *secrets { return newSecrets(q.sent, q.asked) }

func newSecrets(all []sentCredential, asked []http.Header) *secrets {
	s := new(secrets)
	for _, c := range all {
		text := strings.TrimPrefix(c.value, "Bearer ")
		if pair, ok := strings.CutPrefix(c.value, "Basic "); ok && c.name == "Authorization" {
			text = s.basic(pair)
		}
		_, rest, _ := strings.Cut(text, " ") // of a key that begins with the name of a scheme
		s.Add(text, rest)
	}
	for _, h := range asked {
		own := http.Header{}
		for _, name := range []string{"Authorization", "Proxy-Authorization", "Cookie"} {
			own[name] = h.Values(name)
		}
		s.AddHeader(own)
	}
	return s
}

// basic adds what is secret of a user and a password, and returns it. Where there is no password, the user is a key.
func (s *secrets) basic(encoded string) string {
	s.AddHeader(http.Header{"Authorization": {"Basic " + encoded}})
	pair, _ := base64.StdEncoding.DecodeString(encoded)
	user, password, _ := strings.Cut(string(pair), ":")
	if len(password) < leastSecret {
		return user
	}
	return password
}

// hide is Hide for texts of violations, which may cut a value off anywhere.
func (s *secrets) hide(text string) string { return s.HideCut(text, "...") }
