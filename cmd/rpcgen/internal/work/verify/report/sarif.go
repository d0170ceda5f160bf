package report

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
	"github.com/rpcgen-go/rpcgen/schema/diag"
)

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
			*rules = append(*rules, ruleOf(f.Check))
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
	return indented(w, sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

func ruleOf(check string) sarifRule {
	rule := sarifRule{ID: check}
	for _, c := range contract.Checks() {
		if c.Name == check {
			rule.Short = &sarifText{c.What}
		}
	}
	return rule
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
