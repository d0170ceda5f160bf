//go:build !windows

package tcp

import (
	"errors"
	"syscall"
)

// refusesConnections reports whether err, of connecting to a socket, means that no process serves it.
func refusesConnections(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
