package source

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Folder is where the files are that a source refers to. The zero Folder has none. Paths are relative to it, with forward slashes.
type Folder struct {
	Source string // the path of the source
	Named  bool   // the author named the folder: what is not found from where a reference stands may be found from the folder

	// URL is the address that the folder is published at. References to what lies below it lead to the files of the folder. Nil: it is not known.
	URL *url.URL

	// Read returns a file, and in any case its name in messages. It is called with clean paths that do not begin with ".." or a slash. Nil: there are no files.
	Read func(path string) (Source, error)

	// List returns the paths of the files, in the order of their folders. It may leave some out. Nil: those that references name by their paths are all.
	List func() []string
}

const (
	mostFiles = 5000 // that a source may refer to
	mostAlike = 10   // of one name that are read before all others for a URI
)

// sibling is a file that the source refers to, or the source itself.
type sibling struct {
	path    string
	root    Cursor
	id      *url.URL // by which its parts call it; nil when it does not say
	onlyRef bool
	refs    *References

	failed  string // why it cannot be read; empty otherwise
	help    string
	missing bool // it is not there, or not below the folder
}

// siblings are the files of a source.
type siblings struct {
	folder Folder
	source *sibling
	byPath map[string]*sibling
	listed []string            // the files of the folder; nil until it is needed
	stems  map[string][]string // files of JSON and YAML of the folder by their names without endings; nil until it is needed
	byID   map[string]string   // files of the folder by the ids of their schemas; nil until it is needed
	size   int                 // of all that were read, in bytes
	twice  []string            // members of examples that are there twice, by file and pointer
}

func newSiblings(folder Folder, name string, root ir.Value) *siblings {
	at := path.Clean(folder.Source)
	if folder.Source == "" {
		at = name
	}
	s := &siblings{folder: folder, byPath: map[string]*sibling{}}
	s.source = siblingOf(at, root, false)
	s.byPath[at] = s.source
	return s
}

// siblingOf is a file with a value. Where it does not name its dialect, it follows that of the source.
func siblingOf(at string, v ir.Value, onlyRef bool) *sibling {
	root := Cursor{Value: v, Index: NewIndex()}
	f := &sibling{path: at, root: root, onlyRef: onlyRef}
	if root.Has("$schema") || root.Has("openrpc") {
		f.onlyRef = root.Has("openrpc") || OnlyRef(root)
	}
	f.refs = referencesOf(root, f.onlyRef)
	if id, err := url.Parse(root.TextOf(f.refs.ID)); err == nil && id.Path != "" {
		f.id = id
	}
	return f
}

// trouble is a reason why a reference is not followed, with what to do about it.
type trouble struct{ message, help string }

// follow returns the file and the schema that a reference in a file leads to.
func (s *siblings) follow(from *sibling, at Cursor, ref string) (to *sibling, target Cursor, t *trouble) {
	target, local, ok := from.refs.follow(at, ref)
	if local && ok {
		return from, target, nil
	}
	nowhere := &trouble{"$ref " + Quote(ref) + " leads nowhere", ""}
	uri, err := url.Parse(ref)
	if local || err != nil {
		return nil, Cursor{}, nowhere
	}
	if f, target := s.withID(uri); f != nil {
		return f, target, nil
	}
	to, t = s.open(from, at, uri)
	if t != nil {
		t.message = "$ref " + Quote(ref) + " " + t.message
		return nil, Cursor{}, t
	}
	if target, _, ok = to.refs.follow(to.root, "#"+uri.EscapedFragment()); !ok {
		return nil, Cursor{}, &trouble{nowhere.message + ": " + to.path + " has no such part", ""}
	}
	return to, target, nil
}

const outOfFolder = "only files below the folder of the source are read; --root names a folder above it"

// open reads the file that a reference names.
func (s *siblings) open(from *sibling, at Cursor, uri *url.URL) (*sibling, *trouble) {
	if f := s.metaSchema(from.refs.around(at).ResolveReference(uri)); f != nil {
		return f, nil
	}
	if s.folder.Read == nil {
		return nil, &trouble{"leads out of this file", "bring the definition into this file first: nothing is fetched"}
	}
	f := s.byAddress(from, at, uri)
	if f == nil {
		var t *trouble
		if f, t = s.atPath(from, at, uri); t != nil {
			return nil, t
		}
	}
	if f.failed != "" {
		return nil, &trouble{f.failed, f.help}
	}
	return f, nil
}

