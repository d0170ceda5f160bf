// Command gotest runs "go test" with the arguments that it gets, and shows what that shows. It keeps the results in the folder that the environment
// variable RESULTS names, so that "gotest -summary" can say in a few lines, at the end of many such runs, how many tests passed and which failed, with the
// command that runs each of these alone. Without RESULTS it says so for its own run.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "-summary" {
		os.Exit(summarize(os.Stdout, os.Getenv("RESULTS")))
	}
	r := newResult(os.Args[1:])
	err := r.run(os.Stdout)
	if folder := os.Getenv("RESULTS"); folder != "" {
		err = keep(folder, r, err)
	} else {
		r.print(os.Stdout)
	}
	if err != nil {
		if _, failed := err.(*exec.ExitError); !failed {
			fmt.Fprintln(os.Stderr, "gotest:", err)
		}
		os.Exit(1)
	}
}

// run runs go test.
func (r *result) run(out io.Writer) error {
	c := exec.Command("go", append([]string{"test", "-json"}, r.Arguments...)...)
	c.Stderr = os.Stderr
	events, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	r.read(events, out)
	if err = c.Wait(); err != nil && len(r.Failures) == 0 {
		r.Failures = []failure{{Command: r.command("", "")}}
	}
	return err
}

// keep writes a result into a folder, in a file of its own.
func keep(folder string, r *result, failed error) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, "*.json")
	if err != nil {
		return err
	}
	if _, err := file.Write(text); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return failed
}

// summarize prints the results of a folder together, after the lines of its file steps, each of which begins with "passed: " or "failed: ". It returns 1 if
// something failed, or if there is no result.
func summarize(out io.Writer, folder string) int {
	var all result
	steps, _ := os.ReadFile(filepath.Join(folder, "steps"))
	out.Write(steps)
	files, _ := filepath.Glob(filepath.Join(folder, "*.json"))
	for _, name := range files {
		var r result
		text, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			fmt.Fprintln(out, name, err)
			return 1
		}
		all.add(&r)
	}
	all.print(out)
	if all.Passed == 0 || len(all.Failures) > 0 || strings.Contains("\n"+string(steps), "\nfailed: ") {
		return 1
	}
	return 0
}

// read reads the events of go test, and shows packages and what fails.
func (r *result) read(events io.Reader, out io.Writer) {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil {
			r.take(e, out)
		} else {
			out.Write(line)
		}
		if err != nil {
			return
		}
	}
}
