// Package configfile changes one entry in a configuration file of another program, and nothing else: comments, indentation, line ends, byte order
// marks and trailing commas stay. It knows JSON with comments, TOML and YAML. Entries are found by their position in the text; a file in a shape that
// is not understood is a [*ShapeError], and is never changed.
//
//test:full
//test:sequential
package configfile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/json"
)

// Format is the format of a file.
type Format string

// The formats. JSONC is JSON with comments and trailing commas, which are read, and never written, in files of JSON as well.
const (
	JSON  Format = "json"
	JSONC Format = "jsonc"
	TOML  Format = "toml"
	YAML  Format = "yaml"
)

// ShapeError reports that a file is not valid, or has a shape in which the entry cannot be placed.
type ShapeError struct {
	Line, Column int // from 1; zero if the place is not known
	What         string
}

func (e *ShapeError) Error() string {
	switch {
	case e.Line > 0 && e.Column > 0:
		return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.What)
	case e.Line > 0:
		return fmt.Sprintf("%d: %s", e.Line, e.What)
	}
	return e.What
}

// shapeError returns the error for an offset in a text.
func shapeError(text []byte, at int, format string, args ...any) error {
	before := text[:min(at, len(text))]
	line := bytes.Count(before, []byte("\n"))
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:])))
	return &ShapeError{line + 1, column + 1, fmt.Sprintf(format, args...)}
}

// editor makes single changes in files of one format.
type editor interface {
	// parse returns what the text means: an object, which is empty if the text says nothing.
	parse(text []byte) (ir.Value, error)
	// insert adds a member to the object at a path, whose last members may be missing as well.
	insert(text []byte, path []string, v ir.Value) ([]byte, error)
	// replace replaces the value at a path, which is there.
	replace(text []byte, path []string, v ir.Value) ([]byte, error)
	// remove removes the member at a path, which is there.
	remove(text []byte, path []string) ([]byte, error)
}

func editorOf(f Format) editor {
	switch f {
	case TOML:
		return tomlEditor{}
	case YAML:
		return yamlEditor{}
	}
	return jsonEditor{}
}

// Set returns the text with an entry, which is an object, at a path. Members of an entry that is there already stay unless the new one has another
// value for them, or obsolete names them. A text that has the entry is returned as it is.
func Set(f Format, text []byte, path []string, entry ir.Value, obsolete []string) ([]byte, error) {
	e := editorOf(f)
	old, err := e.parse(text)
	if err != nil {
		return nil, err
	}
	want, err := with(old, path, entry)
	if err != nil {
		return nil, err
	}
	changed, err := merge(e, text, path, entry)
	for _, name := range obsolete {
		if at := join(path, name); err == nil && has(want, at) {
			want = without(want, at)
			changed, err = e.remove(changed, at)
		}
	}
	if err != nil {
		return nil, err
	}
	return checkResult(e, changed, want)
}

// Remove returns the text without the member at a path. The result is false if it is not there.
func Remove(f Format, text []byte, path []string) ([]byte, bool, error) {
	e := editorOf(f)
	old, err := e.parse(text)
	if err != nil || !has(old, path) {
		return text, false, err
	}
	changed, err := e.remove(text, path)
	if err != nil {
		return nil, false, err
	}
	want := without(old, path)
	changed, err = checkResult(e, changed, want, pruneEmpty(want, path[:len(path)-1]))
	return changed, err == nil, err
}

// checkResult returns a text if it means one of the values that are wanted. What is left are shapes that no editor knows.
func checkResult(e editor, text []byte, want ...ir.Value) ([]byte, error) {
	got, err := e.parse(text)
	if err != nil || !slices.ContainsFunc(want, func(v ir.Value) bool { return canonical(v) == canonical(got) }) {
		return nil, &ShapeError{What: "the entry cannot be changed without changing something else"}
	}
	return text, nil
}

// pruneEmpty returns a value without the object at a path if that has no members, as tables of TOML that have no header are not there.
func pruneEmpty(v ir.Value, path []string) ir.Value {
	if at := v; len(path) > 0 {
		for _, name := range path {
			at = *at.In(name)
		}
		if len(at.Fields) == 0 {
			return without(v, path)
		}
	}
	return v
}

