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
	command := strings.Join(words, " ")
	if s.dir != "." {
		command = "cd " + s.dir + " && " + command
	}
	return command
}

// run runs the step, and returns what failed, with the commands that run it alone.
func (s step) run(out io.Writer) (failures []string) {
	var err error
	if s.args[1] == "test" {
		r := results.New(s.dir, s.args[2:])
		err = r.Run(s.dir, out)
		for _, f := range r.Failures {
			failures = append(failures, f.String())
		}
	} else {
		cmd := exec.Command(s.args[0], s.args[1:]...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, out, out
		err = cmd.Run()
	}
	if err != nil && failures == nil {
		failures = []string{s.String() + ": " + err.Error()}
	}
	return failures
}
