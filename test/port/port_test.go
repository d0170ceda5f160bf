package port

import (
	"net"
	"testing"
)

// TestFree: ports that are taken are not given, none is given twice soon, and no other process gets those of this one.
func TestFree(t *testing.T) {
	seen := map[string]bool{}
	for i := range size / 2 {
		address := Address()
		if seen[address] {
			t.Error(address, "is given twice")
		}
		if seen[address] = true; i%3 > 0 {
			continue
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		latest.Add(-1) // so that it would come next
	}
	base := block().Addr().(*net.TCPAddr).Port
	if _, err := net.Listen("tcp", at(base)); err == nil || base < first || base >= first+blocks*size {
		t.Error("another process gets the block of this one:", base)
	}
}
