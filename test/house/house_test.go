package house

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// root enters the root of the repository. Each test calls it first: what TestMain enters, go test does not learn, and would remember results of files that differ.
var root = sync.OnceFunc(func() {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
})

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
