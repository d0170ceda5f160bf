package runtime_test

import (
	"context"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// TestIdleSessions: a session that waits is one goroutine and less than 4 KB, its half of the pipe included. After calls it is one
// goroutine again a moment later, when the second one has ended, but the stack of the first stays as large as handlers made it.
func TestIdleSessions(t *testing.T) {
	t.Run("fresh", func(t *testing.T) { leastIdle(t, 0, 4<<10) })
	t.Run("used", func(t *testing.T) { leastIdle(t, 3, 8<<10) })
}

// leastIdle takes the least of a few measurements: what tests before have left behind is counted, too, and only ever adds.
func leastIdle(t *testing.T, calls int, most uint64) {
	least := uint64(1 << 60)
	for range 4 {
		if least = min(least, idle(t, calls)); least <= most {
			return
		}
	}
	t.Errorf("%d bytes a session", least)
}

func idle(t *testing.T, calls int) uint64 {
	if raceEnabled {
		t.Skip("the race detector has memory of its own")
	}
	const pairs = 500
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
	for range 100 {
		if goruntime.NumGoroutine()-goroutines <= 2*pairs {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	each := (memory() - before) / (2 * pairs)
	t.Logf("%d bytes and %.2f goroutines a session", each, float64(goruntime.NumGoroutine()-goroutines)/(2*pairs))
	if n := goruntime.NumGoroutine() - goroutines; n > 2*pairs+10 {
		t.Errorf("%d goroutines for %d sessions", n, 2*pairs)
	}
	for _, s := range sessions {
		s.Close()
		s.Wait()
	}
	return each
}

// memory returns the bytes in use by the heap and by stacks.
func memory() uint64 {
	var m goruntime.MemStats
	for range 4 { // each halves the stacks that are too large
		goruntime.GC()
	}
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
