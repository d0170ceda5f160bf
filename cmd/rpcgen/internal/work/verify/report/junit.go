package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
)

// The elements of JUnit that are written: those that the schemas of Jenkins and of Maven's surefire plugin have in common.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure"`
		Skipped *junitSkipped `xml:"skipped"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

// JUnit writes a report as a suite of tests for the server. Each finding is a case of each tool that has it, or of the server; it fails if the
// finding counts. A tool without a finding is one case that passes, or that is skipped if the tool was not called.
func JUnit(w io.Writer, r *contract.Report, o Options) error {
	name := cmp.Or(r.Server.Name, "server")
	suite := junitSuite{Name: "rpcgen verify " + name, Time: fmt.Sprintf("%.3f", r.Elapsed.Seconds())}
	found := map[string]bool{} // tools with a finding
	for _, f := range r.Findings {
		for _, tool := range orServer(f.Tools) {
			found[tool] = true
			suite.add(caseOf(f, className(name, tool), o))
		}
	}
	for _, tool := range r.Tools {
		c := junitCase{Class: className(name, tool.Name), Name: "contract"}
		if tool.Skipped != "" {
			c.Skipped = &junitSkipped{tool.Skipped}
		}
		if tool.Skipped != "" || !found[tool.Name] {
			suite.add(c)
		}
	}
	for _, s := range r.Skipped {
		suite.add(junitCase{Class: className(name, s.Tool), Name: s.Check, Skipped: &junitSkipped{s.Reason}})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// orServer returns tools, or the empty name, which stands for the server.
func orServer(tools []string) []string {
	if len(tools) == 0 {
		return []string{""}
	}
	return slices.Compact(slices.Clone(tools))
}

func className(server, tool string) string {
	if tool == "" {
		return server
	}
	return server + "." + tool
}

func caseOf(f contract.Finding, class string, o Options) junitCase {
	c := junitCase{Class: class, Name: f.Check}
	if f.Keyword != "" {
		c.Name += " " + f.Keyword
	}
	if f.Pointer != "" {
		c.Name += " " + f.Pointer
	}
	text := f.Message + "\n"
	if f.Advice != "" {
		text += f.Advice + "\n"
	}
	text += f.Reproduce + "\nid " + f.ID + "\n"
	if o.fails(f) {
		c.Failure = &junitFailure{Message: f.Message, Type: f.Check, Text: text}
	} else {
		c.Out = text
	}
	return c
}

// add adds a case and counts it.
func (s *junitSuite) add(c junitCase) {
	c.Time = "0"
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}
