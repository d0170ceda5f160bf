//go:build !bootstrap

package command

import (
	_ "embed"
	"strings"
)

//go:embed help.txt
var helps string

// helpOf returns what a command does, and examples of it; empty for one that says so itself.
func helpOf(name string) (long, examples string) {
	_, section, _ := strings.Cut(helps, "== "+name+" ==\n")
	section, _, _ = strings.Cut(section, "\n== ")
	section = strings.Replace(section, "{patterns}", patternHelp, 1)
	if before, after, ok := strings.Cut(section, "{hosts}"); ok {
		section = before + hostNames() + after
	}
	long, examples, _ = strings.Cut(section, "= examples =\n")
	return strings.TrimSuffix(long, "\n"), strings.TrimSuffix(examples, "\n")
}