// atPath is the file that a reference names by how it lies to the file that the reference stands in.
func (s *siblings) atPath(from *sibling, at Cursor, uri *url.URL) (*sibling, *trouble) {
	to, ok := s.pathOf(from, at, uri)
	var f *sibling
	if ok {
		f = s.load(path.Join(path.Dir(from.path), to))
		if f.missing && s.folder.Named {
			if other := s.load(path.Clean(uri.Path)); !other.missing {
				f = other
			}
		}
		if f.missing && path.Ext(to) != ".json" {
			if other := s.load(path.Join(path.Dir(from.path), to+".json")); !other.missing {
				f = other
			}
		}
	}
	if f == nil || f.missing {
		if other := s.byOwnURI(from, from.refs.around(at).ResolveReference(uri)); other != nil {
			f = other
		}
	}
	if f == nil {
		return nil, &trouble{"leads out of the folder of this file", "bring the definition into a file of this folder, or name with --root-url where the " +
			"folder is published: nothing is fetched"}
	}
	return f, nil
}

// byAddress is the file that a reference names by the address that the folder is published at; nil if there is none.
func (s *siblings) byAddress(from *sibling, at Cursor, uri *url.URL) *sibling {
	if s.folder.URL == nil {
		return nil
	}
	folder := s.folder.URL.JoinPath("/")
	is := folder.ResolveReference(&url.URL{Path: from.path}).ResolveReference(from.refs.around(at)).ResolveReference(uri)
	below, ok := strings.CutPrefix(is.Path, folder.Path)
	if !ok || is.Scheme != folder.Scheme || is.Host != folder.Host {
		return nil
	}
	for _, name := range []string{below, below + ".json"} {
		if f := s.load(path.Clean(name)); !f.missing {
			return f
		}
	}
	return nil
}

// list is the files of the folder.
func (s *siblings) list() []string {
	if s.folder.List != nil && s.listed == nil {
		s.listed = s.folder.List()
	}
	return s.listed
}

// withID is the schema whose `$id` is a URI without a path, such as a URN, in a file of the folder; nil if none. Files that the URI names are read first.
func (s *siblings) withID(uri *url.URL) (*sibling, Cursor) {
	if uri.Opaque == "" {
		return nil, Cursor{}
	}
	s.readStems()
	for part := range strings.FieldsFuncSeq(uri.Opaque, func(r rune) bool { return r == ':' || r == '/' }) {
		for _, p := range s.stems[part][:min(len(s.stems[part]), mostAlike)] {
			if f, target := s.bySchema(p, uri); f != nil {
				return f, target
			}
		}
	}
	s.readIDs()
	whole := *uri
	whole.Fragment, whole.RawFragment = "", ""
	if p, ok := s.byID[whole.String()]; ok {
		return s.bySchema(p, uri)
	}
	return nil, Cursor{}
}

// bySchema is a file with the schema in it that a URI names; nil if it has none.
func (s *siblings) bySchema(at string, uri *url.URL) (*sibling, Cursor) {
	f := s.load(at)
	if f.failed != "" {
		return nil, Cursor{}
	}
	if target, local, ok := f.refs.follow(f.root, uri.String()); local && ok {
		return f, target
	}
	return nil, Cursor{}
}

// readStems finds the files of the folder by their names, once.
func (s *siblings) readStems() {
	if s.stems != nil {
		return
	}
	s.stems = map[string][]string{}
	for _, p := range s.list() {
		if ext := path.Ext(p); slices.Contains([]string{".json", ".yaml", ".yml"}, ext) {
			stem := strings.TrimSuffix(path.Base(p), ext)
			s.stems[stem] = append(s.stems[stem], p)
		}
	}
}

