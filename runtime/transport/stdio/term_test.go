package stdio

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func ignoreTerm() { signal.Ignore(syscall.SIGTERM) }

// late says which process it is, and ends a while after it is asked to terminate.
func late() {
	asked := make(chan os.Signal, 2)
	signal.Notify(asked, syscall.SIGTERM)
	fmt.Fprintf(os.Stderr, "process %d\n", os.Getpid())
	<-asked
	time.AfterFunc(50*time.Millisecond, func() {
		fmt.Fprintln(os.Stderr, "ended in order")
		os.Exit(0)
	})
	<-asked
	fmt.Fprintln(os.Stderr, "asked twice")
}

// stubborn says which process it is, and can only be killed.
func stubborn() {
	asked := make(chan os.Signal, 2)
	signal.Notify(asked, syscall.SIGTERM)
	fmt.Fprintf(os.Stderr, "process %d\n", os.Getpid())
	for range asked {
	}
}
