package source

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Files are a source and the files that it refers to, for formats in which a reference may stand anywhere. Nothing is fetched.
type Files struct{ all *siblings }

// Part is a value of a source, or of a file that it refers to.
type Part struct {
	Cursor
	in *sibling
}

// OpenFiles returns the files of a source.
func OpenFiles(name string, root ir.Value, folder Folder) *Files {
	return &Files{newSiblings(folder, name, root)}
}

// Root is the whole source.
func (f *Files) Root() Part { return Part{f.all.source.root, f.all.source} }

// Size is how many bytes the other files have that were read.
func (f *Files) Size() int { return f.all.size }

// Twice are the members of examples of other files that are there twice, by file and pointer.
func (f *Files) Twice() []string { return f.all.twice }

// Follow returns what the `$ref` of a value leads to, with the fault if it leads nowhere.
func (f *Files) Follow(p Part) (Part, *Fault) {
	ref, _ := p.Get("$ref")
	fault := &Fault{Pos: ref.Pos, Pointer: ref.Pointer}
	if ref.Kind != ir.Text {
		fault.Message = "$ref must be text, not " + ref.Kind.String()
		return Part{}, fault
	}
	to, target, t := f.all.follow(p.in, p.Cursor, ref.Text)
	if t != nil {
		fault.Message, fault.Help = t.message, t.help
		return Part{}, fault
	}
	return Part{target, to}, nil
}

// Plain is a schema without a dynamic reference, with the fault of one that leads nowhere: it is $ref where that means the same, and else not followed.
func (p Part) Plain() (Part, *Fault) {
	ref := p.TextOf("$dynamicRef")
	if ref == "" || p.in == nil {
		return p, nil
	}
	is, fault := "$recursiveRef", p.in.refs.Nowhere(p.Cursor)
	target, local, _ := p.in.refs.follow(p.Cursor, ref)
	if _, depends := p.in.refs.depends(target, ref); local && !depends && !p.Has("$ref") {
		is = "$ref"
	}
	p.Fields = slices.Clone(p.Fields)
	p.Fields[p.member("$dynamicRef")].Name = is
	return p, fault
}

// Of is a value of the same file.
func (p Part) Of(c Cursor) Part { return Part{c, p.in} }

// Sub returns a member of an object.
func (p Part) Sub(names ...string) (Part, bool) {
	c, ok := p.Path(names...)
	return p.Of(c), ok
}

// IsMeta reports whether a value is one of a schema of schemas, of which no file has the text.
func (p Part) IsMeta() bool {
	_, _, is := isMeta(p.File())
	return is
}

// Whole is the file that a value of [Files] stands in.
func (p Part) Whole() Part { return Part{p.in.root, p.in} }

// File is the path of the file that a value stands in.
func (p Part) File() string {
	if p.in == nil {
		return ""
	}
	return p.in.path
}

// Assemble is a source that was made of parts of files: from says what of, by the pointers of what was made.
func Assemble(root ir.Value, from map[string]Part, ignored []string) *Whole {
	g := &Whole{Root: root, moved: map[string]part{}, Troubles: map[diag.Pos]*trouble{}, Ignored: ignored}
	for pointer, p := range from {
		if p.in != nil {
			g.moved[pointer] = part{p.in.root.Pos.File, p.Pointer}
		}
	}
	return g
}
