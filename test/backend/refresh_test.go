package backend_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend/backendoauth"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
)

// rotating is a token endpoint in memory that takes each refresh token once.
type rotating struct {
	mu      sync.Mutex
	n       int // of the refresh token that it takes
	refused int
	slow    time.Duration // between using a refresh token and the answer
	answer  func(http.ResponseWriter)
	fails   error
	revoked string // an access token
}

// RoundTrip implements http.RoundTripper. A slow one is for tests in a bubble.
func (r *rotating) RoundTrip(q *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	w := httptest.NewRecorder()
	fits := strings.Contains(string(body), fmt.Sprintf("refresh_token=refresh-%d&", r.n)) || strings.HasSuffix(string(body), fmt.Sprintf("refresh_token=refresh-%d", r.n))
	slow := time.Duration(0)
	switch {
	case r.fails != nil:
		defer r.mu.Unlock()
		return nil, r.fails
	case r.answer != nil:
		r.answer(w)
	case !fits:
		r.refused++
		says(400, `{"error":"invalid_grant"}`)(w, q)
	default:
		r.n++
		slow = r.slow
		says(200, fmt.Sprintf(`{"access_token":"token-%d","refresh_token":"refresh-%d","expires_in":3600}`, r.n, r.n))(w, q)
	}
	r.mu.Unlock()
	if time.Sleep(slow); q.Context().Err() != nil {
		return nil, q.Context().Err()
	}
	return w.Result(), nil
}

// process starts one of the processes that have a store. The result calls a tool for ann, and returns the token that the API got, or the error.
func (r *rotating) process(t *testing.T, s backend.Store) func() (string, error) {
	call := r.processOf(t, s)
	return func() (string, error) { return call(t.Context()) }
}

func (r *rotating) processOf(t *testing.T, s backend.Store) func(context.Context) (string, error) {
	login, err := backendoauth.NewLogin(backendoauth.LoginOptions{
		Options: backendoauth.Options{ClientID: "client", Authorize: "https://auth.example/authorize", Token: "https://auth.example/token", Transport: r},
		URL:     "https://mcp.example/login", Store: s, User: func(*http.Request) string { return "ann" },
	})
	if err != nil {
		t.Fatal(err)
	}
	api, err := rpc.NewBackend(rpc.BackendOptions{Tracker: backend.Options{Credentials: login, Logger: slog.New(slog.DiscardHandler), Transport: roundTripper(func(q *http.Request) (*http.Response, error) {
		token, w := strings.TrimPrefix(q.Header.Get("Authorization"), "Bearer "), httptest.NewRecorder()
		if token == r.revoked {
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprintf(w, `[{"number":1,"title":"t","user":{"login":%q}}]`, token)
		return w.Result(), nil
	})}})
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context) (string, error) {
		out, err := api.IssuesList(principal.With(ctx, "ann"), list)
		if err != nil {
			return "", err
		}
		return out.Issues[0].User.Login, nil
	}
}

var annsToken = backend.Owner{Principal: "ann", Backend: "tracker", Scheme: "token"}

