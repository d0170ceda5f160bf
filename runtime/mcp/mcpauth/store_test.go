package mcpauth

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestStores: what is saved is loaded, for each server by itself, from the memory and from files.
func TestStores(t *testing.T) {
	record := &Record{
		Issuer:       "https://auth.example.com",
		Registration: Registration{ClientID: "me", Secret: "password", AuthMethod: authPost, RedirectURI: "http://127.0.0.1:1/callback", Dynamic: true, Expires: time.Unix(1, 0).UTC()},
		Token:        Token{Access: "access", Refresh: "refresh", Type: schemeDPoP, Scopes: []string{"a"}, Requested: []string{"a", "b"}},
		Key:          "key",
	}
	for _, store := range []Store{new(Memory), Files(filepath.Join(t.TempDir(), "new", "folder"))} {
		if r, err := store.Load(t.Context(), "https://a"); r != nil || err != nil {
			t.Errorf("%T: %v, %v", store, r, err)
		}
		other := &Record{Issuer: "https://other.example.com"}
		for server, r := range map[string]*Record{"https://a": record, "https://b": other} {
			if err := store.Save(t.Context(), server, r); err != nil {
				t.Fatal(err)
			}
		}
		for server, want := range map[string]*Record{"https://a": record, "https://b": other} {
			if got, err := store.Load(t.Context(), server); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%T: got %#v, %v", store, got, err)
			}
		}
	}
}

// TestFiles: files are for their owner only. Others, and damaged ones, are errors that say what to do.
func TestFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode there")
	}
	folder := filepath.Join(t.TempDir(), "tokens")
	store := Files(folder)
	if err := store.Save(t.Context(), "https://a", &Record{Token: Token{Access: "secret-token"}}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(folder)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	path := store.path("https://a")
	if info, err = os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	bad := func(want string) {
		t.Helper()
		if _, err := store.Load(t.Context(), "https://a"); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	bad("chmod 600")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"server":"https://b","record":{"token":{"access_token":"secret"}}}`: "another server",
		`{"server":"https://a"}`:                     "another server",
		`{"token":"secret`:                           "log in again",
		strings.Repeat(" ", 1<<20) + `{"secret":{}}`: "larger",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		bad(want)
	}
	if err := Files(path).Save(t.Context(), "https://a", &Record{}); err == nil {
		t.Error("a file serves as a folder")
	}
}

