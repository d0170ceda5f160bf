package diff

import (
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// recorder judges each change for every message that carries it, and keeps it.
type recorder struct {
	traffic *traffic
	pairing *pairing
	models  bool // language models read what the schemas declare
	changes []*Change
	opened  map[[2]*ir.Decl]bool // see moved
	defined map[string]bool      // see reportedDefs
}

// emit adds a change of the part. Unless judged gives another judgement, the Go types tell whether Go code still compiles.
func (c *recorder) emit(s scope, kind Kind, was, is, text string, r relation, judged ...Judgement) *Change {
	change := &Change{Kind: kind, Path: s.path, Old: s.old, New: s.new, Was: was, Is: is, Text: text, Wire: c.judge(s.uses, r), Uses: s.uses.words()}
	change.Go = c.compiles(s)
	if len(judged) > 0 {
		change.Go = judged[0]
	}
	change.Script = c.script(s, change, r)
	change.Model = c.modelSees(s, kind, r)
	c.changes = append(c.changes, change)
	return change
}

// compiles judges by the Go types alone.
func (c *recorder) compiles(s scope) Judgement {
	if s.held[0] == s.held[1] {
		return Judgement{OK, "the Go types stay as they are"}
	}
	if s.held[0] == "" {
		return Judgement{OK, "it only adds to the Go types"}
	}
	return Judgement{Break, "it is " + heldAs(s.held[1]) + " in Go, and was " + heldAs(s.held[0])}
}
