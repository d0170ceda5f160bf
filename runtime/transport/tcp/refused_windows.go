package tcp

import (
	"errors"
	"syscall"
)

// refusesConnections reports whether err, of connecting to a socket, means that no process serves it.
func refusesConnections(err error) bool {
	const refused = syscall.Errno(10061) // WSAECONNREFUSED
	return errors.Is(err, refused)
}
