package mcpauth

import (
	"context"
	"errors"
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
