// Package source reads what is imported: JSON and YAML with the positions of values, the files that a source refers to, what its references
// lead to, and what its schemas admit. It converts nothing.
//
//test:by ./cmd/rpcgen/internal/source/importer
package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// TextOnly says that a source is a text, and that there are no overlays, no tables and no file of an earlier import: the playground then links nothing that
// reads these, nor binary forms.
const TextOnly = runtime.GOOS == "js"

// Deepest is how far a source may be nested.
const Deepest = 500

// MostValues is how many values a source of some bytes has at most, with the names of members: texts that are nothing but values take the most memory for
// their size, and the aliases of YAML stand for more of them than there are bytes.
func MostValues(size int) int { return min(1<<20, 1<<17+size) + size/10 }

// ParseJSON reads a JSON text. Members keep their order, and values have positions. It returns the pointers of members of examples that are there twice.
func ParseJSON(file string, text []byte) (ir.Value, []string, *Fault) {
	r := &reader{file: file, text: bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))}
	for i, c := range r.text {
		if c == '\n' {
			r.lines = append(r.lines, i+1)
		}
	}
	if i := invalidUTF8(r.text); i >= 0 {
		return ir.Value{}, nil, r.fault(i, "the text is not UTF-8")
	}
	if is := notJSON(r.text); is != "" {
		fault := r.fault(0, "this is %s, which is not imported", is)
		fault.Help = "what is imported: JSON Schema, OpenRPC, OpenAPI, meta models of LSP, and the tools of MCP servers, as JSON or, in files named .yaml, as YAML"
		if is == protobufText {
			fault.Help = "import its descriptor set: buf build -o set.binpb, or protoc --include_imports --include_source_info --descriptor_set_out=set.binpb"
		}
		return ir.Value{}, nil, fault
	}
	r.decoder = json.NewDecoder(bytes.NewReader(r.text))
	r.decoder.UseNumber()
	v, fault := r.value(0)
	if fault != nil {
		return v, nil, fault
	}
	if at := r.next(); at < len(r.text) {
		return v, nil, r.fault(at, "something follows the JSON value")
	}
	return v, r.twice, nil
}

const protobufText = "a protobuf file"

// otherTexts are formats whose texts begin like that, after comments.
var otherTexts = []struct {
	begins func() *regexp.Regexp
	name   string
}{
	{text.Pattern(`^(syntax\s*=|edit[i]on\s*=|package\s+[\w.]+\s*;|import\s+"[^"]*\.proto")`), protobufText},
	{text.Pattern(`^(type|schema|input|enum|union|interface|scalar|directive|extend)\s+(@?[\w]+|\{)[^:;=]*\{?`), "a GraphQL schema"},
	{text.Pattern(`(?s)^<.*<(\w+:)?definitions\b`), "a WSDL file"},
	{text.Pattern(`^<!?(\?xml|DOCTYPE|html|[A-Za-z])`), "XML or HTML"},
	{text.Pattern(`^(openapi|swagger|asyncapi)\s*:`), "OpenAPI, Swagger or AsyncAPI in YAML"},
	{text.Pattern(`^(\$schema|\$defs|definitions|openrpc|type|properties)\s*:`), "YAML in a file that is not named .yaml"},
}

// commentLines are comments and empty lines at the beginning of a text.
var commentLines = text.Pattern(`^(\s+|//[^\n]*|#[^\n]*|/\*(?s:.*?)\*/|"""(?s:.*?)""")`)

// notJSON names the format of a text that is not JSON; empty if it is not known.
func notJSON(text []byte) string {
	const head = 1 << 14
	text = text[:min(len(text), head)]
	for {
		comment := commentLines().Find(text)
		if len(comment) == 0 {
			break
		}
		text = text[len(comment):]
	}
	for _, other := range otherTexts {
		if other.begins().Match(text) {
			return other.name
		}
	}
	return ""
}

// reader reads one JSON text token by token.
type reader struct {
	file    string
	text    []byte
	lines   []int // where the second line begins, and those after it
	decoder *json.Decoder
	tokens  int
	items   []ir.Value // of the arrays that are being read

	path   []string // the names of the members that are being read
	within int      // how long path is within an example; 0 outside
	twice  []string // pointers of members of examples that are there twice
}

