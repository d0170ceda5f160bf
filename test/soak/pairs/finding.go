package pairs

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// findings counts what happens, and reports what is wrong.
type findings struct {
	began time.Time

	scenarios atomic.Int64
	right     atomic.Int64 // answers
	refused   atomic.Int64 // calls, as they had to be: rates, lost connections, invalid params
	givenUp   atomic.Int64 // calls that their callers have cancelled

	mu    sync.Mutex
	out   io.Writer
	wrong int
	shown map[string]int // by what was asked
}

// most is how many findings about one call are written.
const most = 3

// add reports something that is wrong in a scenario.
func (f *findings) add(s *scenario, caller, what, expected, got string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wrong++
	if f.shown == nil {
		f.shown = make(map[string]int)
	}
	if f.shown[what]++; f.shown[what] > most {
		return
	}
	fmt.Fprintf(f.out, "pairs: after %v: seed %d, scenario %d (%s): caller %s: %s: expected %s, got %s\n\tagain: go run -race ./test/soak -part pairs "+
		"-seed %d -scenario %d\n",
		time.Since(f.began).Round(10*time.Millisecond), s.seed, s.number, s, caller, what, expected, got, s.seed, s.number)
}

func (f *findings) String() string {
	return fmt.Sprintf("pairs: %d scenarios, %d right answers, %d wrong; %d cancelled, %d refused, in %s",
		f.scenarios.Load(), f.right.Load(), f.count(), f.givenUp.Load(), f.refused.Load(), time.Since(f.began).Round(time.Second))
}

func (f *findings) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.wrong
}

// err returns what is wrong, or nil. A run without answers has not shown anything.
func (f *findings) err() error {
	switch n := f.count(); {
	case n > 0:
		return fmt.Errorf("pairs: %d answers, or their absence, are wrong", n)
	case f.scenarios.Load() == 0:
		return fmt.Errorf("pairs: no scenario was run")
	}
	return nil
}
