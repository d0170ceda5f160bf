package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
)

// store keeps the findings of a server, in a file below the user's cache.
type store struct{ file string }

func storeOf(shell string) store {
	folder, err := os.UserCacheDir()
	if err != nil {
		return store{}
	}
	sum := sha256.Sum256([]byte(shell))
	return store{filepath.Join(folder, "rpcgen", "verify", hex.EncodeToString(sum[:8])+".json")}
}

// write keeps findings in place of those before.
func (s store) write(all []contract.Finding) error {
	if s.file == "" {
		return errors.New("there is no folder for caches")
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(s.file, text, 0o600)
}

// choose returns the findings of an id, or all.
func (s store) choose(id string) ([]contract.Finding, error) {
	var all []contract.Finding
	text, err := os.ReadFile(s.file)
	if err != nil {
		return nil, errors.New("no findings of this server are kept: run verify without --replay first, with the same command or URL")
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w: remove the file", s.file, err)
	}
	if id == "all" {
		return all, nil
	}
	i := slices.IndexFunc(all, func(f contract.Finding) bool { return f.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("there is no finding %s of this server in the last run", id)
	}
	return all[i : i+1], nil
}

// compare says of each finding whether it is there still, and keeps those that are.
func (s store) compare(out io.Writer, was []contract.Finding, r *contract.Report) error {
	var failed []contract.Finding
	for _, f := range was {
		there := slices.ContainsFunc(r.Findings, func(o contract.Finding) bool {
			return o.ID == f.ID || o.Check == f.Check && o.Keyword == f.Keyword &&
				slices.ContainsFunc(o.Tools, func(t string) bool { return slices.Contains(f.Tools, t) })
		})
		word := "fixed "
		if there {
			word = "failed"
			failed = append(failed, f)
		}
		fmt.Fprintf(out, "%s  %s %s  %s\n", word, f.ID, f.Check, f.Message)
	}
	kept, err := s.choose("all")
	if err == nil {
		kept = slices.DeleteFunc(kept, func(f contract.Finding) bool {
			is := func(o contract.Finding) bool { return o.ID == f.ID }
			return slices.ContainsFunc(was, is) && !slices.ContainsFunc(failed, is)
		})
		err = s.write(kept)
	}
	if err != nil {
		return err
	}
	if len(failed) > 0 {
		return ErrFindings
	}
	return nil
}
