//go:build !windows

package tcp

import (
	"errors"
	"syscall"
)

// refusesConnections reports whether nobody serves a socket, as err of connecting to it says.
func refusesConnections(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