// keeps returns a store with a text for ann.
func keeps(t *testing.T, text string) *backend.Memory {
	s := new(backend.Memory)
	if err := s.Save(t.Context(), annsToken, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return s
}

// kept is the text that a store has for ann.
func kept(t *testing.T, s backend.Store) string {
	text, err := s.Load(t.Context(), annsToken)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

const expired = `{"access":"token-0","refresh":"refresh-0","expires":"2000-01-01T00:00:00Z"}`

// unlocked is a store without a lock.
type unlocked struct{ backend.Store }

// TestSharedStore: processes with one store use the tokens that the others have got, one after another, and both at once. With a lock each refresh token is sent once; without one, none is
// refused for long. Nobody logs in again.
func TestSharedStore(t *testing.T) {
	folder := backend.Folder(t.TempDir())
	if err := folder.Save(t.Context(), annsToken, []byte(expired)); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		store   backend.Store
		refused int
	}{"Memory": {keeps(t, expired), 0}, "Folder": {folder, 0}, "without a lock": {unlocked{keeps(t, expired)}, 1}} {
		t.Run(name, func(t *testing.T) { sharedStore(t, test.store, test.refused) })
	}
}

func sharedStore(t *testing.T, store backend.Store, refused int) {
	synctest.Test(t, func(t *testing.T) {
		r := new(rotating)
		processes := []func() (string, error){r.process(t, store), r.process(t, store)}
		for round := range 3 {
			for i, call := range processes {
				if got, err := call(); err != nil || got != fmt.Sprintf("token-%d", round+1) {
					t.Errorf("round %d, process %d: %q, %v", round, i, got, err)
				}
			}
			time.Sleep(time.Hour)
		}
		if r.refused != 0 {
			t.Errorf("%d refresh tokens were refused", r.refused)
		}
		r.revoked = "token-3" // one process hears of it first
		for i, call := range processes {
			if got, err := call(); err != nil || got != "token-4" {
				t.Errorf("after a refusal, process %d: %q, %v", i, got, err)
			}
		}
		time.Sleep(time.Hour)
		r.slow = 100 * time.Millisecond
		var group sync.WaitGroup
		for i, call := range processes {
			group.Go(func() {
				if got, err := call(); err != nil || got != "token-5" {
					t.Errorf("both at once, process %d: %q, %v", i, got, err)
				}
			})
		}
		group.Wait()
		if r.refused != refused || !strings.Contains(kept(t, store), "refresh-5") {
			t.Errorf("%d refused, %s", r.refused, kept(t, store))
		}
	})
}

// TestRefreshFails: only an answer that says so ends a login, with whichever status. Everything else fails the call, and the next one has a token.
func TestRefreshFails(t *testing.T) {
	for name, test := range map[string]struct {
		answer func(http.ResponseWriter)
		fails  error
		ends   bool
	}{
		"429":              {answer: answers(429, `{"error":"slow_down"}`)},
		"408":              {answer: answers(408, ``)},
		"400, unavailable": {answer: answers(400, `{"error":"temporarily_unavailable"}`)},
		"400, a page":      {answer: answers(400, `<html>`)},
		"401":              {answer: answers(401, `{"error":"invalid_client"}`)},
		"500":              {answer: answers(500, ``)},
		"half an answer":   {answer: answers(200, `{"access_tok`)},
		"no answer":        {fails: io.ErrUnexpectedEOF},
		"401, no code":     {answer: answers(401, `{}`)},
		"200, an error":    {answer: answers(200, `{"access_token":"token-9","error":"server_error"}`)},
		"200, not ok":      {answer: answers(200, `{"ok":false,"error":"ratelimited","access_token":"token-9"}`)},
		"invalid_request":  {answer: answers(400, `{"error":"invalid_request","error_description":"refresh_token is missing"}`)},
		"refused":          {answer: answers(400, `{"error":"invalid_grant"}`), ends: true},
		"GitHub":           {answer: answers(200, `{"error":"bad_refresh_token","error_description":"The refresh token passed is incorrect or expired."}`), ends: true},
		"HubSpot":          {answer: answers(400, `{"status":"BAD_REFRESH_TOKEN","message":"missing or invalid refresh token"}`), ends: true},
		"Slack":            {answer: answers(200, `{"ok":false,"error":"invalid_refresh_token"}`), ends: true},
		"EVE Online":       {answer: answers(400, `{"error":"invalid_grant: Token is expired or invalid."}`), ends: true},
		"authlib":          {answer: answers(400, `{"error":"invalid_request","error_description":"Invalid \"refresh_token\" in request."}`), ends: true},
		"invalid_token":    {answer: answers(401, `{"error":"invalid_token"}`), ends: true},
		"token_expired":    {answer: answers(400, `{"error":"token_expired"}`), ends: true},
		"expired_token":    {answer: answers(401, `{"error":"expired_token"}`), ends: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, store := &rotating{answer: test.answer, fails: test.fails}, keeps(t, expired)
				call := r.process(t, store)
				_, err := call()
				if ends := strings.Contains(fmt.Sprint(err), "has to log in"); err == nil || ends != test.ends {
					t.Error(err)
				}
				r.answer, r.fails = nil, nil
				if got, err := call(); !test.ends && (err != nil || got != "token-1") || test.ends && kept(t, store) != "" {
					t.Errorf("%q, %v, %s", got, err, kept(t, store))
				}
			})
		})
	}
}

func answers(status int, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { says(status, body)(w, nil) }
}

// TestRefusedOfAnother: a refused refresh token is removed, and no other one that has come meanwhile.
func TestRefusedOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := keeps(t, expired)
		r := &rotating{n: 7}
		r.answer = func(w http.ResponseWriter) {
			r.answer = nil
			if err := store.Save(t.Context(), annsToken, []byte(`{"access":"","refresh":"refresh-7"}`)); err != nil {
				t.Error(err)
			}
			answers(400, `{"error":"invalid_grant"}`)(w)
		}
		if got, err := r.process(t, store)(); err != nil || got != "token-8" || !strings.Contains(kept(t, store), "refresh-8") {
			t.Errorf("%q, %v, %s", got, err, kept(t, store))
		}
	})
}

