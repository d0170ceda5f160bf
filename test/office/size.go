package office

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// most is what a program may grow by, in bytes, without symbols. It was 1,225,000 before lists had pages by themselves, and messages used memory again.
const most = 1_246_000

// TestGrowth builds the programs testdata/plain and testdata/mounted of a module, which differ in entries that are added, and compares their sizes.
func TestGrowth(t *testing.T) {
	plain, mounted := size(t, "./testdata/plain"), size(t, "./testdata/mounted")
	t.Logf("%d bytes, and %d with entries of a generated server: %d more", plain, mounted, mounted-plain)
	if mounted-plain > most {
		t.Errorf("the program grows by %d bytes, and not by at most %d", mounted-plain, most)
	}
}

func size(t *testing.T, program string) int64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", file, program).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
