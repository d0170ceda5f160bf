package openrpc

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// An import keeps under x- what OpenRPC has words for and the language does not; an export writes it back, in the form that OpenRPC gives it.
var (
	keptOfMethod = map[string]form{"x-tags": objects, "x-servers": objects, "x-links": objects, "x-examples": objects, "x-externalDocs": one}
	keptOfRoot   = map[string]form{"x-servers": objects, "x-externalDocs": one}
	keptOfInfo   = map[string]form{"x-termsOfService": words, "x-contact": one, "x-license": one}
)

// form is the form of a member.
type form uint8

const (
	words   form = iota
	one          // an object
	objects      // a list of objects
)

// fits reports whether a value has the form.
func (f form) fits(v ir.Value) bool {
	switch f {
	case words:
		return v.Kind == ir.Text
	case one:
		return v.Kind == ir.Object
	}
	return v.Kind == ir.Array && !slices.ContainsFunc(v.Items, func(item ir.Value) bool { return item.Kind != ir.Object })
}

// keepExtensions adds the author's own x- members, those of names under the names that OpenRPC gives them.
func (o *object) keepExtensions(all []ir.Ext, names map[string]form) {
	for _, x := range all {
		if f, ok := names[x.Key]; ok && f.fits(x.Value) {
			o.set(x.Key[len("x-"):], x.Value)
		} else {
			o.set(x.Key, x.Value)
		}
	}
}
