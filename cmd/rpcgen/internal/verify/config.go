package verify

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

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
)

// defaultConfig is read if it is there.
const defaultConfig = "verify.yaml"

// config is what a configuration says. All keys are optional.
type config struct {
	Server  words                     `yaml:"server"` // a URL, or the words of a command
	Sandbox bool                      `yaml:"sandbox"`
	Include []string                  `yaml:"include"`
	Exclude []string                  `yaml:"exclude"`
	Checks  map[string]severity       `yaml:"checks"` // off, a severity, or for Slow {max: TIME}
	Seeds   map[string][]any          `yaml:"seeds"`  // values of arguments, by ARGUMENT or TOOL.ARGUMENT
	Args    map[string]map[string]any `yaml:"args"`   // values that are always sent, by tool and argument
}

// words is a text or a list of texts.
type words []string

// UnmarshalYAML implements [yaml.Unmarshaler].
func (w *words) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*w = words{n.Value}
		return nil
	}
	return n.Decode((*[]string)(w))
}

// severity is what a configuration says about a check.
type severity struct {
	word string
	max  time.Duration
}

// UnmarshalYAML implements [yaml.Unmarshaler].
func (s *severity) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		s.word = n.Value
		if s.word == "false" {
			s.word = "off"
		}
		if s.word != "off" && contract.Severity(s.word).Rank() == 0 {
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
	s.max = d
	return nil
}

// readConfig reads a configuration. Errors name the file and the line.
func readConfig(file string) (c config, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return c, err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return c, fmt.Errorf("%s: %s", file, strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), " in type verify.config", ": the keys are server, sandbox, include, exclude, checks, seeds and args"))
	}
	for name := range c.Checks {
		if !slices.Contains(contract.Names(), name) {
			return c, fmt.Errorf("%s: checks: there is no check %q; those that are there: %s", file, name, strings.Join(contract.Names(), ", "))
		}
	}
	return c, nil
}

// into adds the configuration to options. Flags that were given win.
func (c *config) into(o *contract.Options, command *cobra.Command) {
	if !command.Flags().Changed("include") {
		o.Include = c.Include
	}
	if !command.Flags().Changed("exclude") {
		o.Exclude = c.Exclude
	}
	o.Severities = map[string]contract.Severity{}
	for name, s := range c.Checks {
		switch {
		case s.word == "off":
			o.Skip = append(o.Skip, name)
		case s.word != "":
			o.Severities[name] = contract.Severity(s.word)
		case s.max > 0 && o.MaxTime == 0:
			o.MaxTime = s.max
		}
	}
	slices.Sort(o.Skip)
	o.Values, o.Arguments = map[string][]string{}, map[string]map[string]string{}
	for name, all := range c.Seeds {
		for _, v := range all {
			o.Values[name] = append(o.Values[name], asJSON(v))
		}
	}
	for tool, args := range c.Args {
		o.Arguments[tool] = map[string]string{}
		for name, v := range args {
			o.Arguments[tool][name] = asJSON(v)
		}
	}
}

// asJSON writes a value of YAML as JSON.
func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		text, _ = json.Marshal(fmt.Sprint(v)) // a text has no error
	}
	return string(text)
}
