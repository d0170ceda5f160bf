// Package report writes what rpcgen verify has found for other programs: as JSON, JUnit, SARIF and as workflow commands of GitHub. It also
// reads and writes baselines, the lists of findings that are known.
//
//test:sequential
package report

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// Options are what a report does not know itself. The zero value is what the fields say.
type Options struct {
	Place   func(tool string) diag.Span // where a schema declares a tool; nil, or a zero span, if that is not known
	Fails   contract.Severity           // findings of this severity or a worse one fail; empty means contract.Warning
	Version string                      // of rpcgen
}

// place returns where the first tool of a finding that has a place is declared; a zero span if none has.
func (o Options) place(f contract.Finding) diag.Span {
	for _, tool := range f.Tools {
		if o.Place == nil {
			break
		}
		if span := o.Place(tool); span.Valid() {
			return span
		}
	}
	return diag.Span{}
}

// JSON writes a report as one document, which schema/verify-v1.json describes.
func JSON(w io.Writer, r *contract.Report) error { return writeIndented(w, r) }

// writeIndented writes JSON with an end of line.
func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// GitHub writes findings as workflow commands, which GitHub shows at the line that declares the tool, or in the summary of the run.
func GitHub(w io.Writer, r *contract.Report, o Options) error {
	severities := map[contract.Severity]diag.Severity{contract.Error: diag.Error, contract.Warning: diag.Warning, contract.Note: diag.Note}
	list := make(diag.List, 0, len(r.Findings))
	for _, f := range r.Findings {
		d := diag.Diagnostic{
			Code: diag.Code(f.Check), Severity: severities[f.Severity], Span: o.place(f), Message: f.Message, Help: "reproduce: " + f.Reproduce,
		}
		if f.Advice != "" {
			d.Help = f.Advice + "\n" + d.Help
		}
		list = append(list, d)
	}
	return list.WriteGitHub(w)
}

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
	if f.Severity.Rank() >= cmp.Or(o.Fails, contract.Warning).Rank() {
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

// The objects of SARIF 2.1.0 that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool      `json:"tool"`
		ColumnKind  string         `json:"columnKind"`
		Results     []sarifResult  `json:"results"`
		Invocations []sarifOutcome `json:"invocations"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string     `json:"id"`
		Short *sarifText `json:"shortDescription,omitempty"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        contract.Severity `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
	sarifLogical struct {
		Name     string `json:"name"`
		FullName string `json:"fullyQualifiedName"`
		Kind     string `json:"kind"`
	}
	sarifOutcome struct {
		Successful bool `json:"executionSuccessful"`
	}
)

// SARIF writes a report as a log of SARIF 2.1.0 with a rule for each check that found something. A result is at the line that declares the
// tool, if that is known, and at the logical location tools/NAME. Its partial fingerprint is the id of the finding.
func SARIF(w io.Writer, r *contract.Report, o Options) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "rpcgen verify", Version: o.Version, InformationURI: "https://github.com/rpcgen-go/rpcgen", Rules: []sarifRule{}}},
		ColumnKind: "utf16CodeUnits", Results: []sarifResult{}, Invocations: []sarifOutcome{{true}},
	}
	rules := &run.Tool.Driver.Rules
	for _, f := range r.Findings {
		index := slices.IndexFunc(*rules, func(rule sarifRule) bool { return rule.ID == f.Check })
		if index < 0 {
			index = len(*rules)
			rule := sarifRule{ID: f.Check}
			if i := slices.IndexFunc(contract.Checks(), func(c contract.Check) bool { return c.Name == f.Check }); i >= 0 {
				rule.Short = &sarifText{contract.Checks()[i].What}
			}
			*rules = append(*rules, rule)
		}
		text := f.Message
		if f.Advice != "" {
			text += "\n" + f.Advice
		}
		run.Results = append(run.Results, sarifResult{
			RuleID: f.Check, RuleIndex: index, Level: f.Severity, Message: sarifText{text + "\n" + f.Reproduce},
			Locations: o.locations(f), Fingerprints: map[string]string{"rpcgenFinding/v1": f.ID},
		})
	}
	return writeIndented(w, sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

// locations returns where a finding is; one location for each tool, and none for a finding about the whole server.
func (o Options) locations(f contract.Finding) []sarifLocation {
	all := []sarifLocation{}
	for _, tool := range f.Tools {
		l := sarifLocation{Logical: []sarifLogical{{tool, "tools/" + tool, "function"}}}
		if o.Place != nil {
			l.Physical = physical(o.Place(tool))
		}
		all = append(all, l)
	}
	return all
}

// physical returns the location of a span; nil for a zero span. Paths of other volumes are absolute URIs of the scheme file.
func physical(span diag.Span) *sarifPhysical {
	if !span.Valid() {
		return nil
	}
	uri := url.URL{Path: filepath.ToSlash(span.File)}
	if filepath.IsAbs(span.File) {
		uri.Scheme = "file"
	}
	return &sarifPhysical{sarifArtifact{uri.String()}, sarifRegion{span.Line, max(1, span.Col)}}
}
