package backend_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
)

// TestStores: each owner has a secret of its own, which can be replaced and removed.
func TestStores(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "secrets")
	for name, s := range map[string]backend.Store{"memory": new(backend.Memory), "folder": backend.Folder(dir)} {
		owners := []backend.Owner{{"ann", "api", "token"}, {"bob", "api", "token"}, {"ann", "other", "token"}, {"ann", "api", "key"}, {strings.Repeat("../", 300), "api", "token"}, {}}
		for i, o := range owners {
			if got, err := s.Load(t.Context(), o); got != nil || err != nil {
				t.Errorf("%s: %v: %q %v", name, o, got, err)
			}
			secret := []byte{'a' + byte(i)}
			if err := s.Save(t.Context(), o, secret); err != nil {
				t.Error(err)
			}
			secret[0] = 'z'
		}
		for i, o := range owners {
			if got, err := s.Load(t.Context(), o); string(got) != string('a'+byte(i)) || err != nil {
				t.Errorf("%s: %v: %q %v", name, o, got, err)
			}
		}
		for range 2 {
			if err := s.Save(t.Context(), owners[0], nil); err != nil {
				t.Error(err)
			}
		}
		if got, err := s.Load(t.Context(), owners[0]); got != nil || err != nil {
			t.Errorf("%s: %q %v", name, got, err)
		}
		if err := s.Save(t.Context(), owners[1], []byte("new")); err != nil {
			t.Error(err)
		}
		if got, _ := s.Load(t.Context(), owners[1]); string(got) != "new" {
			t.Errorf("%s: %q", name, got)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 5 {
		t.Errorf("%v %v", files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s %v", info.Mode(), err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name()), []byte(`{"Principal":"eve","Secret":"YQ=="}`), 0o600); err != nil {
			t.Error(err)
		}
	}
	if got, err := backend.Folder(dir).Load(t.Context(), backend.Owner{Principal: "bob", Backend: "api", Scheme: "token"}); err == nil || got != nil {
		t.Errorf("the file of another is read: %q", got)
	}
}

// TestFolderIsClean: what a process has left that was killed while it saved goes with the next secret that is saved or removed, and what another one is about to save stays.
func TestFolderIsClean(t *testing.T) {
	for name, secret := range map[string][]byte{"saved": []byte("s"), "removed": nil} {
		dir := t.TempDir()
		old := time.Now().Add(-2 * time.Hour)
		for _, file := range []string{"new-1", "new-2", "another"} {
			path := filepath.Join(dir, file)
			if err := os.WriteFile(path, []byte("secret"), 0o600); err != nil {
				t.Fatal(err)
			}
			if file == "new-2" {
				continue
			}
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(filepath.Join(dir, "new-folder"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, "new-folder"), old, old); err != nil {
			t.Fatal(err)
		}
		if err := backend.Folder(dir).Save(t.Context(), backend.Owner{Principal: "ann"}, secret); err != nil {
			t.Error(err)
		}
		left, err := filepath.Glob(filepath.Join(dir, "[an]*[a-z0-9]"))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, path := range left {
			if base := filepath.Base(path); !strings.HasSuffix(base, ".json") {
				names = append(names, base)
			}
		}
		if got := strings.Join(names, " "); got != "another new-2 new-folder" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestPerPrincipal(t *testing.T) {
	s := new(backend.Memory)
	if err := s.Save(t.Context(), backend.Owner{Principal: "ann", Backend: "api", Scheme: "token"}, []byte("a")); err != nil {
		t.Fatal(err)
	}
	c := backend.PerPrincipal(s)
	ask := backend.Ask{Principal: "ann", Backend: "api", Scheme: "token"}
	if _, err := c.Credential(t.Context(), ask); err != nil {
		t.Error(err)
	}
	for _, principal := range []string{"", "bob"} {
		ask.Principal = principal
		if _, err := c.Credential(t.Context(), ask); !errors.Is(err, backend.ErrNoCredential) {
			t.Errorf("%q: %v", principal, err)
		}
	}
	broken := errors.New("broken")
	if _, err := backend.PerPrincipal(failing{broken}).Credential(t.Context(), backend.Ask{Principal: "ann"}); !errors.Is(err, broken) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Load(context.Context, backend.Owner) ([]byte, error) { return nil, f.err }
func (f failing) Save(context.Context, backend.Owner, []byte) error   { return f.err }
