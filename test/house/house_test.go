package house

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestMain runs the tests in the root of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// ofYours lists the places, as file:line: ..., that stand in files which differ from the last commit: a limit is passed by one of them. Where none does, git is
// not there or the commit has it already, and all places are listed.
func ofYours(places []string) string {
	out, _ := exec.Command("git", "status", "--porcelain", "--untracked-files=all").Output() // see above
	changed := slices.DeleteFunc(slices.Clone(places), func(place string) bool {
		file, _, _ := strings.Cut(place, ":")
		return !strings.Contains(string(out), " "+file+"\n")
	})
	if len(changed) == 0 {
		changed = places
	}
	return "\n" + strings.Join(changed, "\n")
}
