package runtime_test

import (
	"context"
	"os"
	"os/exec"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// TestIdleSessions: an idle session costs one goroutine and at most 4 KB, its end of the pipe
// included. Shortly after calls it costs little more: the memory that the allocator has not reused
// yet is up to 2 KB. Without Session.rest, 4 KB of stack would be kept.
func TestIdleSessions(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector has memory of its own")
	}
	if os.Getenv("RPCGEN_IDLE") == "" {
		alone(t)
		return
	}
	t.Run("fresh", func(t *testing.T) { idle(t, 0, 4<<10) })
	t.Run("used", func(t *testing.T) { idle(t, 3, 6<<10) })
}

// alone runs the test in a process of its own. In this one, Go starts new goroutines with stacks as
// large as those of earlier tests grew.
func alone(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestIdleSessions$", "-test.v")
	cmd.Env = append(os.Environ(), "RPCGEN_IDLE=1", "GODEBUG=adaptivestackstart=0")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

func idle(t *testing.T, calls int, most uint64) {
	const pairs = 2000 // many, because what Go keeps for its own use is counted too
	h := weather.NewHandler(office())
	sessions := make([]*runtime.Session, 0, 2*pairs)
	goroutines, before := goruntime.NumGoroutine(), memory()
	for range pairs {
		a, b := pipe.New(0)
		server := runtime.NewSession(context.Background(), b, h, runtime.Options{Logger: quiet})
		client := runtime.NewSession(context.Background(), a, nil, runtime.Options{Logger: quiet})
		sessions = append(sessions, server, client)
		for range calls {
			if _, err := weather.NewClient(client).Current(t.Context(), weather.CurrentParams{City: "Paris"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	each := most + 1
	for wait := 0; each > most && wait < 10; wait++ {
		time.Sleep(time.Second) // what is kept for the next call is given back
		each = (memory() - before) / (2 * pairs)
	}
	t.Logf("%d bytes and %.2f goroutines a session", each, float64(goruntime.NumGoroutine()-goroutines)/(2*pairs))
	if each > most {
		t.Errorf("%d bytes a session", each)
	}
	if n := goruntime.NumGoroutine() - goroutines; n > 2*pairs+10 {
		t.Errorf("%d goroutines for %d sessions", n, 2*pairs)
	}
	for _, s := range sessions {
		s.Close()
		s.Wait()
	}
}

// memory returns the bytes in use by the heap and by stacks.
func memory() uint64 {
	var m goruntime.MemStats
	for range 4 { // each collection shrinks stacks that are too large
		goruntime.GC()
	}
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
