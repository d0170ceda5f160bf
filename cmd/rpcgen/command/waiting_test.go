package command

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestWaiting: what takes more than two seconds is written for a person, and not on a pipe.
func TestWaiting(t *testing.T) {
	for _, tt := range []struct {
		terminal bool
		takes    time.Duration
		want     string
	}{{true, 3 * time.Second, "reading ...\n"}, {true, time.Second, ""}, {false, time.Hour, ""}} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			done := showWait(&out, tt.terminal, "reading")
			time.Sleep(tt.takes)
			done()
			synctest.Wait()
			if out.String() != tt.want {
				t.Errorf("%+v: %q", tt, out.String())
			}
		})
	}
}
