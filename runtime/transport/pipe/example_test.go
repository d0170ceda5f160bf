package pipe_test

import (
	"fmt"

	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// What one end writes, the other reads, frame by frame.
func ExampleNew() {
	a, b := pipe.New(0)
	go func() {
		a.WriteFrame([]byte(`{"jsonrpc":"2.0","method":"ping"}`))
		a.Close()
	}()
	message, err := b.ReadFrame()
	fmt.Printf("%s %v\n", message, err)
	_, err = b.ReadFrame()
	fmt.Println(err)
	// Output:
	// {"jsonrpc":"2.0","method":"ping"} <nil>
	// frame: the connection is closed
}
