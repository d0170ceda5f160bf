package results_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/test/results"
)

// broken is a module with a test of each kind of fault.
var broken = map[string]string{
	"go.mod":               "module example.com/broken\n\ngo 1.26\n",
	"works/works_test.go":  "package works\n\nimport \"testing\"\n\nfunc TestWorks(t *testing.T) { t.Run(\"part\", func(*testing.T) {}) }\n\nfunc TestLater(t *testing.T) { t.Skip() }\n",
	"build/build_test.go":  "package build\n\nfunc f() int { return \"\" }\n",
	"panics/panic_test.go": "package panics\n\nimport \"testing\"\n\nfunc TestPanic(*testing.T) { panic(\"unlucky\") }\n",
	"late/late_test.go": "package late\n\nimport \"testing\"\n\nfunc TestLate(t *testing.T) {\n\tt.Run(\"a part\", func(t *testing.T) { t.Parallel(); t.Log(\"begins\"); select {} })\n" +
		"\tt.Run(\"b\", func(t *testing.T) { t.Parallel() })\n}\n",
	"draws/draws_test.go": "package draws\n\nimport \"testing\"\n\nfunc TestDraws(t *testing.T) {\n\tt.Run(\"a part\", func(t *testing.T) { t.Fatal(\"to reproduce, specify -rapid.seed=17\") })\n" +
		"\tt.Run(\"other\", func(t *testing.T) { t.Log(\"of no interest\") })\n}\n",
	"exits/exits_test.go": "package exits\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(*testing.M) { os.Exit(3) }\n\nfunc TestNever(*testing.T) {}\n",
}

// TestSummary runs the tests of a module with faults, and checks what is said of them at the end.
func TestSummary(t *testing.T) {
	dir, folder := write(t, broken), t.TempDir()
	var shown, end strings.Builder
	r := results.New("inner", []string{"-vet=off", "-short", "-timeout", "10s", "./..."})
	if err := r.Run(dir, &shown); err == nil {
		t.Error("the run does not fail")
	}
	if err := r.Keep(folder); err != nil {
		t.Fatal(err)
	}
	if results.Summarize(folder, &end) {
		t.Error("the summary says that nothing failed")
	}
	for _, want := range []string{"unlucky", "to reproduce", "cannot use \"\"", "ok  \texample.com/broken/works", "FAIL\texample.com/broken/exits"} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("no %q in\n%s", want, &shown)
		}
	}
	if strings.Contains(shown.String(), "of no interest") {
		t.Errorf("what passes is shown:\n%s", &shown)
	}
	const line = "\tcd inner && go test -vet=off -short -timeout 10s "
	for _, want := range []string{
		"failed: example.com/broken/build \n" + line + "example.com/broken/build\n",
		"failed: example.com/broken/panics TestPanic\n" + line + "-run '^TestPanic$' example.com/broken/panics\n",
		"failed: example.com/broken/late TestLate/a_part\n" + line + "-run '^TestLate$/^a_part$' example.com/broken/late\n",
		"failed: example.com/broken/draws TestDraws/a_part\n" + line + "-run '^TestDraws$/^a_part$' example.com/broken/draws -rapid.seed=17\n",
		"failed: example.com/broken/exits \n" + line + "example.com/broken/exits\n",
		"\n4 passed, 5 failed, 1 skipped\n",
	} {
		if !strings.Contains(end.String(), want) {
			t.Errorf("no %q in\n%s", want, &end)
		}
	}
}

// TestRaceDetectorFails: a package in which the race detector failed, and no test, is run again, once.
func TestRaceDetectorFails(t *testing.T) {
	const crash = "package crash\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestCrash(t *testing.T) {\n" +
		"\tif _, err := os.Stat(\"first\"); err != nil {\n\t\tos.WriteFile(\"first\", nil, 0o644)\n" +
		"\t\tprintln(\"ThreadSanitizer: CHECK failed: tsan_rtl.cpp:346\")\n\t\tos.Exit(66)\n\t}\n}\n"
	for name, test := range map[string]struct {
		files map[string]string
		fails bool
	}{
		"first run":    {map[string]string{"crash_test.go": crash}, false},
		"each run":     {map[string]string{"crash_test.go": strings.Replace(crash, "nil, 0o644", "nil, 0o644); os.Remove(\"first\"", 1)}, true},
		"other faults": {map[string]string{"crash_test.go": crash, "build/build_test.go": broken["build/build_test.go"]}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, map[string]string{"go.mod": broken["go.mod"]}, test.files)
			var shown, end strings.Builder
			r := results.New("", []string{"-vet=off", "./..."})
			err := r.Run(dir, &shown)
			r.Print(&end)
			if (err != nil) != test.fails || !test.fails && end.String() != "1 passed, 0 failed, 0 skipped\n" {
				t.Errorf("%v: %s\n%s", err, &shown, &end)
			}
		})
	}
}

// write writes files into a folder.
func write(t *testing.T, all ...map[string]string) (dir string) {
	dir = t.TempDir()
	for _, files := range all {
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// TestNoResult: nothing that ran is no success.
func TestNoResult(t *testing.T) {
	var end strings.Builder
	if results.Summarize(t.TempDir(), &end) {
		t.Error(&end)
	}
}