// merge sets a value where it differs.
func merge(e editor, text []byte, path []string, v ir.Value) ([]byte, error) {
	all, err := e.parse(text)
	if err != nil {
		return nil, err
	}
	for depth := range path {
		old := all.In(path[depth])
		if old == nil {
			return e.insert(text, path, v)
		}
		all = *old
	}
	switch {
	case canonical(all) == canonical(v):
		return text, nil
	case (all.Kind == ir.Object) != (v.Kind == ir.Object):
		return nil, &ShapeError{What: fmt.Sprintf("%s is %s where %s is expected", strings.Join(path, "."), all, v)}
	case v.Kind != ir.Object:
		return e.replace(text, path, v)
	}
	for _, m := range v.Fields {
		if text, err = merge(e, text, join(path, m.Name), m.Value); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func join(path []string, name string) []string { return append(slices.Clip(slices.Clone(path)), name) }

func has(v ir.Value, path []string) bool {
	at := &v
	for _, name := range path {
		at = at.In(name)
	}
	return at != nil
}

// with returns a value with another one at a path, whose members are added to those that are there.
func with(v ir.Value, path []string, new ir.Value) (ir.Value, error) {
	if len(path) == 0 {
		if v.Kind != ir.Object || new.Kind != ir.Object {
			return new, nil
		}
		var err error
		for _, m := range new.Fields {
			if v, err = with(v, []string{m.Name}, m.Value); err != nil {
				return v, err
			}
		}
		return v, nil
	}
	if v.Kind != ir.Object && v.Kind != ir.Null {
		return v, &ShapeError{What: fmt.Sprintf("%s is not an object that can have a member %s", v, path[0])}
	}
	old, inner := v.In(path[0]), ir.Value{Kind: ir.Object}
	if old != nil {
		inner = *old
	}
	inner, err := with(inner, path[1:], new)
	return v.Set(path[0], inner), err
}

// without returns a value without the member at a path, which is there.
func without(v ir.Value, path []string) ir.Value {
	return *v.Put(ir.Each(path, func(name string) json.Step { return json.Step{Name: name, Index: -1} }), nil)
}

// canonical returns a text that is the same for values that mean the same, whatever the order of their members. An object without members is null, as
// it is in YAML.
func canonical(v ir.Value) string { return sortMembers(v).String() }

func sortMembers(v ir.Value) ir.Value {
	v.Items, v.Fields = slices.Clone(v.Items), slices.Clone(v.Fields)
	for i := range v.Items {
		v.Items[i] = sortMembers(v.Items[i])
	}
	for i := range v.Fields {
		v.Fields[i].Value = sortMembers(v.Fields[i].Value)
	}
	if v.Kind == ir.Object && len(v.Fields) == 0 {
		return ir.Value{Kind: ir.Null, Text: "null"}
	}
	slices.SortStableFunc(v.Fields, func(a, b ir.Member) int { return strings.Compare(a.Name, b.Name) })
	return v
}

// nest returns a value in objects that have it as their only member, by the names of a path.
func nest(path []string, v ir.Value) ir.Value {
	for _, name := range slices.Backward(path) {
		v = ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: name, Value: v}}}
	}
	return v
}

// The parts of a text.

// newline returns the line end of a text: that of its first line.
func newline(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineStart returns where the line of an offset begins.
func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// lineEnd returns where the line of an offset ends, after its line end.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// indentOf returns the blanks at the beginning of the line of an offset.
func indentOf(text []byte, at int) string {
	line := text[lineStart(text, at):]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// splice returns a text with another one in place of a part.
func splice(text []byte, from, to int, with string) []byte {
	return slices.Concat(text[:from], []byte(with), text[to:])
}

// endLine returns a text that ends with a line end, if it has any line.
func endLine(text []byte) []byte {
	if body := bytes.TrimPrefix(text, mark); len(body) > 0 && body[len(body)-1] != '\n' {
		return append(slices.Clip(text), newline(text)...)
	}
	return text
}

// mark is the byte order mark of UTF-8.
var mark = []byte("\ufeff")
