package diff

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Programs in TypeScript are clients: they read what servers send, and write what clients send. Types are compared by their structure there, so
// that a program breaks where it writes what a type no longer takes, where it reads what a type did not have before, and where it names what is gone.

var (
	sameScript  = Judgement{OK, "the TypeScript types stay as they are"}
	addedScript = Judgement{OK, "it only adds to the TypeScript modules"}
	goneScript  = Judgement{Break, "TypeScript that names it no longer compiles"}
)

// travels reports whether clients read a part, and whether they write it.
func (u uses) travels() (read, written bool) {
	if u.unreached || u.moved {
		return true, true
	}
	read = u.unlisted || slices.ContainsFunc(u.all, func(one use) bool { return one.sender == ir.FromServer })
	return read, slices.ContainsFunc(u.all, func(one use) bool { return one.sender == ir.FromClient })
}

// readNew and writtenOld judge what is new where it is read, and what is gone where it is written.
func (c *recorder) readNew(s scope, v Verdict, reason string) Judgement {
	if read, _ := s.uses.travels(); read {
		return Judgement{v, reason}
	}
	return Judgement{OK, "TypeScript writes it, and what it wrote still fits"}
}

func (c *recorder) writtenOld(s scope, reason string) Judgement {
	if _, written := s.uses.travels(); written {
		return Judgement{Break, reason}
	}
	return Judgement{OK, "TypeScript only reads it, and what it read is still there"}
}

// script judges a change for programs that use the generated TypeScript. Names of types and functions are those in Go.
func (c *recorder) script(s scope, change *Change, r relation) Judgement {
	switch change.Kind {
	case MethodAdded, ToolAdded, ResourceAdded, PromptAdded, TypeAdded, ErrorAdded:
		return addedScript
	case MethodRemoved, ToolRemoved, ResourceRemoved, PromptRemoved:
		return goneScript
	case MethodRenamed, ToolRenamed, ResourceRenamed, PromptRenamed, TypeRemoved, TypeRenamed, ErrorRemoved, ErrorRenamed, NameInGo:
		if change.Go.Verdict == Break {
			return goneScript
		}
	case MethodDirection:
		if change.Go.Verdict != Break { // a side may call it that could not
			return addedScript
		}
		return goneScript
	case MethodKind:
		return Judgement{Break, "its function of TypeScript is another"}
	case FieldRemoved, FieldRenamed:
		return goneScript
	case FieldAdded:
		if r.lost == "" { // it is optional
			return addedScript
		}
		return c.writtenOld(s, "TypeScript that makes the object without it no longer compiles")
	case FieldPresence, ParamsPresence:
		if r.lost != "" {
			return c.writtenOld(s, "TypeScript that leaves it out no longer compiles")
		}
		return c.readNew(s, Break, "TypeScript that reads it must expect undefined")
	case NullChanged:
		if r.lost != "" {
			return c.writtenOld(s, "TypeScript that writes null no longer compiles")
		}
		return c.readNew(s, Break, "TypeScript that reads it must expect null")
	case ValueAdded, BranchAdded:
		if r.gained != "" {
			return c.readNew(s, Warning, "a switch over all of them is no longer complete")
		}
	case ValueRemoved, BranchRemoved:
		if r.lost != "" {
			return goneScript
		}
	case OpenChanged:
		if r.lost != "" {
			return c.writtenOld(s, "TypeScript that writes others no longer compiles")
		}
		return c.readNew(s, Warning, "a switch over all of them is no longer complete")
	case AdditionalChanged:
		if change.Go.Verdict == Break {
			return Judgement{Break, "members or elements that are not named are gone from the type"}
		}
	case TypeChanged, DataChanged:
		return c.replacedInScript(s, r)
	}
	return sameScript
}

// replacedInScript judges that another type stands where one stood.
func (c *recorder) replacedInScript(s scope, r relation) Judgement {
	read, written := s.uses.travels()
	switch {
	case read && r.gained != "":
		return Judgement{Break, "TypeScript that reads it gets what it does not expect: " + r.gained}
	case written && r.lost != "":
		return Judgement{Break, "TypeScript that writes it no longer compiles: " + r.lost}
	case read && r.ignored != "":
		return goneScript
	}
	return Judgement{OK, "TypeScript that reads or writes it still compiles"}
}

// outputInScript judges that a tool answers otherwise. Its function returns a result with any blocks, one with structured content as well, or structured
// content alone.
func outputInScript(o, n *ir.Tool) Judgement {
	had, has := o.Published() != nil, n.Published() != nil
	if had != has || has && (o.Content == nil) != (n.Content == nil) {
		return Judgement{Break, "its function of TypeScript returns another type"}
	}
	return sameScript
}

// scriptType is a type in TypeScript, as far as one that replaces another is concerned.
func scriptType(t ir.Type) string {
	switch t := t.(type) {
	case *ir.Nullable:
		return scriptType(t.Elem) + " | null"
	case *ir.List:
		return scriptType(t.Elem) + "[]"
	case *ir.Ref:
		if plain(ir.Underlying(t)) || holdsMany(ir.Underlying(t)) {
			return scriptType(ir.Underlying(t))
		}
	}
	if inner := ir.Elem(t); inner != nil {
		return "{ [name: string]: " + scriptType(inner) + " }"
	}
	if s := ir.ScalarOf(t); s != nil && len(s.Script) == 1 {
		return s.Script[0]
	}
	return typeWords(t)
}
