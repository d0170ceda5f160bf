package backend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/internal/owner"
	"github.com/rpcgen-go/rpcgen/runtime/internal/turns"
)

// Owner is whose a secret is: a principal, at a scheme of a backend.
type Owner struct {
	Principal, Backend, Scheme string
}

// Owner is the owner of the credential that is asked for.
func (q Ask) Owner() Owner { return Owner{q.Principal, q.Backend, q.Scheme} }

// Store keeps secrets of principals. It is called by many goroutines at once.
//
// A store that has a method Lock(ctx context.Context, o Owner) (unlock func(), err error) is also used to refresh a token once: Lock waits until no other
// process has locked the owner, or ctx ends, and a lock ends when the process does that has it. [Memory] and [Folder] have one.
type Store interface {
	// Load returns the secret of an owner, or nil if there is none. An error that wraps a *json.SyntaxError means that what is kept is not whole.
	Load(ctx context.Context, o Owner) ([]byte, error)

	// Save keeps a secret in place of an earlier one; nil removes it. It must not keep the slice itself.
	Save(ctx context.Context, o Owner, secret []byte) error
}

// PerPrincipal takes the credential of each principal from a store, where it is a text: a token, a key, or user:password for the scheme basic. Calls without a
// principal have none.
func PerPrincipal(s Store) Credentials {
	return Func(func(ctx context.Context, q Ask) (Credential, error) {
		if owner.Of(ctx, q.Principal) != owner.Principal {
			return Credential{}, fmt.Errorf("%w: the call has no principal", ErrNoCredential)
		}
		secret, err := s.Load(ctx, q.Owner())
		if err == nil && secret == nil {
			err = fmt.Errorf("%w: none is kept for the principal", ErrNoCredential)
		}
		if err != nil {
			return Credential{}, err
		}
		return Credential{secret: string(secret)}, nil
	})
}

// Memory is a store in memory. The zero value is empty.
type Memory struct {
	mu    sync.Mutex
	all   map[Owner][]byte
	turns turns.KeyLocks[Owner]
}

// Lock waits until no other goroutine has locked an owner, or ctx ends.
func (m *Memory) Lock(ctx context.Context, o Owner) (unlock func(), err error) {
	return m.turns.Lock(ctx, o)
}

// Load implements [Store].
func (m *Memory) Load(_ context.Context, o Owner) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.all[o]), nil
}

// Save implements [Store].
func (m *Memory) Save(_ context.Context, o Owner, secret []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[Owner][]byte{}
	}
	if m.all[o] = slices.Clone(secret); secret == nil {
		delete(m.all, o)
	}
	return nil
}

// Folder is a store of files in a folder, one for each owner, which only the user of the program can read. They are not encrypted.
type Folder string

// fileRecord is what a file holds.
type fileRecord struct {
	Owner
	Secret []byte
}

// Load implements [Store].
func (f Folder) Load(_ context.Context, o Owner) ([]byte, error) {
	text, err := os.ReadFile(f.file(o))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var k fileRecord
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, fmt.Errorf("%s does not hold a secret: %w", f.file(o), err)
	}
	if k.Owner != o {
		return nil, fmt.Errorf("%s does not hold the secret that it is named for", f.file(o))
	}
	return k.Secret, nil
}

// Save implements [Store]. A file is replaced as a whole, also if the machine stops meanwhile. What a process has left that was killed while it saved is
// removed after an hour.
func (f Folder) Save(_ context.Context, o Owner, secret []byte) error {
	turns.Sweep(string(f), unfinishedPrefix)
	if secret == nil {
		if err := os.Remove(f.file(o)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := json.Marshal(fileRecord{o, secret})
	if err != nil {
		return err
	}
	return turns.Replace(string(f), f.file(o), unfinishedPrefix, text)
}

// Lock waits until no other process has locked an owner, or ctx ends. The lock is on a file next to the secret, which stays; it ends with its process, also if
// that is killed. On systems without such locks it does not wait.
func (f Folder) Lock(ctx context.Context, o Owner) (unlock func(), err error) {
	return turns.Beside(ctx, string(f), f.file(o))
}

// unfinishedPrefix is what the names of files begin with that Save has not finished.
const unfinishedPrefix = "new-"

// file is the name of the file of an owner. Names of principals may be long, and hold any characters.
func (f Folder) file(o Owner) string {
	text, _ := json.Marshal(o)
	sum := sha256.Sum256(text)
	return filepath.Join(string(f), hex.EncodeToString(sum[:])+".json")
}
