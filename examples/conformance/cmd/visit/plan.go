package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// plan is what is done at a server, and what the answers contain.
type plan struct {
	Tool     toolStep      // that answers
	Wrong    toolStep      // with arguments that are refused as a result
	Asking   *toolStep     // that asks the user; nil: there is none
	Resource resourceStep  // that is listed
	Template *resourceStep // that a template stands for; nil: there is none
	Prompt   promptStep
	Change   *toolStep // that changes the list of tools; nil: there is none
}

type toolStep struct {
	Name      string
	Arguments json.RawMessage
	Answer    map[string]string // what the user writes into the form
	Text      string
}

type resourceStep struct{ URI, Text string }

type promptStep struct {
	Name      string
	Arguments map[string]string
	Text      string
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
