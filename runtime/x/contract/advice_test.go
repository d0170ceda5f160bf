package contract

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBatchAdvice: the advice to a server that a batch ends is to answer it where its revision has batches, and to refuse it elsewhere.
func TestBatchAdvice(t *testing.T) {
	for revision, want := range map[string]string{
		"2025-03-26": "Answer each request of a batch",
		"2025-06-18": "this revision of MCP has no batches",
		"2025-11-25": "this revision of MCP has no batches",
	} {
		conn := talk(func() func([]byte) string {
			ended := false
			return func(line []byte) string {
				if ended = ended || line[0] == '['; ended {
					return ""
				}
				return strings.ReplaceAll(tidy.answer(line), "2025-11-25", revision)
			}
		})
		r := runMemory(t, conn, Options{Time: 20 * time.Second, Calls: 10, Checks: []string{"Batch"}})
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.Advice)
		}
		if len(got) == 0 || !strings.Contains(got[0], want) {
			t.Errorf("%s: %q", revision, got)
		}
	}
}

// TestChecksAreMade: checks.txt describes each check that the code makes, and no other.
func TestChecksAreMade(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]bool{}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`"([A-Z][A-Za-z]+)"`).FindAllSubmatch(source, -1) {
			made[string(m[1])] = true
		}
		for _, m := range regexp.MustCompile(`check: *"(\w+)"`).FindAllSubmatch(source, -1) {
			if !slices.Contains(Names(), string(m[1])) {
				t.Errorf("%s makes the check %s, which checks.txt does not describe", name, m[1])
			}
		}
	}
	for _, name := range Names() {
		if !made[name] {
			t.Errorf("checks.txt describes the check %s, which no file makes", name)
		}
	}
}

// TestMethodsThatMayWrite: of a service, the methods that are idempotent are called, and others are listed with the reason why they are not.
func TestMethodsThatMayWrite(t *testing.T) {
	const document = `{"openrpc":"1.3.2","methods":[{"name":"parcel/find","params":[],"x-idempotent":true},{"name":"parcel/look","params":[],"x-read-only":true},{"name":"parcel/send","params":[]}]}`
	methods, _, err := OpenRPC([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	conn := talk(func() func([]byte) string { return tidy.answer })
	r := runMemory(t, conn, Options{Time: 20 * time.Second, Calls: 10, Checks: []string{"Accepts"}, Methods: methods})
	for _, tool := range r.Tools {
		want := ""
		if tool.Name == "parcel/send" {
			want = "it may write, for it is not idempotent"
		}
		if tool.Skipped != want {
			t.Errorf("%s: %q", tool.Name, tool.Skipped)
		}
	}
	if len(r.Tools) != 3 {
		t.Errorf("%+v", r.Tools)
	}
}
