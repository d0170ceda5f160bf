package mcpauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/rpcgen-go/rpcgen/runtime/internal/turns"
)

// Files is a [Store] that keeps a file for each server in a folder. It makes the folder if
// necessary. Only the user can read the files: their mode is 0600, and a file that others may read
// is an error.
type Files string

// fileRecord is a record with the URL of its server, for people who look for it.
type fileRecord struct {
	Server string  `json:"server"`
	Record *Record `json:"record"`
}

func (f Files) path(server string) string {
	sum := sha256.Sum256([]byte(server))
	return filepath.Join(string(f), hex.EncodeToString(sum[:16])+".json")
}

// mostFile limits the size of a file, in bytes. The limits of what a record holds are so that one fits.
const mostFile = 1 << 20

// uselessError means that a stored record cannot be used.
type uselessError struct{ what string }

func (e *uselessError) Error() string { return e.what }

// Load implements [Store].
func (f Files) Load(_ context.Context, server string) (*Record, error) {
	turns.Sweep(string(f), temporaryName)
	path := f.path(server)
	text, err := readPrivate(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := new(fileRecord)
	switch err := json.Unmarshal(text, r); {
	case err != nil:
		return nil, useless(path, "is not a file of tokens: "+err.Error())
	case r.Server != server || r.Record == nil:
		return nil, useless(path, "belongs to another server")
	}
	if fault := r.Record.Token.fault(); fault != "" {
		return nil, useless(path, "has a token that cannot be used: "+fault)
	}
	return r.Record, nil
}

// useless returns the error for a file that holds no record.
func useless(path, what string) error {
	return &uselessError{path + " " + what + againAdvice}
}

// readPrivate reads a file that only its owner may read.
func readPrivate(path string) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w (remove the file to log in again)", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode(); runtime.GOOS != "windows" && mode.Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s has the mode %o: others may read the tokens in it; run chmod 600 on it, or remove it", path, mode.Perm())
	}
	text, err := io.ReadAll(io.LimitReader(file, mostFile+1))
	if err == nil && len(text) > mostFile {
		err = useless(path, fmt.Sprintf("is larger than %d bytes", mostFile))
	}
	return text, err
}

// Save implements [Store]. The file is replaced as a whole, so that a reader never finds a part. A record that is too
// large to be loaded again is an error.
func (f Files) Save(_ context.Context, server string, r *Record) error {
	text, err := plainJSON(fileRecord{server, r})
	if err != nil {
		return err
	}
	if len(text) > mostFile {
		return fmt.Errorf("the record of %s is larger than %d bytes", server, mostFile)
	}
	if fault := r.Token.fault(); fault != "" {
		return fmt.Errorf("the token of %s cannot be used: %s", server, fault)
	}
	turns.Sweep(string(f), temporaryName)
	return turns.Replace(string(f), f.path(server), temporaryName, text)
}

// lock implements [locker]. The lock is on a file next to the record, which stays: it ends with the program.
func (f Files) lock(ctx context.Context, server string) (unlock func(), err error) {
	return turns.Beside(ctx, string(f), f.path(server))
}

// temporaryName is the beginning of the names of files that are being written.
const temporaryName = ".token-"