// readIDs finds the files of the folder by the ids of their schemas, once. They are not counted among those that the source refers to.
func (s *siblings) readIDs() {
	if s.byID != nil {
		return
	}
	s.byID = map[string]string{}
	all := &siblings{folder: s.folder, source: s.source, byPath: map[string]*sibling{}}
	for _, p := range s.list() {
		if ext := path.Ext(p); !slices.Contains(s.stems[strings.TrimSuffix(path.Base(p), ext)], p) || all.size > file.Most {
			continue
		}
		if f := all.load(p); f.failed == "" {
			for id := range f.refs.resources {
				if _, known := s.byID[id]; !known {
					s.byID[id] = p
				}
			}
		}
	}
}

// byOwnURI is the file that calls itself by a URI, and is named by the end of it; nil if there is none. A query says which version it is, and does not count.
func (s *siblings) byOwnURI(from *sibling, uri *url.URL) *sibling {
	base := path.Base(uri.Path)
	if !uri.IsAbs() || base == "." || base == "/" {
		return nil
	}
	names := []string{base, base + ".json", base + ".yaml", base + ".yml"}
	paths := []string{path.Join(path.Dir(from.path), names[0]), path.Join(path.Dir(from.path), names[1])}
	for _, p := range s.list() {
		if slices.Contains(names, path.Base(p)) && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	for _, p := range paths {
		f := s.load(p)
		if f.failed == "" && f.id != nil && f.id.Scheme == uri.Scheme && f.id.Host == uri.Host && f.id.Path == uri.Path {
			return f
		}
	}
	return nil
}

// metaSchemas are the addresses of the schemas of schemas, and whether true and false are schemas there.
var metaSchemas = map[string]bool{"json-schema.org/schema": true, "json-schema.org/draft-03/schema": false, "json-schema.org/draft-04/schema": false,
	"json-schema.org/draft-06/schema": true, "json-schema.org/draft-07/schema": true, "json-schema.org/draft/2019-09/schema": true,
	"json-schema.org/draft/2020-12/schema": true, "meta.json-schema.tools": true}

// metaDocuments are the addresses of the schema of OpenRPC documents, by which a service says what rpc.discover returns.
var metaDocuments = []string{"meta.open-rpc.org", "raw.githubusercontent.com/open-rpc/meta-schema/master/schema.json"}

// isMeta reports whether an address is that of a schema of schemas or documents, what its values are called, and whether true and false are among them.
func isMeta(at string) (title string, booleans, is bool) {
	at, _, _ = strings.Cut(at, "#")
	if slices.Contains(metaDocuments, at) {
		return "OpenRPC", false, true
	}
	booleans, is = metaSchemas[at]
	if folder, _ := path.Split(at); folder == "json-schema.org/draft/2020-12/meta/" || folder == "json-schema.org/draft/2019-09/meta/" {
		booleans, is = true, true
	}
	return "JSON Schema", booleans, is
}

// metaSchema is what stands for the schema of schemas that a URI names, as a whole or in part; nil if it names none.
func (s *siblings) metaSchema(uri *url.URL) *sibling {
	at := strings.TrimPrefix(uri.Host, "www.") + strings.TrimSuffix(uri.Path, "/")
	title, booleans, known := isMeta(at)
	if _, whole := metaSchemas[at]; !known || !whole && uri.Fragment != "" || uri.Fragment != "" && uri.Fragment[0] != '/' ||
		strings.Count(uri.Fragment, "/") > deepestMeta {
		return nil
	}
	kinds := []ir.Value{{Kind: ir.Text, Text: "object"}}
	if booleans {
		kinds = append(kinds, ir.Value{Kind: ir.Text, Text: "boolean"})
	}
	is := ir.Value{Pos: s.source.root.Pos, Kind: ir.Object, Fields: []ir.Member{
		{Name: "title", Value: ir.Value{Kind: ir.Text, Text: title}},
		{Name: "type", Value: ir.Value{Kind: ir.Array, Items: kinds}}}}
	if uri.Fragment != "" {
		is = metaPart(uri.Fragment, is.Pos)
		at += "#" + uri.Fragment
	}
	if s.byPath[at] == nil {
		s.byPath[at] = siblingOf(at, is, s.source.onlyRef)
	}
	return s.byPath[at]
}

// deepestMeta is how many steps a reference into a schema of schemas has at most.
const deepestMeta = 10

// metaPart is what stands for a part of a schema of schemas, at its pointer: the type of a keyword where it is one in all dialects, and otherwise any.
func metaPart(pointer string, pos diag.Pos) ir.Value {
	tokens := strings.Split(pointer[1:], "/")
	is := ir.Value{Pos: pos, Kind: ir.Object}
	for kind, keywords := range map[string][]string{
		"string":  {"title", "description", "pattern", "format", "id", "$id", "$schema", "$ref", "$comment"},
		"number":  {"multipleOf", "maximum", "minimum"},
		"boolean": {"uniqueItems"},
		"array":   {"enum"},
		"integer": {"maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"},
	} {
		if len(tokens) == 2 && tokens[0] == "properties" && slices.Contains(keywords, tokens[1]) {
			is.Fields = []ir.Member{{Name: "type", Value: ir.Value{Kind: ir.Text, Text: kind}}}
		}
	}
	for _, token := range slices.Backward(tokens) {
		token = ir.UnescapePointer(token)
		is = ir.Value{Pos: pos, Kind: ir.Object, Fields: []ir.Member{{Name: token, Value: is}}}
	}
	return is
}

// pathOf is the path to a file from the folder of another. Files that call themselves by `$id` lie to each other as their URIs do.
func (s *siblings) pathOf(from *sibling, at Cursor, uri *url.URL) (to string, ok bool) {
	around := from.refs.around(at)
	if *around == (url.URL{}) {
		return uri.Path, !uri.IsAbs() && uri.Host == "" && uri.Opaque == "" && !path.IsAbs(uri.Path)
	}
	uri = around.ResolveReference(uri)
	base := from.id
	if base == nil {
		base = around
	} else if !base.IsAbs() && base.Host == "" && !path.IsAbs(base.Path) {
		base = &url.URL{Path: "/" + base.Path} // as references to it are resolved
	}
	if uri.Scheme != base.Scheme || uri.Host != base.Host || uri.Opaque != "" || path.IsAbs(uri.Path) != path.IsAbs(base.Path) {
		return "", false
	}
	return relative(path.Dir(base.Path), path.Clean(uri.Path)), true
}

// relative is the path from a folder to a file; both are clean, and absolute or not.
func relative(folder, to string) string {
	if folder == "." {
		return to
	}
	folder = strings.TrimSuffix(folder, "/")
	up := ""
	for !strings.HasPrefix(to, folder+"/") {
		up += "../"
		at := strings.LastIndex(folder, "/")
		if at < 0 {
			return up + to
		}
		folder = folder[:at]
	}
	return up + to[len(folder)+1:]
}

// load reads a file once. Why it cannot be read is part of it.
func (s *siblings) load(at string) *sibling {
	if f := s.byPath[at]; f != nil {
		return f
	}
	f := &sibling{path: at}
	switch {
	case at == ".." || strings.HasPrefix(at, "../") || path.IsAbs(at):
		f.failed, f.help, f.missing = "leads out of the folder of the source", outOfFolder, true
		return f
	case len(s.byPath) > mostFiles:
		f.failed, f.help = fmt.Sprintf("is not followed: the source has more than %d files", mostFiles), "import it in parts"
		return f
	}
	source, err := s.folder.Read(at)
	if s.size += len(source.Text); s.size > file.Most {
		err = file.ErrTooLarge
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.failed, f.missing = "leads to a file that is not there: "+cmp.Or(source.Name, at), true
		if !s.folder.Named {
			f.help = "references are relative to the file that they stand in; --root names another folder to look from"
		}
	case err != nil:
		f.failed = "leads to a file that cannot be read: " + err.Error()
	default:
		v, twice, faults := Read(source)
		if len(faults) == 0 {
			f = siblingOf(at, v, s.source.onlyRef)
			s.twice = append(s.twice, ir.Each(twice, func(pointer string) string { return source.Name + "#" + pointer })...)
			break
		}
		f.failed, f.help = fmt.Sprintf("leads to a file with a fault: %s: %s", faults[0].Pos, faults[0].Message), faults[0].Help
	}
	s.byPath[at] = f
	return f
}
