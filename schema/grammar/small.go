package grammar

import (
	"slices"
	"sync"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Builtins are the names of the built-in types. list<T>, map<T> and null are not names.
var Builtins = builtins()

func builtins() []string {
	named := ir.Where(ir.Scalars, func(s *ir.ScalarInfo) bool { return s.Name != "" })
	names := ir.Each(named, func(s *ir.ScalarInfo) string { return s.Name })
	names = slices.Insert(names, slices.Index(names, "any")+1, "object")
	formats := ir.Where(ir.Formats, func(f ir.FormatInfo) bool { return f.Builtin != "" })
	return append(names, ir.Each(formats, func(f ir.FormatInfo) string { return f.Builtin })...)
}

// Data is any value: what stands there is the author's own.
var Data = sync.OnceValue(func() *Place {
	p := &Place{Scalars: []Scalar{Anything}, Empty: true}
	p.Each, p.Items = p, p
	return p
})

func scalar(s Scalar) *Place { return &Place{Scalars: []Scalar{s}} }

// textOfForm is text of a form.
func textOfForm(form string) *Place { return &Place{Scalars: []Scalar{Text}, Form: form} }

func text() *Place    { return scalar(Text) }
func prose() *Place   { return scalar(Prose) }
func boolean() *Place { return scalar(Boolean) }
func integer() *Place { return scalar(Integer) }
func number() *Place  { return scalar(Number) }

func words(words ...string) *Place { return &Place{Scalars: []Scalar{Word}, Words: words} }

// wordList is a list of words, or one of them.
func wordList(all ...string) *Place {
	return &Place{Scalars: []Scalar{Word}, Words: all, Items: words(all...)}
}

// names is a list of names, or one name.
func names(of Scalar) *Place { return &Place{Scalars: []Scalar{of}, Items: scalar(of)} }

func choice(each *Place) *Place { return &Place{Each: each} }

func listOf(items *Place) *Place { return &Place{Items: items} }
