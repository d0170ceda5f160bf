// Package settings reads verify.yaml, which says how the commands verify and load call a server.
//
//test:by ./cmd/rpcgen/internal/workshop/load
//test:by ./cmd/rpcgen/command TestScripts/^load$|TestScripts/^verify$
package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
)

// Default is read by verify if it is there.
const Default = "verify.yaml"

// Config is what a configuration says. All keys are optional.
type Config struct {
	Server  Words                     `yaml:"server"` // a URL, or the words of a command
	Sandbox bool                      `yaml:"sandbox"`
	Include []string                  `yaml:"include"`
	Exclude []string                  `yaml:"exclude"`
	Checks  map[string]Severity       `yaml:"checks"`  // off, a severity, or for Slow {max: TIME}
	Seeds   map[string][]any          `yaml:"seeds"`   // values of arguments, by ARGUMENT or TOOL.ARGUMENT
	Args    map[string]map[string]any `yaml:"args"`    // values that are always sent, by tool and argument
	Weights map[string]int            `yaml:"weights"` // of the calls of a tool under load; 1 for those that are not there
}

// Words is a text or a list of texts.
type Words []string

// UnmarshalYAML implements [yaml.Unmarshaler].
func (w *Words) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*w = Words{n.Value}
		return nil
	}
	return n.Decode((*[]string)(w))
}

// Severity is what a configuration says about a check.
type Severity struct {
	Word string        // off, or a severity; empty if Max is given
	Max  time.Duration // for Slow
}

// UnmarshalYAML implements [yaml.Unmarshaler].
func (s *Severity) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		s.Word = n.Value
		if s.Word == "false" {
			s.Word = "off"
		}
		if s.Word != "off" && contract.Severity(s.Word).Rank() == 0 {
			return fmt.Errorf("line %d: a check is off, error, warning or note, not %q", n.Line, n.Value)
		}
		return nil
	}
	var o struct {
		Max string `yaml:"max"`
	}
	if err := n.Decode(&o); err != nil {
		return err
	}
	d, err := time.ParseDuration(o.Max)
	if err != nil || d <= 0 {
		return fmt.Errorf("line %d: max is a time such as 2s, not %q", n.Line, o.Max)
	}
	s.Max = d
	return nil
}

// Read reads a configuration. Errors name the file and the line.
func Read(file string) (c Config, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return c, err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return c, fmt.Errorf("%s: %s", file, strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), " in type settings.Config",
			": the keys are server, sandbox, include, exclude, checks, seeds, args and weights"))
	}
	for name := range c.Checks {
		if !slices.Contains(contract.Names(), name) {
			return c, fmt.Errorf("%s: checks: there is no check %q; those that are there: %s", file, name, strings.Join(contract.Names(), ", "))
		}
	}
	for name, n := range c.Weights {
		if n < 1 || n > 1000 {
			return c, fmt.Errorf("%s: weights: %s: a weight is from 1 to 1000, not %d; exclude leaves a tool out", file, name, n)
		}
	}
	return c, nil
}

// Takes reports whether a tool may be called.
func (c *Config) Takes(tool string) bool {
	return (c.Include == nil || contract.Matches(c.Include, tool)) && !contract.Matches(c.Exclude, tool)
}

// Values are the seeds as JSON.
func (c *Config) Values() map[string][]string {
	all := map[string][]string{}
	for name, seeds := range c.Seeds {
		for _, v := range seeds {
			all[name] = append(all[name], asJSON(v))
		}
	}
	return all
}

// Arguments are the values that are always sent, as JSON, by tool and argument.
func (c *Config) Arguments() map[string]map[string]string {
	all := map[string]map[string]string{}
	for tool, args := range c.Args {
		all[tool] = map[string]string{}
		for name, v := range args {
			all[tool][name] = asJSON(v)
		}
	}
	return all
}

// asJSON writes a value of YAML as JSON.
func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		text, _ = json.Marshal(fmt.Sprint(v)) // a text has no error
	}
	return string(text)
}