// enter notes that a member is being read, and leave that it is read.
func (r *reader) enter(name string) {
	named := false // by an author, so that one called example is none
	if last := len(r.path) - 1; last >= 0 {
		named = r.path[last] == "schemas" || jsonschema.KeywordOf(r.path[last]).Holds == jsonschema.Map
	}
	r.path = append(r.path, name)
	if r.within == 0 && !named && (name == "example" || name == "examples") {
		r.within = len(r.path)
	}
}

func (r *reader) leave() {
	r.path = r.path[:len(r.path)-1]
	if r.within > len(r.path) {
		r.within = 0
	}
}

func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func (r *reader) pos(offset int) diag.Pos {
	line := sort.Search(len(r.lines), func(i int) bool { return r.lines[i] > offset })
	start := 0
	if line > 0 {
		start = r.lines[line-1]
	}
	return diag.Pos{File: r.file, Line: line + 1, Col: offset - start + 1}
}

func (r *reader) fault(offset int, format string, args ...any) *Fault {
	return &Fault{Pos: r.pos(offset), Message: fmt.Sprintf(format, args...)}
}

// next is where the next token begins.
func (r *reader) next() int {
	return len(r.text) - len(bytes.TrimLeft(r.text[r.decoder.InputOffset():], " \t\r\n,:"))
}

// token reads a token and says where it begins.
func (r *reader) token() (json.Token, int, *Fault) {
	at := r.next()
	if r.tokens++; r.tokens > MostValues(len(r.text)) {
		fault := r.fault(at, "the source has more than %d values", MostValues(len(r.text)))
		fault.Help = "split it into files that refer to each other"
		return nil, at, fault
	}
	t, err := r.decoder.Token()
	syntax, isSyntax := errors.AsType[*json.SyntaxError](err)
	switch {
	case err == nil:
		return t, at, nil
	case isSyntax:
		return nil, at, r.fault(max(at, int(syntax.Offset)-1), "this is not JSON: %s", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, at, r.fault(len(r.text), "this is not JSON: it ends too early")
	}
	return nil, at, r.fault(at, "this is not JSON: %s", err)
}

func (r *reader) value(depth int) (ir.Value, *Fault) {
	token, at, fault := r.token()
	if fault != nil {
		return ir.Value{}, fault
	}
	v := ir.Value{Kind: ir.Null, Text: "null"}
	switch token := token.(type) {
	case json.Delim:
		if depth > Deepest {
			return v, r.fault(at, "the source is nested too deeply")
		}
		if token == '[' {
			v, fault = r.array(depth)
		} else {
			v, fault = r.object(depth)
		}
	case string:
		v = ir.Value{Kind: ir.Text, Text: token}
	case json.Number:
		v = ir.NumberValue(token.String())
	case bool:
		v = ir.Value{Kind: ir.Boolean, Text: fmt.Sprint(token)}
	}
	v.Pos = r.pos(at)
	return v, fault
}

// pointerTo is the JSON Pointer of a path.
func pointerTo(path []string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteString("/" + ir.EscapePointer(name))
	}
	return b.String()
}

func (r *reader) array(depth int) (ir.Value, *Fault) {
	v, first := ir.Value{Kind: ir.Array}, len(r.items)
	for r.decoder.More() {
		r.enter(strconv.Itoa(len(r.items) - first))
		item, fault := r.value(depth + 1)
		r.leave()
		if fault != nil {
			return v, fault
		}
		r.items = append(r.items, item)
	}
	_, _, fault := r.token()
	v.Items, r.items = append(v.Items, r.items[first:]...), r.items[:first]
	return v, fault
}

func (r *reader) object(depth int) (ir.Value, *Fault) {
	v := ir.Value{Kind: ir.Object}
	seen := map[string]int{} // where members are
	for r.decoder.More() {
		key, at, fault := r.token()
		if fault != nil {
			return v, fault
		}
		name, _ := key.(string)
		r.enter(name)
		before, twice := seen[name]
		if twice && r.within == 0 {
			return v, r.fault(at, "the member %q is there twice", name)
		}
		member, fault := r.value(depth + 1)
		if fault != nil {
			return v, fault
		}
		if twice { // the last one counts, as most readers of JSON have it
			r.twice = append(r.twice, pointerTo(r.path))
			v.Fields[before].Value = member
			r.leave()
			continue
		}
		seen[name] = len(v.Fields)
		r.leave()
		v.Fields = append(v.Fields, ir.Member{Name: name, Value: member})
	}
	_, _, fault := r.token()
	return v, fault
}
