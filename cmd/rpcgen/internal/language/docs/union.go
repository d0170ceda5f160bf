package docs

import (
	"slices"
	"strconv"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/notation"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// branches lists the ways to the branches of a union. Tags that lead to one branch are listed together.
func (v *viewer) branches(t ir.Type) []branch {
	f := follower{v: v}
	if ir.IsContextual(t) {
		for _, b := range ir.Branches(t) {
			f.reach(b, plain("only the context tells"))
		}
	} else {
		f.follow(ir.DecisionOf(t), "", nil)
	}
	if ir.IsOpen(t) {
		f.all = append(f.all, branch{Type: plain("object"), When: plain("none of these: it is kept as it is")})
	}
	return f.all
}

// follower walks a decision down to its branches.
type follower struct {
	v   *viewer
	all []branch
}

func (f *follower) reach(b *ir.Branch, when words) {
	doc := blocks(b.Doc)
	if len(when) == 0 {
		when = plain("always")
	}
	name := f.v.typeWords(b.Type)
	if _, ok := b.Type.(*ir.Struct); ok { // its fields are listed under its name
		name = append(name, word{Text: " (" + b.Name + ")"})
	}
	f.all = append(f.all, branch{Type: name, When: when, Doc: doc})
}

// and adds a condition to those before it.
func and(before words, more ...word) words {
	all := slices.Clone(before)
	if len(all) > 0 {
		all = append(all, word{Text: ", "})
	}
	return append(all, more...)
}

// follow goes on with a decision about the object in a property; in is empty for the value itself.
func (f *follower) follow(d ir.Decision, in string, when words) {
	switch d := d.(type) {
	case *ir.Pick:
		f.reach(d.Branch, when)
	case *ir.ByProperty:
		f.byProperty(d, in, when)
	case *ir.ByPresence:
		lacks := plain("lacks ")
		for i, c := range d.Cases {
			f.follow(c.Then, in, and(when, word{Text: "has "}, property(in, c.Property)))
			if i > 0 {
				lacks = append(lacks, word{Text: " and "})
			}
			lacks = append(lacks, property(in, c.Property))
		}
		f.followElse(d.Else, in, and(when, lacks...))
	case *ir.ByKind:
		for _, c := range d.Cases {
			f.follow(c.Then, in, and(when, f.is(in, word{Text: "is " + text.Article(c.Kind.String())})...))
		}
	case *ir.ByValue:
		for _, c := range d.Cases {
			f.follow(c.Then, in, and(when, f.is(in, word{Text: "is "}, word{Text: c.Tag.String(), Code: true})...))
		}
	case *ir.ByLength:
		for _, c := range d.Cases {
			f.follow(c.Then, in, and(when, f.is(in, word{Text: "has " + notation.Count(c.Min, c.Max, "item")})...))
		}
	case *ir.InElement:
		at := in + "[" + strconv.Itoa(d.Index) + "]"
		f.follow(d.Decide, at, when)
		f.followElse(d.Absent, in, and(when, word{Text: at, Code: true}, word{Text: " is absent"}))
	case *ir.InProperty:
		f.follow(d.Decide, joinPath(in, d.Property), when)
		f.followElse(d.Absent, in, absent(when, in, d.Property))
	}
}

// is says something of the value at in.
func (f *follower) is(in string, what ...word) words {
	if in == "" {
		return what
	}
	what[0].Text = " " + what[0].Text
	return append(words{{Text: in, Code: true}}, what...)
}

func (f *follower) byProperty(d *ir.ByProperty, in string, when words) {
	for i, c := range d.Cases {
		if i > 0 && picks(c.Then) != nil && picks(c.Then) == picks(d.Cases[i-1].Then) {
			last := &f.all[len(f.all)-1]
			last.When = append(last.When, word{Text: " or "}, word{Text: c.Tag.String(), Code: true})
			continue
		}
		f.follow(c.Then, in, and(when, property(in, d.Property), word{Text: " is "}, word{Text: c.Tag.String(), Code: true}))
	}
	if other := plain(" has another value"); d.Else == d.Absent {
		f.followElse(d.Else, in, and(when, property(in, d.Property), word{Text: " is absent or"}, other[0]))
	} else {
		f.followElse(d.Absent, in, absent(when, in, d.Property))
		f.followElse(d.Else, in, and(when, property(in, d.Property), other[0]))
	}
}

func picks(d ir.Decision) *ir.Branch {
	if pick, ok := d.(*ir.Pick); ok {
		return pick.Branch
	}
	return nil
}

// followElse goes on where a condition does not hold, if anything is said of that.
func (f *follower) followElse(d ir.Decision, in string, when words) {
	if d != nil {
		f.follow(d, in, when)
	}
}

func absent(when words, in, name string) words {
	return and(when, property(in, name), word{Text: " is absent"})
}

func property(in, name string) word { return word{Text: joinPath(in, name), Code: true} }
