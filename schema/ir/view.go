package ir

import (
	"strconv"
	"strings"
)

// View is what of the output of a tool its callers get.
type View struct {
	Show   []string // paths of members, such as issues.title; nil for all
	Choose string   // the member of the input in which a caller names some of Paths; empty if callers cannot choose
	Paths  []string // what may be chosen, in the order of the output
	Budget int      // the greatest size of the structured result in bytes; 0 if it is not limited
	Over   Over     // what becomes of a result over the budget

	// Of OverCut: the list of the output that is cut, the member of the input that continues it, and the member of the output that says how.
	Items, Cursor, Next string

	Type Type // what callers get: the output, or a type of its own
}

// Over is what becomes of a result over the budget of its view.
type Over uint8

// What may become of it.
const (
	OverError Over = iota // an error that names the sizes of the members
	OverCut               // its list is cut between two items, and the next call continues it
	OverOmit              // members are left out, the largest first
)

// String gives the word used in a schema.
func (o Over) String() string { return [...]string{"error", "cut", "omit"}[o] }

// String is the view on one line. A nil view is empty.
func (v *View) String() string {
	if v == nil {
		return ""
	}
	var parts []string
	add := func(words ...string) { parts = append(parts, strings.Join(words, " ")) }
	if v.Show != nil {
		add("show", strings.Join(v.Show, " "))
	}
	if v.Choose != "" {
		add("choose", v.Choose)
	}
	if v.Budget > 0 {
		add("budget", strconv.Itoa(v.Budget), v.Over.String())
	}
	if v.Over == OverCut {
		add("items", v.Items)
		add("cursor", v.Cursor)
		add("next", v.Next)
	}
	return strings.Join(parts, ", ")
}

// Published is what callers of a tool get: its output, or what its view leaves of it. It is nil if there is no structured output.
func (t *Tool) Published() Type {
	if t.View != nil && t.View.Type != nil {
		return t.View.Type
	}
	return t.Output
}
