package diff

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// View is how a report is shown: what its two sides are called, and the texts of their files.
type View struct {
	*Report
	Old, New Side
	Allowed  func(*Change, Aspect) bool // whether a break was allowed; nil if none was
}

// Side is one side of a comparison.
type Side struct {
	Label  string                           // such as git:main:api.rpc.yaml, or the name of a file
	Prefix string                           // goes before the names of files, such as main:
	Source func(file string) ([]byte, bool) // the text of a file
}

// at writes a position of the side; empty if there is none.
func (s Side) at(pos diag.Pos) string {
	if !pos.Valid() {
		return ""
	}
	return s.Prefix + pos.String()
}

// Breaks lists the breaks that were not allowed, each with the first aspect that it breaks.
func (v View) Breaks() []*Change {
	return slices.DeleteFunc(slices.Clone(v.Changes), func(c *Change) bool { return !v.breaks(c) })
}

// breaks reports whether a change breaks an aspect where that was not allowed.
func (v View) breaks(c *Change) bool {
	return slices.ContainsFunc(Aspects, func(s Aspect) bool { return c.On(s).Verdict == Break && (v.Allowed == nil || !v.Allowed(c, s)) })
}

// where is the place of a change on both sides.
func (v View) where(c *Change) string {
	old, new := v.Old.at(c.Old), v.New.at(c.New)
	switch {
	case old == "":
		return new
	case new == "":
		return old + " (old)"
	}
	return old + " -> " + new
}

// judgementLine is one line of judgement.
type judgementLine struct {
	Aspect  string
	Verdict string
	Reason  string
}

// findings lists what is to be said of a change: every direction that is not ok, or that it is ok, then the other aspects.
// TypeScript is not mentioned where it is ok, because many have none.
func findings(c *Change) []judgementLine {
	all := wireFindings(c)
	all = append(all, judgementLine{"go", c.Go.Verdict.String(), c.Go.Reason})
	if c.Script.Verdict != OK {
		all = append(all, judgementLine{"typescript", c.Script.Verdict.String(), c.Script.Reason})
	}
	if c.Model.Verdict != NotApplicable {
		all = append(all, judgementLine{"model", c.Model.Verdict.String(), c.Model.Reason})
	}
	return all
}

func wireFindings(c *Change) []judgementLine {
	var all []judgementLine
	for _, d := range c.Wire {
		for _, j := range []Judgement{d.Received, d.Sent} {
			one := judgementLine{"wire", j.Verdict.String(), j.Reason}
			if j.Verdict > OK && !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	if len(all) == 0 {
		all = append(all, judgementLine{"wire", "ok", fine(c)})
	}
	return all
}

// fine says why a change breaks nothing on the wire.
func fine(c *Change) string {
	for _, d := range c.Wire {
		for _, j := range []Judgement{d.Sent, d.Received} {
			if strings.Contains(j.Reason, "ignore") || strings.Contains(j.Reason, "answer") || j == noEffect {
				return j.Reason
			}
		}
	}
	return "old and new peers accept what the other sends"
}

// usesLine says where a shared type is used, in a line.
func usesLine(c *Change) string {
	if len(c.Uses) == 0 {
		return ""
	}
	return listWords(len(c.Uses), func(i int) string { return c.Uses[i] })
}

// sharedType reports whether the uses of a change tell more than its path.
func sharedType(c *Change) bool { return strings.HasPrefix(c.Path, "types/") && len(c.Uses) > 0 }
