// Package port has ports for servers that tests start later, or again at the same address.
package port

import (
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
)

const first, blocks, size = 20_000, 120, 100 // below the ports that systems give to programs that ask for any

// block listens at the first port of the block of this process, which no other process takes then.
var block = sync.OnceValue(func() net.Listener {
	for {
		if l, err := net.Listen("tcp", at(first+size*rand.IntN(blocks))); err == nil {
			return l
		}
	}
})

var latest atomic.Int64

// Free returns a port of 127.0.0.1 on which nobody listens. No other process has it from this function, and this one does not get it again soon.
func Free() int {
	for {
		port := block().Addr().(*net.TCPAddr).Port + 1 + int(latest.Add(1))%(size-1)
		if l, err := net.Listen("tcp", at(port)); err == nil {
			l.Close()
			return port
		}
	}
}

func at(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// Address is Free as the address of a server.
func Address() string { return at(Free()) }
