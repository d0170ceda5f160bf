package ottercache_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/cache/ottercache"
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
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, ok := s.Get("short"); !ok {
			break
		}
		if time.Now().After(until) {
			t.Fatal("a value is there long after its time")
		}
	}
	value := make([]byte, 1000)
	for i := range 10_000 {
		s.Set("key "+strconv.Itoa(i), value, time.Hour)
	}
	for until := time.Now().Add(10 * time.Second); s.Size() > 1<<20; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal(s.Size(), "bytes are kept")
		}
	}
	if n := s.Size(); n == 0 {
		t.Error("nothing is kept")
	}
}
