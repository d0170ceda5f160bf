package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// scope is the part that is being compared: what it is called, where it is, and who sends it.
type scope struct {
	path     string
	old, new diag.Pos
	held     [2]string // how Go holds it, on either side; empty if not at all
	uses     uses      // the messages of both schemas that carry it
	ordered  bool      // it is a params object whose fields may be given by position
}

// below is the scope of a part of s.
func (s scope) below(name string) scope {
	s.path += "/" + name
	s.ordered = false
	return s
}

func (s scope) at(old, new diag.Pos) scope {
	if old.Valid() {
		s.old = old
	}
	if new.Valid() {
		s.new = new
	}
	return s
}

// directions names the sides that send the part, the parts of messages that it is in, and what sort of declaration it belongs to.
func (s scope) directions() string {
	section, _, _ := strings.Cut(s.path, "/")
	all := []string{section, fmt.Sprint(s.uses.unreached, s.uses.unlisted, s.uses.moved)}
	for _, u := range s.uses.all {
		if way := fmt.Sprint(u.part, u.sender); !slices.Contains(all, way) {
			all = append(all, way)
		}
	}
	slices.Sort(all[2:])
	return strings.Join(all, " ")
}

// key is the scope of what is said under a key of a part, at the key where that is known.
func (s scope) key(name string, old, new ir.Meta) scope {
	return s.below(name).at(old.Key(name), new.Key(name))
}

// holds sets how Go holds the part.
func (s scope) holds(old, new string) scope {
	s.held = [2]string{old, new}
	return s
}

// relation says how the values of both sides relate. What is empty does not happen.
type relation struct {
	lost    string // what a new receiver refuses of an old sender's values, such as "null"
	gained  string // what an old receiver refuses of a new sender's values
	ignored string // what a new receiver silently drops of an old sender's values
	unseen  string // what an old receiver silently drops of a new sender's values
	meaning string // what is accepted, and means something else now
	always  bool   // gained concerns every value, not only those that use something new
}

func heldAs(held string) string { return cmp.Or(held, "nothing") }

// position of a type, or of nothing.
func posOf(t ir.Type) diag.Pos {
	if t == nil {
		return diag.Pos{}
	}
	return t.Position()
}

func digits(n int) string { return strconv.Itoa(n) }
