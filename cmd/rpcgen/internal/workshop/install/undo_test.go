package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func undone(t *testing.T, h *Host, sys *System, project bool, want string) {
	t.Helper()
	if said, err := h.Undo(sys, project); err != nil || !strings.Contains(said, want) {
		t.Errorf("%s: %q, %v; want %q", h.Name, said, err, want)
	}
}

// TestUndo: what was written is taken back byte by byte, in the reverse order; a file that has changed since keeps its changes, and loses the entry.
func TestUndo(t *testing.T) {
	h, sys := find(t, "zed"), machine(t, nil)
	file := h.file(sys, false)
	plan := func(name string) *Plan {
		t.Helper()
		p, err := h.Add(&Server{Name: name, Program: "/bin/" + name}, sys, false, value)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	undone := func(want string) { t.Helper(); undone(t, h, sys, false, want) }

	applied(t, plan("a"), sys)
	one := read(t, file)
	applied(t, plan("b"), sys)
	drop, err := h.Drop("a", sys, false)
	if err != nil {
		t.Fatal(err)
	}
	two := read(t, file)
	applied(t, drop, sys)
	if got := read(t, file); strings.Contains(got, "/bin/a") {
		t.Error(got)
	}
	undone("is as it was before")
	if got := read(t, file); got != two {
		t.Errorf("%q, want %q", got, two)
	}
	undone("is as it was before")
	if got := read(t, file); got != one {
		t.Errorf("%q, want %q", got, one)
	}
	undone("was removed: it was not there before")
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if said, err := h.Undo(sys, false); err == nil || !strings.Contains(err.Error(), "nothing was installed in Zed") {
		t.Error(said, err)
	}

	write(t, file, "{\n  // mine\n}\n", 0o600)
	applied(t, plan("a"), sys)
	changed := strings.Replace(read(t, file), "mine", "mine, and new", 1)
	write(t, file, changed, 0o600)
	undone("has changed since, so only the entry a was removed from it. The file as it was before is " + file + ".rpcgen-1.")
	if got, want := read(t, file), "{\n  // mine, and new\n  \"context_servers\": {\n  }\n}\n"; got != want {
		t.Errorf("%q", got)
	}
	applied(t, plan("a"), sys)
	write(t, file, "{}", 0o600)
	undone("has no entry a any more")
	applied(t, plan("a"), sys)
	write(t, file, "{", 0o600)
	if _, err := h.Undo(sys, false); err == nil || !strings.Contains(err.Error(), "remove the entry yourself") {
		t.Error(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	undone("is not there any more")
}

// TestChangedInBetween: a file that was written after the plan was made is not touched, and neither is one that was removed or made.
func TestChangedInBetween(t *testing.T) {
	h, sys := find(t, "cursor"), machine(t, nil)
	file := h.file(sys, false)
	for name, change := range map[string]struct{ before, after string }{"written": {"{}", `{"a": 1}`}, "made": {"", "{}"}, "removed": {"{}", ""}} {
		put := func(text string) {
			if text == "" {
				os.Remove(file)
			} else {
				write(t, file, text, 0o600)
			}
		}
		put(change.before)
		p, err := h.Add(office["plain"], sys, false, value)
		if err != nil {
			t.Fatal(err)
		}
		put(change.after)
		unlock, err := sys.Lock()
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Apply(sys); err == nil || !strings.Contains(err.Error(), "has changed in between, and is left as it is") {
			t.Errorf("%s: %v", name, err)
		}
		unlock()
		now, _ := os.ReadFile(file)
		if copies, _ := filepath.Glob(file + ".rpcgen-*"); string(now) != change.after || copies != nil {
			t.Errorf("%s: %q, %q", name, now, copies)
		}
		if _, err := h.Undo(sys, false); err == nil {
			t.Errorf("%s: it can be undone", name)
		}
	}
}

// TestAtTheSameTime: no entry of many installs at the same time is lost, and each can be undone.
func TestAtTheSameTime(t *testing.T) {
	h, sys := find(t, "cursor"), machine(t, nil)
	file := h.file(sys, false)
	write(t, file, "{} // mine\n", 0o600)
	const many = 8
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			unlock, err := sys.Lock()
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			p, err := h.Add(&Server{Name: fmt.Sprint("s", i), Program: "/bin/s"}, sys, false, value)
			if err == nil {
				err = p.Apply(sys)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	text := read(t, file)
	for i := range many {
		if !strings.Contains(text, fmt.Sprintf(`"s%d": {`, i)) {
			t.Errorf("s%d is lost:\n%s", i, text)
		}
	}
	for range many {
		undone(t, h, sys, false, "is as it was before")
	}
	if got := read(t, file); got != "{} // mine\n" {
		t.Errorf("%q", got)
	}
}
