package procgroup

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestCloses: a channel that is closed when the time is over, as that of a process which stood still, is seen, and one that stays open is waited for as long as was said.
func TestCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open, closed := make(chan struct{}), make(chan struct{})
		close(closed)
		for _, d := range []time.Duration{-1, 0, 1, 10 * time.Millisecond, time.Second + 5*time.Millisecond} {
			begun := time.Now()
			if Closes(open, d) || time.Since(begun) != max(0, d) {
				t.Errorf("open: %v of %v", time.Since(begun), d)
			}
			for range 100 {
				if !Closes(closed, d) {
					t.Errorf("closed before %v are over, and not seen", d)
				}
			}
		}
	})
}
