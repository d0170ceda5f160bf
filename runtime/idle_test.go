package runtime_test

import (
	"context"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/idle"
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
	if idle.InOwnProcess(t) {
		t.Run("fresh", func(t *testing.T) { idleSessions(t, 0, 4<<10) })
		t.Run("used", func(t *testing.T) { idleSessions(t, 3, 6<<10) })
	}
}

func idleSessions(t *testing.T, calls int, most uint64) {
	const pairs = 2000 // many, because what Go keeps for its own use is counted too
	h := weather.NewHandler(office())
	sessions := make([]*runtime.Session, 0, 2*pairs)
	idle.AtMost(t, most, 2*pairs, func() {
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
	})
	for _, s := range sessions {
		s.Close()
		s.Wait()
	}
}
