package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
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
		if words[i] = a; strings.ContainsAny(a, "|^$()*'") {
			words[i] = "'" + a + "'"
		}
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

var (
	failedTest    = regexp.MustCompile(`^\s*--- FAIL: (\S+)`)
	failedPackage = regexp.MustCompile(`^FAIL\t(\S+)`)
)

// run runs the step, and returns what failed, with the commands that run it alone.
func (s step) run(out io.Writer) (failures []string, err error) {
	cmd := exec.Command(s.args[0], s.args[1:]...)
	cmd.Dir, cmd.Stderr = s.dir, os.Stderr
	printed, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	failures = s.read(printed, out)
	if cmd.Wait() != nil && len(failures) == 0 {
		failures = []string{s.String()}
	}
	return failures, nil
}

// read copies what the step prints, and returns the tests that failed in it.
func (s step) read(printed io.Reader, out io.Writer) (failures []string) {
	var tests []string
	lines := bufio.NewReader(printed)
	for {
		line, err := lines.ReadString('\n')
		fmt.Fprint(out, line)
		if m := failedTest.FindStringSubmatch(line); m != nil {
			tests = append(tests, m[1])
		} else if m := failedPackage.FindStringSubmatch(line); m != nil {
			failures = append(failures, s.failed(m[1], tests)...)
			tests = nil
		}
		if err != nil {
			return failures
		}
	}
}

// failed returns the tests of a package that failed, each with the command that runs it alone. Of a test with parts it returns the parts that failed.
func (s step) failed(pkg string, tests []string) (failures []string) {
	short := ""
	if slices.Contains(s.args, "-short") {
		short = " -short"
	}
	if s.dir == "." {
		pkg = "." + strings.TrimPrefix(pkg, module)
	}
	for _, t := range tests {
		if !slices.ContainsFunc(tests, func(part string) bool { return strings.HasPrefix(part, t+"/") }) {
			failures = append(failures, fmt.Sprintf("%s of %s: %s", t, pkg, in(s.dir, fmt.Sprintf("go test%s %s -run '%s'", short, pkg, exactly(t)))))
		}
	}
	if len(tests) == 0 {
		failures = []string{fmt.Sprintf("%s: %s", pkg, in(s.dir, "go test"+short+" "+pkg))}
	}
	return failures
}

// exactly returns the pattern that -run takes for one test, or for one part of a test.
func exactly(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
