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

// First returns the first element of a list that is asked for; the zero value if there is none.
func First[T any](list []T, is func(T) bool) (found T) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return found
}

// Where returns the elements of a list that are asked for, in the order of the list; nil for none.
func Where[T any](list []T, is func(T) bool) (all []T) {
	for _, one := range list {
		if is(one) {
			all = append(all, one)
		}
	}
	return all
}

// Set returns what of gives for the elements of a list, as a set.
func Set[S any, T comparable](list []S, of func(S) T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, one := range list {
		set[of(one)] = true
	}
	return set
}

// Is reports whether t, which names may stand for, is a T.
func Is[T Type](t Type) bool {
	_, ok := Underlying(t).(T)
	return ok
}

// HasRule reports whether a T is among rules.
func HasRule[T Rule](rules []Rule) bool {
	return slices.ContainsFunc(rules, func(r Rule) bool { _, ok := r.(T); return ok })
}
