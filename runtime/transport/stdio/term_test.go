package stdio

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func ignoreTerm() { signal.Ignore(syscall.SIGTERM) }

// late says which process it is, and ends when it is asked to terminate, but not with its input.
func late() {
	asked := make(chan os.Signal, 2)
	signal.Notify(asked, syscall.SIGTERM)
	fmt.Fprintf(os.Stderr, "process %d\n", os.Getpid())
	<-asked
	fmt.Fprintln(os.Stderr, "ended in order")
}

// stubborn says which process it is, and can only be killed.
func stubborn() {
	asked := make(chan os.Signal, 2)
	signal.Notify(asked, syscall.SIGTERM)
	fmt.Fprintf(os.Stderr, "process %d\n", os.Getpid())
	for range asked {
	}
}
