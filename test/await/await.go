// Package await lets tests wait for what happens when the program that they test gets to it.
//
//test:sequential
//test:by ./runtime/x/cache
package await

import (
	"testing"
	"time"
)

// Until waits until holds reports true. It ends the test after a minute, which is far more than a busy machine takes for what tests wait for.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}
