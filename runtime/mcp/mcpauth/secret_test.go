package mcpauth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestNothingLeaks collects everything that is written about many logins, those of hostile servers
// that repeat what they were sent included, and looks for tokens, codes, passwords, verifiers and
// states in it. TestRepeatedToken does so for the errors of clients of MCP.
func TestNothingLeaks(t *testing.T) {
	var written bytes.Buffer
	note := func(v any) {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
			fmt.Fprintf(&written, verb+"\n", v)
		}
		slog.New(slog.NewTextHandler(&written, nil)).Info("value", "value", v)
		slog.New(slog.NewJSONHandler(&written, nil)).Info("value", "value", v)
	}
	var secrets []string
	repeat := func(w http.ResponseWriter, status int, text string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(fields{"error": "invalid_grant", "error_description": text})
	}
	hostile := map[string]func(a *authority){
		"honest":         func(*authority) {},
		"rejects tokens": func(a *authority) { a.accept = func(string, *http.Request) int { return http.StatusUnauthorized } },
		"forbids":        func(a *authority) { a.accept = func(string, *http.Request) int { return http.StatusForbidden } },
		"fails": func(a *authority) {
			a.accept = func(string, *http.Request) int { return http.StatusInternalServerError }
		},
		"repeats a code": func(a *authority) {
			a.redirect = func(_ *url.URL, q url.Values) { q.Set("error", q.Get("code")+" "+q.Get("state")) }
		},
		"another state": func(a *authority) { a.redirect = func(_ *url.URL, q url.Values) { q.Add("state", "x") } },
		"another issuer": func(a *authority) {
			a.redirect = func(_ *url.URL, q url.Values) { q.Set("iss", "https://evil.example.com") }
		},
		"a type as token": func(a *authority) {
			a.token = func(w http.ResponseWriter, _ *http.Request) bool { a.issue(w, "", "odd"); return true }
		},
	}
	for _, status := range []int{http.StatusBadRequest, http.StatusInternalServerError} {
		hostile[fmt.Sprint("repeats a form, ", status)] = func(a *authority) {
			a.token = func(w http.ResponseWriter, r *http.Request) bool {
				for _, values := range r.PostForm {
					repeat(w, status, strings.Join(values, " "))
					return true
				}
				return false
			}
		}
		hostile[fmt.Sprint("repeats a value, ", status)] = func(a *authority) {
			a.token = func(w http.ResponseWriter, r *http.Request) bool {
				repeat(w, status, r.PostForm.Get("code_verifier")+r.PostForm.Get("code")+r.PostForm.Get("refresh_token")+r.PostForm.Get("client_secret"))
				return true
			}
		}
	}
	for _, change := range hostile {
		a := newAuthority(t)
		store := new(Memory)
		auth := a.transport(Options{Store: store})
		change(a)
		for range 3 {
			_, _, err := a.use(auth)
			a.revoke()
			note(err)
		}
		record, err := store.Load(t.Context(), auth.server.String())
		if err != nil {
			t.Fatal(err)
		}
		if record != nil {
			note(record)
			note(*record)
			note(record.Token)
			note(record.Registration)
			note(record.Token.Access)
			secrets = append(secrets, string(record.Token.Access), string(record.Key))
		}
		o := auth.o
		o.Base, o.Store = nil, nil // which change all the time
		note(o)
		note(auth.o.Client)
		a.mu.Lock()
		secrets = append(secrets, a.secrets...)
		a.mu.Unlock()
	}
	if len(secrets) < 50 {
		t.Fatalf("only %d secrets", len(secrets))
	}
	text := written.String()
	for _, secret := range secrets {
		if secret != "" && (strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) || strings.Contains(text, fmt.Sprintf("%X", secret))) {
			at := strings.Index(text, secret)
			t.Fatalf("%s is written: %s", secret, text[max(0, at-300):min(len(text), max(at, 0)+100)])
		}
	}
}
