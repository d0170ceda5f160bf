package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestReadChecks: what the suite has written is counted; warnings count against a scenario, and what was skipped does not.
func TestReadChecks(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"server-ping-2026-11-20T17-21-30-060Z":             `[{"id":"a","status":"SUCCESS"},{"id":"b","status":"SKIPPED"}]`,
		"server-server-initialize-2026-11-20T17-21-30-06Z": `[{"id":"a","status":"SUCCESS"},{"id":"b","status":"WARNING","description":"it had better"}]`,
		"auth/dpop-2026-11-20T17-21-30-061Z":               `[{"id":"a","status":"FAILURE","errorMessage":"it did not"},{"id":"b","status":"INFO"}]`,
	} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name, "checks.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := readChecks(folder)
	if err != nil {
		t.Fatal(err)
	}
	tab, l := new(table), &leg{name: "suite", revision: "2026-07-28"}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		l.count(tab, name, found[name])
	}
	if got := strings.Join(slices.Sorted(maps.Keys(found)), " "); got != "auth/dpop ping server-initialize" {
		t.Error(got)
	}
	if *l != (leg{"suite", "2026-07-28", 1, 3, 2, 1, 1}) {
		t.Errorf("%+v", *l)
	}
	if faults := strings.Join(tab.faults, "\n"); len(tab.faults) != 2 || !strings.Contains(faults, "it had better") || !strings.Contains(faults, "it did not") {
		t.Error(faults)
	}
}

// TestDifference shows what has changed.
func TestDifference(t *testing.T) {
	tab := &table{legs: []*leg{{"suite", "2026-07-28", 36, 37, 100, 1, 0}}, visits: [][]string{{"client", "auto", "shop", "ok", "FAILED"}}}
	got := difference("client  auto  shop  ok  ok\n", tab.String())
	for _, want := range []string{"- client  auto  shop  ok  ok", "+ client  auto", "36 of 37", "FAILED"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if difference("same\n", "same\n") != "" {
		t.Error("equal tables differ")
	}
}
