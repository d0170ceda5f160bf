package diff

import (
	"fmt"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Version is the part of a semantic version that changes.
type Version string

// The parts, from nothing to the first.
const (
	NoVersion Version = "none"
	Patch     Version = "patch"
	Minor     Version = "minor"
	Major     Version = "major"
)

// Semver suggests what the next version changes, and says why. Model breaks count as the others do: a program that shows a schema to a model relies on it.
func (r *Report) Semver() (v Version, reason string) {
	if len(r.Changes) == 0 {
		return NoVersion, "nothing changed"
	}
	var breaks []string
	for _, s := range Aspects {
		if n := r.Count(s, Break); n > 0 {
			breaks = append(breaks, fmt.Sprintf("%s %s", text.Counted(n, "break"), aspectText[s]))
		}
	}
	if len(breaks) > 0 {
		return Major, strings.Join(breaks, ", ")
	}
	for _, c := range r.Changes {
		if !c.onlyWords() {
			return Minor, "nothing breaks; the first change of what is declared is " + c.Path
		}
	}
	return Patch, "only words changed"
}

// onlyWords reports whether a change concerns readers alone.
func (c *Change) onlyWords() bool {
	switch c.Kind {
	case DocsChanged, ExtensionChanged, ReservedChanged, ImportAdded, ImportRemoved, ListOrder:
		return true
	}
	return false
}

// aspectText says in a sentence where something breaks.
var aspectText = map[Aspect]string{Wire: "on the wire", Go: "in Go", TypeScript: "in TypeScript", Model: "for models"}

// Count counts the changes with a verdict on an aspect.
func (r *Report) Count(s Aspect, v Verdict) int {
	n := 0
	for _, c := range r.Changes {
		if c.On(s).Verdict == v {
			n++
		}
	}
	return n
}
