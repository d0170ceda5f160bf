package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	linediff "github.com/rogpeppe/go-internal/diff"
)

const cliHead = `# The command line

Every command and flag of ` + "`rpcgen`" + `, as ` + "`rpcgen COMMAND --help`" + ` prints them: ` + "`go test ./docs -update`" + ` writes this page.

In a module that lists the command as a tool, it is ` + "`go tool rpcgen`" + `. Another program called ` + "`rpcgen`" + ` (for Sun RPC) may be on your PATH:
` + "`cmd/rpcgen-go`" + ` is the same command by a name of its own, which its help prints instead.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | findings: faults in a schema, files that are out of date, a break, a tool that failed |
| 2 | wrong usage |
| 3 | an error of rpcgen itself, or no answer of a server |

`

// TestCLI compares the page with the help of the command.
func TestCLI(t *testing.T) {
	folder, err := build()
	if err != nil {
		t.Fatal(err)
	}
	page := cliHead + helpOf(t, filepath.Join(folder, "rpcgen"))
	if *update {
		if err := os.WriteFile("cli.md", []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := linediff.Diff("cli.md", []byte(text(t, "cli.md")), "help of the command", []byte(page)); d != nil {
		t.Errorf("run go test ./docs -update\n%s", d)
	}
}

var subcommand = regexp.MustCompile(`(?m)^  ([a-z]+) +\S`)

// helpOf returns the help of a command as a section, and after it that of its commands.
func helpOf(t *testing.T, tool string, command ...string) string {
	t.Helper()
	out, err := exec.Command(tool, append(command, "--help")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	title := strings.Join(append([]string{"rpcgen"}, command...), " ")
	section := fmt.Sprintf("## %s\n\n```text\n%s\n```\n", title, strings.TrimSpace(string(out)))
	_, list, _ := strings.Cut(string(out), "Available Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for _, c := range subcommand.FindAllStringSubmatch(list, -1) {
		if c[1] != "help" {
			section += "\n" + helpOf(t, tool, append(command[:len(command):len(command)], c[1])...)
		}
	}
	return section
}
