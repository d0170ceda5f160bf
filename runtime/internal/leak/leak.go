// Package leak finds goroutines that tests have left running. It is a small part of
// go.uber.org/goleak. It exists because packages that users import use only the standard library in
// their tests, so that go.sum of a user's module contains nothing that only our tests need.
package leak

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Main runs the tests of a package and fails if they leave goroutines.
func Main(m *testing.M) {
	code := m.Run()
	if left := Leaks(nil); code == 0 && len(left) > 0 {
		fmt.Fprintf(os.Stderr, "goroutines are left:\n\n%s\n", strings.Join(left, "\n\n"))
		code = 1
	}
	os.Exit(code)
}

// Goroutines is a set of goroutine ids.
type Goroutines map[string]bool

// Current returns the goroutines that exist.
func Current() Goroutines {
	known := Goroutines{}
	for id := range otherStacks() {
		known[id] = true
	}
	return known
}

// Check fails t if there are goroutines that are not known.
func Check(t testing.TB, known Goroutines) {
	t.Helper()
	if left := Leaks(known); len(left) > 0 {
		t.Errorf("goroutines are left:\n\n%s", strings.Join(left, "\n\n"))
	}
}

// Run runs a part of a test, and fails if that leaves goroutines after its cleanups.
func Run(t *testing.T, name string, test func(t *testing.T)) {
	t.Run(name, func(t *testing.T) {
		known := Current()
		t.Run("", test)
		Check(t, known)
	})
}

// patience is how often goroutines are looked at, with a millisecond in between: time in which the process is stopped does not count.
const patience = 5000

// Leaks waits until all goroutines except the known ones have ended. It returns the stacks of those
// that do not end within 5 seconds.
func Leaks(known Goroutines) (left []string) {
	for try := 0; ; time.Sleep(time.Millisecond) {
		left = left[:0]
		for id, stack := range otherStacks() {
			if !known[id] {
				left = append(left, stack)
			}
		}
		if try++; len(left) == 0 || try > patience {
			return left
		}
	}
}

var head = regexp.MustCompile(`^goroutine (\d+)[^\n]*\n`)

// ours matches functions of goroutines that package testing and the Go runtime start.
var ours = regexp.MustCompile(`(?m)^(testing\.\(\*[TMBF]\)\.|testing\.RunTests|testing\.runTests|testing\.tRunner|testing\.runFuzz|runtime\.ensureSigM|os/signal\.(signal_recv|loop)|runtime/trace\.|internal/fuzz\.)`)

// otherStacks returns the stacks, by id, of all goroutines except the caller and those of package
// testing.
func otherStacks() map[string]string {
	all := make([]byte, 64<<10)
	for {
		n := runtime.Stack(all, true)
		if n < len(all) {
			all = all[:n]
			break
		}
		all = make([]byte, 2*len(all))
	}
	stacks := map[string]string{}
	for i, stack := range strings.Split(string(all), "\n\n") {
		m := head.FindStringSubmatch(stack)
		calls, _, _ := strings.Cut(stack, "\ncreated by ") // what started the goroutine does not count
		if i == 0 || m == nil || ours.MatchString(calls) {
			continue
		}
		stacks[m[1]] = stack
	}
	return stacks
}
