package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
)

// TestManyNames: a source with thousands of words has a report that people can read. What is left out of the lines is counted.
func TestManyNames(t *testing.T) {
	r := report.New("many.json")
	for n := range 3000 {
		r.Ignore(fmt.Sprintf("/$defs/T%d/example", n))
		r.Open = append(r.Open, fmt.Sprintf("/tools/%d/inputSchema", n))
	}
	r.Ignore("/$defs/T0/readOnly")
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  ignored: /$defs/T0/example (and 2999 more of this keyword), /$defs/T0/readOnly\n",
		"/tools/39/inputSchema, and 2960 more, which --report json lists\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, b.String())
		}
	}
	if b.Len() > 4000 {
		t.Errorf("it has %d bytes", b.Len())
	}
}

// TestFewNames: what few words say nothing stands in the report as it is.
func TestFewNames(t *testing.T) {
	r := report.New("few.json")
	r.Ignore("/a/example")
	r.Ignore("/b/example")
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if want := "  ignored: /a/example, /b/example\n"; !strings.Contains(b.String(), want) {
		t.Errorf("the report lacks %q:\n%s", want, b.String())
	}
}
