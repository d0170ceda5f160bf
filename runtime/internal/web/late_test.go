package web

import (
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"unsafe"
)

// TestGrowStack: a call that needs 4 KiB of stack finds them in a new goroutine. Where it does not, the stack moves.
func TestGrowStack(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which may shrink stacks
	runtime.GC()                                     // a collection that has begun before has ended then
	var moved bool
	var done sync.WaitGroup
	done.Go(func() {
		growStack()
		var here byte
		before := uintptr(unsafe.Pointer(&here))
		need4KiB(0)
		moved = before != uintptr(unsafe.Pointer(&here))
	})
	if done.Wait(); moved {
		t.Error("the stack moved after it had grown")
	}
}

//go:noinline
func need4KiB(i int) byte {
	var room [4 << 10]byte
	return room[i]
}
