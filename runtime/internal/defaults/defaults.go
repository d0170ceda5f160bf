// Package defaults sets the options that are not set.
//
//test:by ./runtime/x/reconnect
//test:by ./runtime/transport/rpchttp
package defaults

import "cmp"

// Set sets *v to d unless it is greater than the zero value.
func Set[T cmp.Ordered](v *T, d T) {
	if *v <= *new(T) {
		*v = d
	}
}
