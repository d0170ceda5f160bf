package ir

import "slices"

// Each returns what of gives for each element of a list, in the order of the list; nil for none.
func Each[S, T any](list []S, of func(S) T) []T {
	all := slices.Grow([]T(nil), len(list))
	for _, one := range list {
		all = append(all, of(one))
	}
	return all
}
