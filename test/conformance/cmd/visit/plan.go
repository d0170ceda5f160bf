package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// plan is what is done at a server, and what the answers contain.
type plan struct {
	Tool     toolStep      // that answers
	Wrong    toolStep      // with arguments that are refused as a result
	Asking   *toolStep     // that asks the user; nil: there is none
	Progress *toolStep     // that reports progress; nil: there is none
	Capture  *toolStep     // that answers something that {captured} stands for from then on; nil: there is none
	Resource resourceStep  // that is listed
	Template *resourceStep // that a template stands for; nil: there is none
	Prompt   promptStep
	Change   *toolStep // that changes the list of tools; nil: there is none
	Update   *toolStep // that changes a resource; nil: there is none
}

type toolStep struct {
	Name      string
	Arguments json.RawMessage
	Answer    json.RawMessage // of Asking: what the user writes into the form, an object
	Pattern   string          // of Capture: a regular expression
	URI       string          // of Update: the resource
	Text      string
}

type resourceStep struct{ URI, Text string }

type promptStep struct {
	Name      string
	Arguments map[string]string
	Text      string
}

// captured fills in what was captured.
func (p *plan) captured(text string) error {
	pattern, err := regexp.Compile(p.Capture.Pattern)
	if err != nil {
		return err
	}
	found := pattern.FindString(text)
	if found == "" {
		return fmt.Errorf("tool %s: %s is not in %q", p.Capture.Name, pattern, text)
	}
	fill := func(s string) string { return strings.ReplaceAll(s, "{captured}", found) }
	if t := p.Template; t != nil {
		t.URI, t.Text = fill(t.URI), fill(t.Text)
	}
	p.Prompt.Text = fill(p.Prompt.Text)
	for name, value := range p.Prompt.Arguments {
		p.Prompt.Arguments[name] = fill(value)
	}
	return nil
}

// readPlan reads a file of JSON.
func readPlan(file string) (*plan, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := new(plan)
	if err := json.Unmarshal(b, p); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}
