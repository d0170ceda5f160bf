package report

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
	"github.com/rpcgen-go/rpcgen/schema/diag"
)

var update = flag.Bool("update", false, "write the golden files")

// sample has findings of each severity, with texts that each format has to escape.
func sample() *contract.Report {
	return &contract.Report{
		Version: 1,
		Server:  contract.Server{Name: "library", Version: "1.0.0", Protocol: "mcp", Revision: "2026-07-28", Revisions: []string{"2025-11-25", "2026-07-28"}},
		Seed:    1,
		Findings: []contract.Finding{
			{ID: "3e90ab", Check: "Crash", Severity: contract.Error, Proof: contract.ByProtocol, Message: "the server ends with code 1 <after> the answer",
				Reproduce: "rpcgen verify --replay 3e90ab -- ./library", Transcript: []string{`{"jsonrpc":"2.0","id":1}`}, Seen: 2},
			{ID: "7c1f2a", Check: "AcceptsInvalid", Keyword: "maximum", Severity: contract.Warning, Proof: contract.ByContract,
				Tools: []string{"search_books", "list_loans"}, Pointer: "/limit", Message: "search_books answers although limit is 21: 100 % \u0001\nwrong",
				Advice: "Refuse it, or publish another maximum.", Reproduce: `rpcgen call search_books --args '{"limit":21}' -- ./library`,
				Arguments: `{"limit":21}`, Seen: 2},
			{ID: "aaaa01", Check: "Unhelpful", Severity: contract.Note, Proof: contract.Heuristic, Tools: []string{"get_book"},
				Message: "a refusal does not name the argument", Reproduce: "rpcgen call get_book -- ./library", Seen: 2},
		},
		Tools: []contract.Tool{
			{Name: "search_books", Calls: 212, Succeeded: 96, Refused: 116, Reached: true},
			{Name: "list_loans", Calls: 3, Succeeded: 3, Reached: true},
			{Name: "get_book", Calls: 8, Succeeded: 1, Failed: 7, Reached: true},
			{Name: "count_books", Calls: 1, Succeeded: 1, Reached: true},
			{Name: "add_book", Skipped: "it writes"},
		},
		Skipped: []contract.Skipped{{Check: "Tasks", Reason: "no tool can run as a task"}},
		Checks:  38, Calls: 512, Elapsed: 14200 * time.Millisecond,
	}
}

var options = Options{
	Version: "1.0.0",
	Place: func(tool string) diag.Span {
		if tool == "search_books" {
			return diag.Span{Pos: diag.Pos{File: "rpc/my library.rpc.yaml", Line: 12, Col: 3}, Len: 12}
		}
		return diag.Span{}
	},
}

// TestGolden compares what each format says with a file.
func TestGolden(t *testing.T) {
	for file, write := range map[string]func(io.Writer) error{
		"report.json":  func(w io.Writer) error { return JSON(w, sample()) },
		"report.xml":   func(w io.Writer) error { return JUnit(w, sample(), options) },
		"report.sarif": func(w io.Writer) error { return SARIF(w, sample(), options) },
		"report.txt":   func(w io.Writer) error { return GitHub(w, sample(), options) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(file, err)
		}
		path := filepath.Join("testdata", file)
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), b.String()); d != "" {
			t.Errorf("%s: %s", file, d)
		}
	}
}

// TestSchemas validates JSON and SARIF: JSON by the schema that is published, SARIF by the part of its schema that is written.
func TestSchemas(t *testing.T) {
	for _, r := range []*contract.Report{sample(), {Version: 1, Server: contract.Server{Protocol: "jsonrpc"}, Findings: []contract.Finding{}, Tools: []contract.Tool{}, Skipped: []contract.Skipped{}}} {
		var b bytes.Buffer
		if err := JSON(&b, r); err != nil {
			t.Fatal(err)
		}
		validate(t, "../../../../../../schema/verify-v1.json", b.Bytes())
		b.Reset()
		if err := SARIF(&b, r, options); err != nil {
			t.Fatal(err)
		}
		validate(t, "testdata/sarif.schema.json", b.Bytes())
	}
}

func validate(t *testing.T, schema string, document []byte) {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%s: %v\n%s", schema, err, document)
	}
	if v.(map[string]any)["version"] == nil {
		t.Errorf("%s accepts a document without a version", schema)
	}
}

