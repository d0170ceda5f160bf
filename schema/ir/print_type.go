package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// typed writes a line that ends in a type, what is said about it, and the parts of the type below.
func (p *printer) typed(head string, t Type, tail string, said func()) {
	p.line(head, inline(t), tail)
	if said != nil {
		said()
	}
	p.within(func() { p.parts(t) })
}

// Describe writes a type on one line, for messages.
func Describe(t Type) string { return inline(t) }

// inline is a type on one line. What does not fit there is written by parts.
func inline(t Type) string {
	switch t := t.(type) {
	case *Int:
		return intName(t) + rules(t.Rules)
	case *Literal:
		return "literal " + t.Value.String()
	case *Enum:
		return "enum" + flag(t.Open, " open")
	case *List:
		return "list<" + inline(t.Elem) + ">" + rules(t.Rules)
	case *Map:
		return "map<" + inline(t.Elem) + ">" + rules(t.Rules)
	case *Tuple:
		return tupleHead(t) + rules(t.Rules)
	case *Struct:
		return structHead(t)
	case *Union:
		return "union" + flag(t.Open, " open") + rules(t.Rules)
	case *Nullable:
		return inline(t.Elem) + " | null"
	case *Ref:
		return refName(t) + rules(t.Rules)
	}
	if t == nil {
		return "nothing"
	}
	return Word(t) + rules(RulesOf(t))
}

// tupleHead has the types of the elements.
func tupleHead(t *Tuple) string {
	parts := make([]string, 0, len(t.Items)+1)
	for _, f := range t.Items {
		parts = append(parts, inline(f.Type)+flag(f.Optional, "?"))
	}
	if t.Rest != nil {
		parts = append(parts, "..."+inline(t.Rest))
	}
	return "tuple<" + strings.Join(parts, ", ") + ">"
}

func intName(t *Int) string {
	return flag(t.Unsigned, "u") + "int" + strconv.Itoa(t.Bits)
}

func refName(t *Ref) string {
	if t.Import != nil {
		return t.Import.Alias + "." + t.Decl.Name
	}
	return t.Decl.Name
}

func structHead(t *Struct) string {
	head := "struct"
	for i, base := range t.Extends {
		if i == 0 {
			head += " extends"
		}
		head += " " + base.Name
	}
	switch t.Additional {
	case AdditionalKept:
		head += " additional<" + inline(t.Extra) + ">"
	case AdditionalRejected:
		head += " closed"
	case AdditionalSkipped:
		head += " open"
	}
	return head + rules(t.Rules)
}

// rules writes rules in brackets.
func rules(all []Rule) string {
	if len(all) == 0 {
		return ""
	}
	var parts []string
	for _, r := range all {
		parts = append(parts, rule(r))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func rule(r Rule) string {
	switch r := r.(type) {
	case *Length:
		return "length " + span(r.Min, r.Max)
	case *Count:
		return "count " + span(r.Min, r.Max)
	case *Range:
		return "range " + bracket(r.ExclusiveMin, "(", "[") + r.Min + ".." + r.Max + bracket(r.ExclusiveMax, ")", "]")
	case *MultipleOf:
		return "multiple of " + r.Of
	case *Pattern:
		return "pattern " + strconv.Quote(r.Expr)
	case *Format:
		return "format " + r.Name
	case *Conform:
		return "schema " + r.Schema.String()
	case *Unique:
		return "unique"
	case *Require:
		return "require " + r.Text
	}
	return fmt.Sprintf("%T", r)
}

func span(low, high int) string {
	if high < 0 {
		return strconv.Itoa(low) + ".."
	}
	return strconv.Itoa(low) + ".." + strconv.Itoa(high)
}

func bracket(exclusive bool, open, closed string) string {
	if exclusive {
		return open
	}
	return closed
}

// parts writes what lies below a type: fields, values, branches. Named types are written where they are declared.
func (p *printer) parts(t Type) {
	p.note(t)
	switch t := t.(type) {
	case *Enum:
		for _, v := range t.Values {
			p.line(v.Value.String(), at(v.Pos))
			p.meta(v.Meta)
		}
	case *List:
		p.parts(t.Elem)
	case *Map:
		p.parts(t.Elem)
	case *Nullable:
		p.parts(t.Elem)
	case *Struct:
		for _, f := range t.Fields {
			p.field(f)
		}
		if t.Extra != nil {
			p.parts(t.Extra)
		}
	case *Tuple:
		for _, f := range t.Items {
			p.field(f)
		}
		if t.Rest != nil {
			p.parts(t.Rest)
		}
	case *Union:
		p.union(t)
	}
}

func (p *printer) note(t Type) {
	if note := t.at().Note; note != nil {
		p.line("note", at(note.Pos))
		p.meta(*note)
	}
}

func (p *printer) field(f *Field) {
	def, from := "", ""
	if f.Default != nil {
		def = "default " + f.Default.String()
	}
	if f.From != nil {
		from = "from " + f.From.Name
	}
	tail := []string{def, flag(f.Sensitive, "sensitive"), labelled("header", f.Header), flag(f.Complete, "complete"), from, at(f.Pos)}
	var full []string
	for _, part := range tail {
		if part != "" {
			full = append(full, part)
		}
	}
	p.typed(f.Name+flag(f.Optional, "?"), f.Type, strings.Join(full, " "), func() {
		p.meta(f.Meta)
		p.examples(f.Examples)
	})
}

func (p *printer) union(u *Union) {
	for _, b := range u.Branches {
		p.typed("branch "+strconv.Quote(b.Name), b.Type, at(b.Pos), func() { p.meta(b.Meta) })
	}
	p.decision("decide", u.Decide)
}

func (p *printer) decision(head string, d Decision) {
	switch d := d.(type) {
	case *Pick:
		p.line(head, "->", strconv.Quote(d.Branch.Name))
	case *ByContext:
		p.line(head, "by context")
	case *ByProperty:
		p.line(head, "by property", strconv.Quote(d.Property))
		p.within(func() {
			for _, one := range d.Cases {
				p.decision(one.Tag.String(), one.Then)
			}
			p.optional("absent", d.Absent)
			p.optional("else", d.Else)
		})
	case *ByPresence:
		p.line(head, "by presence")
		p.within(func() {
			for _, one := range d.Cases {
				p.decision("has "+strconv.Quote(one.Property), one.Then)
			}
			p.optional("else", d.Else)
		})
	case *ByKind:
		p.line(head, "by kind")
		p.within(func() {
			for _, one := range d.Cases {
				p.decision(one.Kind.String(), one.Then)
			}
		})
	case *ByLength:
		p.line(head, "by length")
		p.within(func() {
			for _, one := range d.Cases {
				p.decision(span(one.Min, one.Max), one.Then)
			}
		})
	case *ByValue:
		p.line(head, "by value")
		p.within(func() {
			for _, one := range d.Cases {
				p.decision(one.Tag.String(), one.Then)
			}
		})
	case *InElement:
		p.decision(head+" in element "+strconv.Itoa(d.Index), d.Decide)
		p.within(func() { p.optional("absent", d.Absent) })
	case *InProperty:
		p.decision(head+" in "+strconv.Quote(d.Property), d.Decide)
		p.within(func() { p.optional("absent", d.Absent) })
	}
}

func (p *printer) optional(head string, d Decision) {
	if d != nil {
		p.decision(head, d)
	}
}
