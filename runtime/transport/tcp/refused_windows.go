package tcp

import (
	"errors"
	"syscall"
)

// refusesConnections reports whether nobody serves a socket, as err of connecting to it says.
func refusesConnections(err error) bool {
	const refused = syscall.Errno(10061) // WSAECONNREFUSED
	return errors.Is(err, refused)
}
