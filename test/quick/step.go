package main

import (
	"io"
	"os/exec"
	"strings"

	"github.com/rpcgen-go/rpcgen/test/results"
)

// step is a command, with the reasons to run it.
type step struct {
	dir  string // the module that it runs in
	args []string
	why  []string
}

// String returns the step as people type it.
func (s step) String() string {
	words := make([]string, len(s.args))
	for i, a := range s.args {
		words[i] = results.Quote(a)
	}
	return in(s.dir, strings.Join(words, " "))
}

// in returns a command that runs in a folder.
func in(dir, command string) string {
	if dir != "." {
		return "cd " + dir + " && " + command
	}
	return command
}

// run runs the step, and returns what failed, with the commands that run it alone.
func (s step) run(out io.Writer) (failures []string, err error) {
	if s.args[0] != "go" || s.args[1] != "test" {
		cmd := exec.Command(s.args[0], s.args[1:]...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, out, out
		if cmd.Run() != nil {
			failures = []string{s.String()}
		}
		return failures, nil
	}
	r := results.New(s.dir, s.args[2:])
	if err := r.Run(s.dir, out); err != nil && len(r.Failures) == 0 {
		return nil, err
	}
	for _, f := range r.Failures {
		failures = append(failures, f.String())
	}
	return failures, nil
}
