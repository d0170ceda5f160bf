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

// Load implements [Store].
func (f Files) Load(_ context.Context, server string) (*Record, error) {
	path := f.path(server)
	text, err := readPrivate(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := new(fileRecord)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s is not a file of tokens (remove it to log in again): %w", path, err)
	}
	if r.Server != server || r.Record == nil {
		return nil, fmt.Errorf("%s belongs to another server (remove it to log in again)", path)
	}
	return r.Record, nil
}

// readPrivate reads a file that only its owner may read.
func readPrivate(path string) ([]byte, error) {
	const most = 1 << 20 // bytes
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode(); runtime.GOOS != "windows" && mode.Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s has the mode %o: others may read the tokens in it; run chmod 600 on it, or remove it", path, mode.Perm())
	}
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s is larger than %d bytes", path, most)
	}
	return text, err
}

// Save implements [Store]. The file is replaced as a whole, so that a reader never finds a part.
func (f Files) Save(_ context.Context, server string, r *Record) (err error) {
	text, err := json.MarshalIndent(fileRecord{server, r}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(string(f), ".token-") // with mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(temporary.Name())
		}
	}()
	_, err = temporary.Write(append(text, '\n'))
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), f.path(server))
}
