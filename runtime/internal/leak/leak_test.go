package leak

import (
	"strings"
	"testing"
)

func TestCurrent(t *testing.T) {
	known := Current()
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		<-stop
		close(stopped)
	}()
	left := otherStacks()
	found := 0
	for id, stack := range left {
		if !known[id] && strings.Contains(stack, "leak.TestCurrent.func1") {
			found++
		}
	}
	if found != 1 {
		t.Errorf("found %d of one goroutine: %v", found, left)
	}
	close(stop)
	<-stopped
	Check(t, known)
}