// TestFilesAtOnce: readers never find a part of a file, and no temporary file is left.
func TestFilesAtOnce(t *testing.T) {
	store := Files(t.TempDir())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if err := store.Save(t.Context(), "https://a", &Record{Issuer: strings.Repeat("x", 4096)}); err != nil {
					t.Error(err)
				}
				if r, err := store.Load(t.Context(), "https://a"); err != nil || len(r.Issuer) != 4096 {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if left, err := os.ReadDir(string(store)); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

// full is a store that keeps nothing.
type full struct{ Memory }

var errFull = errors.New("the disk is full")

func (*full) Save(context.Context, string, *Record) error { return errFull }

// TestFullStore: a token that cannot be stored is an error, and used all the same.
func TestFullStore(t *testing.T) {
	a := newAuthority(t)
	auth := a.transport(Options{Store: new(full)})
	if _, _, err := a.use(auth); !errors.Is(err, errFull) || !strings.Contains(err.Error(), "storing the token") {
		t.Error(err)
	}
	a.works(auth)
	if a.count("/authorize") != 1 {
		t.Errorf("%d logins", a.count("/authorize"))
	}
}

// TestLoginFromFile: a login is kept in a file, and used by the next program.
func TestLoginFromFile(t *testing.T) {
	a := newAuthority(t)
	store := Files(t.TempDir())
	a.works(a.transport(Options{Store: store}))
	a.works(a.transport(Options{Store: store}))
	if a.count("/authorize") != 1 {
		t.Errorf("%d logins", a.count("/authorize"))
	}
	if err := os.Chmod(store.path(a.mcp.URL+"/mcp"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.use(a.transport(Options{Store: store})); runtime.GOOS != "windows" && (err == nil || !strings.Contains(err.Error(), "chmod")) {
		t.Error(err)
	}
}

// TestLongTokens: what is issued and can be stored can be loaded again; longer ones are refused before they are stored.
func TestLongTokens(t *testing.T) {
	for _, test := range []struct {
		access, refresh string
		want            error
	}{
		{strings.Repeat("<", longestSecret), strings.Repeat("\x01", longestSecret), nil},
		{strings.Repeat("<", longestSecret+1), "", ErrToken},
		{"a", strings.Repeat("<", longestSecret+1), ErrToken},
		{"a", strings.Repeat("<", 100<<10), ErrToken},
		{"with\nlines", "", ErrToken},
	} {
		a := newAuthority(t)
		a.valid[test.access] = true
		a.token = func(w http.ResponseWriter, _ *http.Request) bool {
			a.document(w, fields{"access_token": test.access, "refresh_token": test.refresh, "token_type": "Bearer", "scope": strings.Repeat("<", 200)}, nil)
			return true
		}
		store := Files(t.TempDir())
		if _, _, err := a.use(a.transport(Options{Store: store})); !errors.Is(err, test.want) || test.want == nil && err != nil {
			t.Errorf("%d and %d bytes: %.300v", len(test.access), len(test.refresh), err)
		}
		r, err := store.Load(t.Context(), a.mcp.URL+"/mcp")
		if err != nil || (r != nil) != (test.want == nil) || r != nil && (string(r.Token.Refresh) != test.refresh || string(r.Token.Access) != test.access) {
			t.Errorf("loaded: %v, %.300v", r, err)
		}
	}
}

// TestLongRegistration: an authorization server that registers a client under a name that nobody can keep.
func TestLongRegistration(t *testing.T) {
	for _, member := range []string{"client_id", "client_secret", "token_endpoint_auth_method"} {
		a := newAuthority(t)
		issuer := a.issuer.Config.Handler
		a.issuer.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/register" {
				issuer.ServeHTTP(w, r)
				return
			}
			w.WriteHeader(http.StatusCreated)
			doc := fields{"client_id": "me"}
			doc[member] = strings.Repeat("x", longestSecret+1)
			a.document(w, doc, nil)
		})
		if _, _, err := a.use(a.transport(Options{})); !errors.Is(err, ErrToken) || len(err.Error()) > 1<<10 {
			t.Errorf("%s: %.300v", member, err)
		}
	}
	a := newAuthority(t)
	a.resource = func(doc fields) {
		doc["authorization_servers"] = []string{a.issuer.URL + "/" + strings.Repeat("x", longestIssuer)}
	}
	if _, _, err := a.use(a.transport(Options{})); !errors.Is(err, ErrMetadata) || len(err.Error()) > 1<<10 {
		t.Errorf("a long issuer: %.300v", err)
	}
}

// TestSaveRefuses what Load refuses, and keeps what was there.
func TestSaveRefuses(t *testing.T) {
	store := Files(t.TempDir())
	if err := store.Save(t.Context(), "https://a", &Record{Issuer: "the first"}); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*Record{
		"a large record": {Issuer: strings.Repeat("x", mostFile)},
		"a long token":   {Token: Token{Access: Secret(strings.Repeat("x", longestSecret+1))}},
		"an odd token":   {Token: Token{Access: "a b"}},
	} {
		if err := store.Save(t.Context(), "https://a", r); err == nil || len(err.Error()) > 1<<10 {
			t.Errorf("%s: %.300v", name, err)
		}
		if r, err := store.Load(t.Context(), "https://a"); err != nil || r.Issuer != "the first" {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	if left, err := os.ReadDir(string(store)); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestUselessFile: a file that holds no record that can be used, is replaced by the next login. Without a way to log in, the error says
// what to do.
func TestUselessFile(t *testing.T) {
	for name, text := range map[string]func(server string) string{
		"no JSON":        func(string) string { return `{"token":"secret` },
		"too large":      func(string) string { return strings.Repeat(" ", mostFile) + "{}" },
		"another server": func(string) string { return `{"server":"https://b","record":{}}` },
		"an odd token": func(server string) string {
			return `{"server":"` + server + `","record":{"token":{"access_token":"a\nb","token_type":"Bearer"}}}`
		},
		"a long token": func(server string) string {
			return `{"server":"` + server + `","record":{"token":{"access_token":"` + strings.Repeat("x", longestSecret+1) + `","token_type":"Bearer"}}}`
		},
		"an odd key": func(server string) string {
			return `{"server":"` + server + `","record":{"token":{"access_token":"a","token_type":"DPoP"},"key":"secret"}}`
		},
	} {
		a, store := newAuthority(t), Files(t.TempDir())
		path := store.path(a.mcp.URL + "/mcp")
		if err := os.WriteFile(path, []byte(text(a.mcp.URL+"/mcp")), 0o600); err != nil {
			t.Fatal(err)
		}
		without, err := New(a.mcp.URL+"/mcp", Options{Store: store, Base: &http.Transport{DisableKeepAlives: true}})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := a.use(without); err == nil || !strings.Contains(err.Error(), "to log in again") || strings.Contains(err.Error(), "secret") || len(err.Error()) > 1<<10 {
			t.Errorf("%s: %v", name, err)
		}
		a.works(a.transport(Options{Store: store}))
		a.works(without)
		if a.count("/authorize") != 1 {
			t.Errorf("%s: %d logins", name, a.count("/authorize"))
		}
	}
}

// TestLeftFiles: files that a program has left which was killed while it wrote are removed after an hour; others stay.
func TestLeftFiles(t *testing.T) {
	for name, use := range map[string]func(Files) error{
		"Save": func(f Files) error { return f.Save(t.Context(), "https://a", new(Record)) },
		"Load": func(f Files) error { _, err := f.Load(t.Context(), "https://a"); return err },
	} {
		store := Files(t.TempDir())
		old := time.Now().Add(-2 * time.Hour)
		for _, file := range []string{".token-1", ".token-2", ".other", "token-3"} {
			path := filepath.Join(string(store), file)
			if err := os.WriteFile(path, []byte("a token"), 0o600); err != nil {
				t.Fatal(err)
			}
			if file != ".token-2" {
				if err := os.Chtimes(path, old, old); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := os.Mkdir(filepath.Join(string(store), ".token-folder"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := use(store); err != nil {
			t.Error(err)
		}
		var left []string
		entries, err := os.ReadDir(string(store))
		for _, entry := range entries {
			if !strings.HasSuffix(entry.Name(), ".json") {
				left = append(left, entry.Name())
			}
		}
		if got := strings.Join(left, " "); err != nil || got != ".other .token-2 .token-folder token-3" {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}
