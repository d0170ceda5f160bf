package results

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Keep writes a result into a folder, in a file of its own.
func (r *Result) Keep(folder string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, rand.Text()+".json"), text, 0o644)
}

// Summarize prints the results of a folder together, after the lines of its file steps, each of which begins with "passed: " or "failed: ". It reports whether
// there are results, and nothing failed.
func Summarize(folder string, out io.Writer) bool {
	var all Result
	steps, _ := os.ReadFile(filepath.Join(folder, "steps"))
	out.Write(steps)
	files, _ := filepath.Glob(filepath.Join(folder, "*.json"))
	for _, name := range files {
		var r Result
		text, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			fmt.Fprintln(out, name, err)
			return false
		}
		all.Passed += r.Passed
		all.Skipped += r.Skipped
		all.Failures = append(all.Failures, r.Failures...)
	}
	all.Print(out)
	return all.Passed > 0 && len(all.Failures) == 0 && !strings.Contains("\n"+string(steps), "\nfailed: ")
}
