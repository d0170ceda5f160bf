package diag

import (
	"cmp"
	"slices"
)

// Most is how many diagnostics are printed in one run when there are that many errors: more than that hide the first.
const Most = 20

// List is the diagnostics of one run.
type List []Diagnostic

// HasErrors tells whether any diagnostic is an error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sorted returns the list ordered by position, without repetitions.
func (l List) Sorted() List {
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b Diagnostic) int {
		return cmp.Or(a.Span.Compare(b.Span.Pos), cmp.Compare(a.Code, b.Code))
	})
	return slices.CompactFunc(sorted, func(a, b Diagnostic) bool {
		return a.Code == b.Code && a.Span == b.Span && a.Message == b.Message
	})
}

// capped splits off what is too much to print.
func (l List) capped() (shown List, more int) {
	errors := 0
	for i, d := range l {
		if d.Severity == Error {
			errors++
		}
		if errors > Most {
			return l[:i], len(l) - i
		}
	}
	return l, 0
}
