package diag

import (
	"cmp"
	"slices"
	"sort"
)

// Most and MostWarnings are how many errors and warnings are printed in one run: more errors than that hide the first, and more warnings are not read.
const (
	Most         = 20
	MostWarnings = 1000
)

// List is the diagnostics of one run.
type List []Diagnostic

// HasErrors reports whether any diagnostic is an error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Errors returns the errors of the list.
func (l List) Errors() List {
	return slices.DeleteFunc(slices.Clone(l), func(d Diagnostic) bool { return d.Severity != Error })
}

// Sorted returns the list ordered by position, without repetitions.
func (l List) Sorted() List {
	sorted := slices.Clone(l)
	sort.SliceStable(sorted, func(i, j int) bool {
		return cmp.Or(sorted[i].Span.Compare(sorted[j].Span.Pos), cmp.Compare(sorted[i].Code, sorted[j].Code)) < 0
	})
	return slices.CompactFunc(sorted, func(a, b Diagnostic) bool { return a.Code == b.Code && a.Span == b.Span && a.Message == b.Message })
}

// cap leaves out what is too much to print.
func (l List) cap() (shown List, more int) {
	left := map[Severity]int{Error: Most, Warning: MostWarnings, Note: MostWarnings}
	for i, d := range l {
		if left[d.Severity]--; left[d.Severity] >= 0 {
			continue
		}
		shown = slices.Clone(l[:i]) // the first of them is in the way
		for _, d := range l[i:] {
			if left[d.Severity]--; left[d.Severity] >= 0 {
				shown = append(shown, d)
			}
		}
		return shown, len(l) - len(shown)
	}
	return l, 0
}
