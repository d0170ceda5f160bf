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
}

// TestAnswersOfStores: a store says that there is no secret only if it knows so. Of the six answers of stores, not found is that there is none; refused, away and
// lost are errors, which end a call with the reason, but for a folder that is lost, which is made again; a full one refuses what is saved. A folder does not lag;
// what a store of one's own lags with is a token that another process has replaced, see TestRefusedOfAnother of test/backend.
func TestAnswersOfStores(t *testing.T) {
	lost, away := filepath.Join(t.TempDir(), "lost"), errors.New("away")
	file := filepath.Join(t.TempDir(), "file") // in which no folder can be read, or made
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := backend.Folder(lost).Save(t.Context(), backend.Owner{Principal: "ann"}, []byte("a")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(lost); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		store       backend.Store
		none, saves bool
	}{
		"not found": {new(backend.Memory), true, true},
		"refused":   {backend.Folder(file), false, false},
		"away":      {failing{away}, false, false},
		"full":      {backend.Folder(filepath.Join(file, "full")), false, false},
		"lost":      {backend.Folder(lost), true, true},
	} {
		ask := backend.Ask{Principal: "ann", Backend: "api", Scheme: "token"}
		_, err := backend.PerPrincipal(c.store).Credential(t.Context(), ask)
		if err == nil || errors.Is(err, backend.ErrNoCredential) != c.none || name == "away" && !errors.Is(err, away) {
			t.Errorf("%s: %v", name, err)
		}
		if err := c.store.Save(t.Context(), ask.Owner(), []byte("a")); (err == nil) != c.saves {
			t.Errorf("%s: saving: %v", name, err)
		}
		if _, err := backend.PerPrincipal(c.store).Credential(t.Context(), ask); (err == nil) != c.saves {
			t.Errorf("%s: when it was saved: %v", name, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Load(context.Context, backend.Owner) ([]byte, error) { return nil, f.err }
func (f failing) Save(context.Context, backend.Owner, []byte) error   { return f.err }
