package ottercache_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/cache/ottercache"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// TestStore keeps values for their time and within its bounds.
func TestStore(t *testing.T) {
	s, err := ottercache.New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Set("short", []byte("1"), time.Millisecond)
	s.Set("long", []byte("2"), time.Hour)
	if v, ok := s.Get("long"); !ok || string(v) != "2" {
		t.Error(string(v), ok)
	}
	await.Until(t, "a value is gone after its time", func() bool {
		_, ok := s.Get("short")
		return !ok
	})
	value := make([]byte, 1000)
	for i := range 10_000 {
		s.Set("key "+strconv.Itoa(i), value, time.Hour)
	}
	await.Until(t, "few bytes are kept", func() bool { return s.Size() <= 1<<20 })
	if n := s.Size(); n == 0 {
		t.Error("nothing is kept")
	}
}
