package configfile

import (
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"pgregory.net/rapid"
)

// Random draws a file of a format.
func Random(t *rapid.T, f Format) []byte { return []byte(formats[f].make(newMaker(t)).text) }

// Get returns the value at a path of a file.
func Get(f Format, text []byte, path []string) (v ir.Value, found bool, err error) {
	v, err = editorOf(f).parse(text)
	if err != nil || !has(v, path) {
		return ir.Value{}, false, err
	}
	for _, name := range path {
		v = *v.In(name)
	}
	return v, true, nil
}
