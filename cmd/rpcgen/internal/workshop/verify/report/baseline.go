package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
)

// StaleBaseline is the check that reports entries of a baseline that match nothing any more.
const StaleBaseline = "StaleBaseline"

// Entry is a finding that is known.
type Entry struct {
	ID     string `yaml:"id"`
	Check  string `yaml:"check"`
	Tool   string `yaml:"tool,omitempty"`
	Reason string `yaml:"reason"` // why it stays
}

// Baseline is a list of findings that are known and are not reported again.
type Baseline struct {
	file    string
	entries []Entry
	lines   []int // of the entries
}

// ReadBaseline reads a baseline. A file that does not exist is an error. Errors name the file and the line.
func ReadBaseline(file string) (*Baseline, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	b := &Baseline{file: file}
	var nodes []yaml.Node
	if err := yaml.Unmarshal(text, &nodes); err != nil {
		return nil, fmt.Errorf("%s: a baseline is a list of entries {id, check, tool, reason}: %w", file, err)
	}
	ids := map[string]int{}
	for i := range nodes {
		e, err := entryOf(&nodes[i])
		if before := ids[e.ID]; err == nil && before > 0 {
			err = fmt.Errorf("the id %s stands in line %d already: remove one of them", e.ID, before)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, nodes[i].Line, err)
		}
		ids[e.ID] = nodes[i].Line
		b.entries, b.lines = append(b.entries, e), append(b.lines, nodes[i].Line)
	}
	return b, nil
}

// entryOf reads one entry, which has all members but tool, and no others.
func entryOf(node *yaml.Node) (e Entry, err error) {
	if node.Kind != yaml.MappingNode {
		return e, errors.New("an entry is a mapping with id, check, tool and reason")
	}
	members := map[string]*string{"id": &e.ID, "check": &e.Check, "tool": &e.Tool, "reason": &e.Reason}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		to := members[key.Value]
		switch {
		case to == nil:
			return e, fmt.Errorf("%q is not a member of an entry: write id, check, tool or reason", key.Value)
		case value.Kind != yaml.ScalarNode:
			return e, fmt.Errorf("%s is a text", key.Value)
		}
		*to = value.Value
	}
	for _, name := range []string{"id", "check", "reason"} {
		if *members[name] == "" {
			return e, fmt.Errorf("the entry has no %s", name)
		}
	}
	return e, nil
}

// Apply removes the findings of a report that the baseline has, and returns them. For each entry that matches no finding although its tool was
// reached, or that is about the whole server, the report gets a finding StaleBaseline.
func (b *Baseline) Apply(r *contract.Report) (known []contract.Finding) {
	used := map[string]bool{}
	kept := []contract.Finding{}
	for _, f := range r.Findings {
		if b.index(f.ID) >= 0 {
			used[f.ID] = true
			known = append(known, f)
		} else {
			kept = append(kept, f)
		}
	}
	for i, e := range b.entries {
		if !used[e.ID] && hasSuccess(r, e.Tool) {
			kept = append(kept, b.stale(e, b.lines[i]))
		}
	}
	slices.SortStableFunc(kept, func(a, b contract.Finding) int { return cmp.Compare(b.Severity.Rank(), a.Severity.Rank()) })
	r.Findings = kept
	return known
}

// index returns which entry has an id; -1 for none.
func (b *Baseline) index(id string) int {
	return slices.IndexFunc(b.entries, func(e Entry) bool { return e.ID == id })
}

// hasSuccess reports whether a call of a tool succeeded; true for the empty name, which stands for the server.
func hasSuccess(r *contract.Report, tool string) bool {
	return tool == "" || slices.ContainsFunc(r.Tools, func(t contract.Tool) bool { return t.Name == tool && t.Reached })
}

func (b *Baseline) stale(e Entry, line int) contract.Finding {
	f := contract.Finding{
		ID: e.ID, Check: StaleBaseline, Severity: contract.Warning, Proof: contract.ByContract,
		Message:   fmt.Sprintf("%s:%d: the finding %s of %s was not found again", b.file, line, e.ID, e.Check),
		Advice:    "Remove the entry from the baseline if the fault is repaired.",
		Reproduce: fmt.Sprintf("grep -n %s %s", e.ID, b.file), Seen: 2,
	}
	if e.Tool != "" {
		f.Tools = []string{e.Tool}
	}
	return f
}

// WriteBaseline writes all findings of a report into a file, sorted by check, tool and id, with the reason "known". Entries that the file has
// already keep their reasons; those that match nothing are dropped.
func WriteBaseline(file string, r *contract.Report) error {
	old, err := ReadBaseline(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries := []Entry{}
	for _, f := range r.Findings {
		e := Entry{ID: f.ID, Check: f.Check, Reason: "known"}
		if len(f.Tools) > 0 {
			e.Tool = f.Tools[0]
		}
		if old != nil {
			if i := old.index(e.ID); i >= 0 {
				e.Reason = old.entries[i].Reason
			}
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Check, b.Check), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.ID, b.ID))
	})
	var text bytes.Buffer
	io.WriteString(&text, "# Findings of rpcgen verify that are known. Say why each of them stays; an entry that matches nothing any more is reported.\n")
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(entries), e.Close()); err != nil {
		return err
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
}