// TestJUnit reads the elements and attributes that readers of JUnit expect, and compares the counts with the cases.
func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	if err := JUnit(&b, sample(), Options{Fails: contract.Error}); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	attributes := map[string]string{}
	d := xml.NewDecoder(&b)
	parents := []string{""}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if within := map[string]string{"testsuites": "", "testsuite": "testsuites", "testcase": "testsuite", "failure": "testcase",
				"skipped": "testcase", "system-out": "testcase"}; within[e.Name.Local] != parents[len(parents)-1] {
				t.Errorf("%s stands in %s", e.Name.Local, parents[len(parents)-1])
			}
			counts[e.Name.Local]++
			parents = append(parents, e.Name.Local)
			for _, a := range e.Attr {
				attributes[e.Name.Local+" "+a.Name.Local] = a.Value
			}
		case xml.EndElement:
			parents = parents[:len(parents)-1]
		}
	}
	for _, pair := range [][2]string{{"testcase", "testsuite tests"}, {"failure", "testsuite failures"}, {"skipped", "testsuite skipped"}} {
		if got := strconv.Itoa(counts[pair[0]]); got != attributes[pair[1]] || got == "0" {
			t.Errorf("%s is %s, and there are %s", pair[1], attributes[pair[1]], got)
		}
	}
	for _, name := range []string{"testsuite name", "testsuite time", "testcase classname", "testcase name", "testcase time", "failure type"} {
		if attributes[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	if counts["failure"] != 1 {
		t.Errorf("%d findings fail, want the error only", counts["failure"])
	}
}

// TestBaseline writes the findings of a report, which are known afterwards, in spite of other findings and a reason that was added by hand.
func TestBaseline(t *testing.T) {
	file := filepath.Join(t.TempDir(), "verify.baseline.yaml")
	if err := WriteBaseline(file, sample()); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(file)
	if err := os.WriteFile(file, bytes.Replace(text, []byte("reason: known"), []byte("reason: 'models ask for 21: see ADR 4'"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteBaseline(file, sample()); err != nil {
		t.Fatal(err)
	}
	text, _ = os.ReadFile(file)
	if got := string(text); !strings.Contains(got, "models ask for 21: see ADR 4") || strings.Count(got, "reason: known") != 2 || strings.Index(got, "AcceptsInvalid") > strings.Index(got, "Crash") {
		t.Errorf("the baseline is:\n%s", got)
	}
	b, err := ReadBaseline(file)
	if err != nil {
		t.Fatal(err)
	}
	r := sample()
	r.Findings = append(r.Findings[1:], contract.Finding{ID: "new", Check: "Hang", Severity: contract.Error}) // Crash is repaired
	r.Tools[2].Reached = false
	r.Findings = append(r.Findings[:1], r.Findings[2]) // and get_book is not reached
	if known := b.Apply(r); len(known) != 1 || known[0].ID != "7c1f2a" {
		t.Errorf("known are %v", known)
	}
	if len(r.Findings) != 2 || r.Findings[0].ID != "new" || r.Findings[1].Check != StaleBaseline || r.Findings[1].ID != "3e90ab" || r.Worst() != contract.Error {
		t.Errorf("what remains is %+v", r.Findings)
	}
	if !strings.HasPrefix(r.Findings[1].Message, file+":") {
		t.Error(r.Findings[1].Message)
	}
}

// TestBaselineFaults reads files that are not baselines.
func TestBaselineFaults(t *testing.T) {
	for text, want := range map[string]string{
		"id: a":                   "a baseline is a list of entries",
		"- a":                     ":1: an entry is a mapping",
		"- {id: a, check: B}":     ":1: the entry has no reason",
		"# x\n- {id: a, chek: B}": `:2: "chek" is not a member of an entry`,
		"- {id: [a]}":             ":1: id is a text",
		"- {id: a, check: B, reason: c}\n- {id: a, check: B, reason: d}": ":2: the id a stands in line 1 already",
		"- {": "a baseline is a list",
	} {
		file := filepath.Join(t.TempDir(), "b.yaml")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadBaseline(file); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), file) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"", "[]", "# nothing\n"} {
		file := filepath.Join(t.TempDir(), "b.yaml")
		os.WriteFile(file, []byte(text), 0o644)
		if _, err := ReadBaseline(file); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
