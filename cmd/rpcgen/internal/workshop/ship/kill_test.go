//go:build unix

package ship

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

var kills = flag.Int("kills", 2, "how many runs are killed, at moments that are drawn")

// TestMain ships in place of the tests where a test has started this program for that.
func TestMain(m *testing.M) {
	if out := os.Getenv("RPCGEN_TEST_SHIP"); out != "" {
		platforms = []platform{{runtime.GOOS, runtime.GOARCH}}
		o := options(os.Stdout, "{name: a, version: 1.0.0}")
		o.Out = out
		o.Check = func(context.Context, []string, string) (Answer, error) {
			if os.Getenv("RPCGEN_TEST_DIE") != "" {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			return Answer{Version: "1.0.0"}, nil
		}
		if err := Run(context.Background(), o); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestKilled: a run that is killed leaves the files of the run before or its own, and the next one says what else it has left.
func TestKilled(t *testing.T) {
	o := program(t, "{name: a, version: 1.0.0}")
	if err := os.Mkdir(filepath.Dir(o.Out), 0o777); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	ship := func(text, die string) *exec.Cmd {
		main := "package main\n\nfunc main() { println(`" + text + "`) }\n"
		if err := os.WriteFile("main.go", []byte(main), 0o666); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "RPCGEN_TEST_SHIP="+o.Out, "RPCGEN_TEST_DIE="+die)
		return c
	}
	var sets []map[string][]byte // what is shipped, of each text
	most := 0                    // looks at the folder in a run
	for _, text := range []string{"old", "new", "old"} {
		if most = looks(t, ship(text, ""), math.MaxInt); most == 0 {
			t.Fatal("it does not ship")
		}
		sets = append(sets, read(t, o.Out))
	}
	left := func() []string {
		all, err := filepath.Glob(filepath.Join(filepath.Dir(o.Out), ".*"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	same := func(a, b map[string][]byte) bool {
		return maps.EqualFunc(a, b, slices.Equal[[]byte])
	}
	said := func(run int) {
		t.Helper()
		all := left()
		text, err := ship("old", "").CombinedOutput()
		if err != nil || !same(read(t, o.Out), sets[0]) {
			t.Errorf("kill %d: the next run: %v\n%s", run, err, text)
		}
		for _, one := range all {
			if !strings.Contains(string(text), filepath.Base(one)) {
				t.Errorf("kill %d: nothing is said of %s", run, one)
			}
			if err := os.RemoveAll(one); err != nil {
				t.Error(err)
			}
		}
		if more := left(); len(more) > 0 {
			t.Errorf("kill %d: %v is left", run, more)
		}
	}
	if err := ship("new", "1").Run(); err == nil || len(left()) != 1 || !same(read(t, o.Out), sets[0]) {
		t.Fatalf("a run that is killed before it is done: %v, and %v is left", err, left())
	}
	said(0)
	counts := map[string]int{}
	for i := range *kills {
		looks(t, ship("new", ""), rand.IntN(most))
		switch now := read(t, o.Out); {
		case same(now, sets[0]):
			counts["old"]++
		case same(now, sets[1]):
			counts["new"]++
		default:
			t.Errorf("kill %d: the folder has %d files of neither run", i, len(now))
		}
		counts["left"] += len(left())
		said(i + 1)
	}
	t.Log(counts)
}

// looks runs a command, kills it once its folder was looked at so often, and returns how often that was. The go command that it has started is killed with
// it: else that would write into the folder which the next run says is left, and which is removed then.
func looks(t *testing.T, c *exec.Cmd, most int) (n int) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for ; n < most; n++ {
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			return n
		default:
			_, _ = os.ReadDir(".")
		}
	}
	_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	<-ended
	return n
}