// TestNoToken: what is not a token in a store leads to a login, and is logged once.
func TestNoToken(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	folder := backend.Folder(t.TempDir())
	if err := folder.Save(t.Context(), annsToken, []byte("x")); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(string(folder), "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.Truncate(files[0], 10); err != nil {
		t.Fatal(err)
	}
	for name, store := range map[string]backend.Store{"half": keeps(t, expired[:20]), "empty": keeps(t, ``), "nothing": keeps(t, `{}`), "list": keeps(t, `[1]`), "half a file": folder} {
		log.Reset()
		call := new(rotating).process(t, store)
		for range 2 {
			if _, err := call(); err == nil || !strings.Contains(err.Error(), "has to log in") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n := strings.Count(log.String(), "is not a token"); n != 1 || strings.Contains(log.String(), "token-0") {
			t.Errorf("%s: %s", name, log.String())
		}
	}
}

// TestTokenRemoved: a token that is removed from the store is used for a minute at most, and one that is replaced there too. While the store fails, it is used on.
func TestTokenRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(shaky)
		save := func(text []byte) {
			if err := store.Save(t.Context(), annsToken, text); err != nil {
				t.Fatal(err)
			}
		}
		save([]byte(`{"access":"first"}`))
		call := new(rotating).process(t, store)
		expect := func(want string) {
			t.Helper()
			got, err := call()
			if err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("%q, not %q", got, want)
			}
		}
		expect("first")
		save([]byte(`{"access":"second"}`))
		time.Sleep(time.Minute)
		expect("second")
		save(nil)
		store.fails.Store(true)
		time.Sleep(time.Minute)
		expect("second")
		store.fails.Store(false)
		expect("the user has to log in")
	})
}

// full is a store that fails to save at times, or does not answer then.
type full struct {
	backend.Memory
	fails, silent bool
}

func (s *full) Save(ctx context.Context, o backend.Owner, secret []byte) error {
	if s.fails && s.silent {
		<-ctx.Done()
		return ctx.Err()
	}
	if s.fails {
		return errors.New("the store is full")
	}
	return s.Memory.Save(ctx, o, secret)
}

// TestUnsaved: a token that the store has not taken is used, and saved when the store takes it. The one that it replaces does not come back.
func TestUnsaved(t *testing.T) {
	for name, silent := range map[string]bool{"full": false, "silent": true} {
		t.Run(name, func(t *testing.T) { unsaved(t, silent) })
	}
}

func unsaved(t *testing.T, silent bool) {
	synctest.Test(t, func(t *testing.T) {
		r, store := new(rotating), &full{silent: silent}
		if err := store.Save(t.Context(), annsToken, []byte(expired)); err != nil {
			t.Fatal(err)
		}
		call := r.process(t, store)
		store.fails = true
		if _, err := call(); err == nil {
			t.Error("nobody hears that the token was not saved")
		}
		for range 2 {
			time.Sleep(2 * time.Minute)
			if got, err := call(); err != nil || got != "token-1" {
				t.Errorf("%q, %v", got, err)
			}
			store.fails = false
		}
		if r.refused != 0 || !strings.Contains(kept(t, store), "refresh-1") {
			t.Errorf("%d refused, %s", r.refused, kept(t, store))
		}
	})
}

// TestRefreshGivenUp: a caller that gives up during a refresh does not cost the login.
func TestRefreshGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, store := &rotating{slow: 5 * time.Second}, keeps(t, expired)
		call := r.processOf(t, store)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, _ = call(ctx) // the API in memory may still answer it
		if ctx.Err() == nil || !strings.Contains(kept(t, store), "refresh-1") {
			t.Error(ctx.Err(), kept(t, store))
		}
		if got, err := call(t.Context()); err != nil || got != "token-1" || r.refused != 0 {
			t.Errorf("%q, %v, %d refused", got, err, r.refused)
		}
	})
}

// TestLockedStore: a process that holds the lock of a token for longer than a refresh takes keeps no other one from its refresh, and a caller that gives up waits no longer.
func TestLockedStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, store := new(rotating), keeps(t, expired)
		unlock, err := store.Lock(t.Context(), annsToken)
		if err != nil {
			t.Fatal(err)
		}
		call, start := r.processOf(t, store), time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := call(ctx); err == nil || time.Since(start) != time.Second || r.n != 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if got, err := call(t.Context()); err != nil || got != "token-1" || time.Since(start) > time.Minute {
			t.Errorf("%q, %v after %v", got, err, time.Since(start))
		}
		unlock()
	})
}
