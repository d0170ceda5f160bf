package docs

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/notation"
)

// typeWords writes a type on one line, named types as links.
func (v *viewer) typeWords(t ir.Type) words {
	switch t := t.(type) {
	case *ir.Ref:
		name := v.name(t.Decl)
		if t.Decl.Mixin {
			return plain(name)
		}
		return words{{Text: name, Link: anchor("type", name)}}
	case *ir.Nullable:
		return notation.Null(v.typeWords(t.Elem))
	case *ir.List:
		return notation.List(v.typeWords(t.Elem))
	case *ir.Map:
		return notation.Map(v.typeWords(t.Elem))
	case *ir.Tuple:
		return v.tuple(t)
	case *ir.Struct:
		return plain("object")
	case *ir.Union:
		return notation.Either(ir.Each(t.Branches, func(b *ir.Branch) words { return v.typeWords(b.Type) }))
	case *ir.Enum:
		return oneOf(t)
	case *ir.Literal:
		return code(t.Value.String())
	case *ir.ID:
		return plain("string | integer")
	}
	return plain(basic(t))
}

// tuple writes the types of the elements.
func (v *viewer) tuple(t *ir.Tuple) words {
	items := ir.Each(t.Items, func(f *ir.Field) notation.Part { return notation.Part{Optional: f.Optional, Type: v.typeWords(f.Type)} })
	if t.Rest == nil {
		return notation.Tuple(items, nil)
	}
	return notation.Tuple(items, v.typeWords(t.Rest))
}

func oneOf(t *ir.Enum) words {
	all := ir.Each(t.Values, func(one ir.EnumValue) words { return code(one.Value.String()) })
	if t.Open {
		return notation.Values(all, t.Values[0].Value.Kind.String())
	}
	return notation.Values(all, "")
}

func basic(t ir.Type) string {
	switch t := t.(type) {
	case *ir.Int:
		return integer(t)
	case *ir.String:
		if builtin := ir.FormatIn(t.Rules).Builtin; builtin != "" {
			return builtin
		}
	}
	return ir.Word(t)
}

func integer(t *ir.Int) string {
	switch {
	case t.Unsigned:
		return "uint" + strconv.Itoa(t.Bits)
	case t.Bits == 32:
		return "int32"
	}
	return "integer"
}

// heading says what there is to be read of a type.
func heading(t ir.Type) string {
	switch t.(type) {
	case *ir.Struct:
		return "Fields"
	case *ir.Tuple:
		return "Elements"
	case *ir.Union:
		return "Branches"
	case *ir.Enum:
		return "Values"
	}
	return "Type"
}

// shape is what a reader is shown of a type where it is written out.
func (v *viewer) shape(name string, t ir.Type) shape {
	s := shape{Name: name, Type: v.typeWords(t), Rules: rules(t)}
	if inner, ok := t.(*ir.Nullable); ok {
		t = inner.Elem
	}
	switch t := t.(type) {
	case *ir.Enum:
		s.Values = enumValues(t)
		s.Type = plain(t.Values[0].Value.Kind.String() + ", one of these values")
	case *ir.Union:
		s.Branches = v.branches(t)
		s.Type = plain("one of these")
	}
	s.Rows = v.inside("", t)
	return s
}

func enumValues(t *ir.Enum) []value {
	var all []value
	for _, one := range t.Values {
		doc := blocks(one.Doc)
		if one.Title != "" {
			doc = append([]block{{Lines: []words{plain(one.Title)}}}, doc...)
		}
		all = append(all, value{Text: one.Value.String(), Doc: doc, Deprecated: deprecation(one.Deprecated)})
	}
	return all
}

// inside lists the fields of an object that is written in place, wherever it lies in a type. Named types have entries of their own.
func (v *viewer) inside(path string, t ir.Type) []row {
	switch t := t.(type) {
	case *ir.Nullable:
		return v.inside(path, t.Elem)
	case *ir.List:
		return v.inside(path+"[]", t.Elem)
	case *ir.Map:
		return v.inside(joinPath(path, "*"), t.Elem)
	case *ir.Tuple:
		var all []row
		for i, f := range t.Items {
			at := path + "[" + strconv.Itoa(i) + "]"
			said := *f
			if said.Title == "" && f.Name != ir.Ordinal(i) {
				said.Title = f.Name
			}
			r := v.row("", &said)
			r.Path = at
			all = append(all, r)
			all = append(all, v.inside(at, f.Type)...)
		}
		if t.Rest != nil {
			all = append(all, v.inside(path+"[]", t.Rest)...)
		}
		return all
	case *ir.Union:
		var all []row
		for _, b := range t.Branches {
			switch b.Type.(type) {
			case *ir.Struct, *ir.Tuple:
				all = append(all, v.inside(strings.TrimSpace(path+" ("+b.Name+")"), b.Type)...)
			}
		}
		return all
	case *ir.Struct:
		var all []row
		for _, f := range t.Fields {
			all = append(all, v.row(path, f))
			all = append(all, v.inside(joinPath(path, f.Name), f.Type)...)
		}
		if t.Extra != nil {
			all = append(all, v.inside(joinPath(path, "*"), t.Extra)...)
		}
		return all
	}
	return nil
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (v *viewer) row(path string, f *ir.Field) row {
	r := row{
		Path:       joinPath(path, f.Name),
		Type:       v.typeWords(f.Type),
		Presence:   presence(f),
		Rules:      append(rules(f.Type), v.valueNotes(f.Type)...),
		Doc:        blocks(f.Doc),
		Deprecated: deprecation(f.Deprecated),
	}
	if f.Title != "" {
		r.Doc = append([]block{{Lines: []words{plain(f.Title)}}}, r.Doc...)
	}
	if f.Default != nil {
		r.Default = f.Default.String()
	}
	if f.Sensitive {
		r.Rules = append(r.Rules, plain("redacted in logs"))
	}
	if f.Header != "" {
		r.Rules = append(r.Rules, append(plain("mirrored to the header "), code(f.Header)...))
	}
	if f.Complete {
		r.Rules = append(r.Rules, plain("completed by the server"))
	}
	r.Examples = ir.Each(f.Examples, ir.Value.String)
	return r
}

// valueNotes says of a union or an enum that is written in place what others say in an entry of their own.
func (v *viewer) valueNotes(t ir.Type) []words {
	var all []words
	switch t := t.(type) {
	case *ir.Enum:
		for _, one := range enumValues(t) {
			for _, b := range one.Doc {
				all = append(all, append(append(code(one.Text), word{Text: ": "}), b.Lines[0]...))
			}
		}
	case *ir.Union:
		if _, obvious := t.Decide.(*ir.ByKind); obvious {
			return nil
		}
		all = ir.Each(v.branches(t), func(b branch) words { return slices.Concat(b.Type, plain(" when "), b.When) })
	}
	if elem := ir.Elem(t); elem != nil {
		return v.valueNotes(elem)
	}
	return all
}

// presence says whether a field may be absent, and whether it may be null.
func presence(f *ir.Field) string {
	word := "required"
	if f.Optional {
		word = "optional"
	}
	if ir.Is[*ir.Nullable](f.Type) {
		word += ", nullable"
	}
	return word
}
