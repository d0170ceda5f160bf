package protobuf

import (
	"bytes"
	_ "embed" // the table of fields
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// deepest is how many messages lie within each other, as the readers of protobuf have it.
const deepest = 100

// kind is what a field of a descriptor holds.
type kind uint8

const (
	isText    kind = iota
	isNumber       // written as a number
	isBoolean      // written as a boolean
	isWord         // of an enum, written as its name
	isNumbers      // a packed list of numbers, written as a text with commas
	isMessage
	isThere // of any type, of which nothing but that is read
)

// field is a field of a descriptor, with the name that it has in JSON.
type field struct {
	name   string
	kind   kind
	list   bool
	silent bool           // it is not read
	of     string         // of a message: its table
	words  map[int]string // of an enum: the names that are needed, by number
}

// tables are the fields of descriptor.proto that an import reads, by number. Of others that are reported, the fact that they are there is read.
var tables = map[string]map[int]field{
	"FileDescriptorSet": {1: {name: "file", kind: isMessage, list: true, of: "FileDescriptorProto"}},
	"FileDescriptorProto": {1: {name: "name"}, 2: {name: "package"}, 4: {name: "messageType", kind: isMessage, list: true, of: "DescriptorProto"},
		5: {name: "enumType", kind: isMessage, list: true, of: "EnumDescriptorProto"},
		6: {name: "service", kind: isMessage, list: true, of: "ServiceDescriptorProto"}, 8: {name: "options", kind: isMessage, of: "FileOptions"},
		9: {name: "sourceCodeInfo", kind: isMessage, of: "SourceCodeInfo"}},
	"DescriptorProto": {1: {name: "name"}, 2: {name: "field", kind: isMessage, list: true, of: "FieldDescriptorProto"},
		3: {name: "nestedType", kind: isMessage, list: true, of: "DescriptorProto"},
		4: {name: "enumType", kind: isMessage, list: true, of: "EnumDescriptorProto"}, 7: {name: "options", kind: isMessage, of: "MessageOptions"}},
	"MessageOptions": {7: {name: "mapEntry", kind: isBoolean}},
	"FieldDescriptorProto": {1: {name: "name"}, 4: {name: "label", kind: isWord, words: map[int]string{2: "LABEL_REQUIRED", 3: "LABEL_REPEATED"}},
		5: {name: "type", kind: isWord, words: typeNames},
		6: {name: "typeName"}, 8: {name: "options", kind: isMessage, of: "FieldOptions"}, 9: {name: "oneofIndex", kind: isNumber}, 10: {name: "jsonName"}},
	"FieldOptions":             {3: {name: "deprecated", kind: isBoolean}, 21: {name: "features", kind: isMessage, of: "FeatureSet"}},
	"FeatureSet":               {1: {name: "fieldPresence", kind: isWord, words: map[int]string{3: "LEGACY_REQUIRED"}}},
	"EnumValueDescriptorProto": {1: {name: "name"}, 3: {name: "options", kind: isMessage, of: "EnumValueOptions"}},
	"EnumDescriptorProto": {1: {name: "name"}, 2: {name: "value", kind: isMessage, list: true, of: "EnumValueDescriptorProto"},
		3: {name: "options", kind: isMessage, of: "EnumOptions"}},
	"ServiceDescriptorProto": {1: {name: "name"}, 2: {name: "method", kind: isMessage, list: true, of: "MethodDescriptorProto"},
		3: {name: "options", kind: isMessage, of: "ServiceOptions"}},
	"MethodDescriptorProto": {1: {name: "name"}, 2: {name: "inputType"}, 3: {name: "outputType"}, 4: {name: "options", kind: isMessage, of: "MethodOptions"},
		5: {name: "clientStreaming", kind: isBoolean}, 6: {name: "serverStreaming", kind: isBoolean}},
	"MethodOptions": {33: {name: "deprecated", kind: isBoolean}, 34: {name: "idempotencyLevel", kind: isWord,
		words: map[int]string{1: "NO_SIDE_EFFECTS", 2: "IDEMPOTENT"}}},
	"SourceCodeInfo": {1: {name: "location", kind: isMessage, list: true, of: "Location"}},
	"Location":       {1: {name: "path", kind: isNumbers}, 3: {name: "leadingComments"}},
}

//go:embed fields.txt
var fieldsText string

// Fields says what becomes of the fields of a descriptor set.
var Fields = source.ReadFields(fieldsText)

// UnusedPointers are the pointers of what a descriptor set says and an import makes nothing of. Files that come with protobuf are not looked at.
func UnusedPointers(root source.Cursor) (pointers []string) {
	var files []source.Place
	for _, at := range root.ElementsOf("file") {
		if !strings.HasPrefix(at.TextOf("name"), "google/protobuf/") {
			files = append(files, source.Place{Part: source.Part{Cursor: at}, Object: "FileDescriptorProto"})
		}
	}
	Fields().VisitUnused(nil, func(p source.Part) { pointers = append(pointers, p.Pointer) }, files...)
	return pointers
}

// fieldNumbers are the fields that have no table, by object and number: those that mean nothing are not read.
var fieldNumbers = sync.OnceValue(func() map[[2]string]field {
	all := map[[2]string]field{}
	for object, fields := range Fields() {
		for name, f := range fields {
			if f.Object == "" {
				all[[2]string{object, f.Number}] = field{name: name, kind: isThere, silent: f.Use == source.Silent}
			}
		}
	}
	return all
})

var typeNames = map[int]string{1: "TYPE_DOUBLE", 2: "TYPE_FLOAT", 3: "TYPE_INT64", 4: "TYPE_UINT64", 5: "TYPE_INT32", 6: "TYPE_FIXED64",
	7: "TYPE_FIXED32", 8: "TYPE_BOOL", 9: "TYPE_STRING",
	10: "TYPE_GROUP", 11: "TYPE_MESSAGE", 12: "TYPE_BYTES", 13: "TYPE_UINT32", 14: "TYPE_ENUM", 15: "TYPE_SFIXED32", 16: "TYPE_SFIXED64", 17: "TYPE_SINT32", 18: "TYPE_SINT64"}

// IsBinary reports whether a source is a descriptor set in the binary form: by its name, or since it begins with a file whose name ends in .proto. Text
// that begins with an empty line, whose bytes can be read as lengths, has no such name there.
func IsBinary(from source.Source) bool {
	name := strings.ToLower(from.Name)
	if slices.ContainsFunc([]string{".binpb", ".protoset", ".fds", ".desc", ".pb"}, func(ending string) bool { return strings.HasSuffix(name, ending) }) {
		return true
	}
	const field1 = 0x0a // with a length
	if len(from.Text) == 0 || from.Text[0] != field1 {
		return false
	}
	size, n := binary.Uvarint(from.Text[1:])
	if rest := from.Text[1+max(n, 0):]; n > 0 && len(rest) > 2 && rest[0] == field1 && uint64(rest[1]) < size && len(rest) >= 2+int(rest[1]) {
		name := rest[2 : 2+int(rest[1])]
		return bytes.HasSuffix(name, []byte(".proto")) && !slices.ContainsFunc(name, func(c byte) bool { return c < ' ' })
	}
	return false
}

// Read reads a descriptor set in the binary form as the JSON that stands for it, as far as an import needs it.
func Read(from source.Source) (ir.Value, *source.Fault) {
	r := &reader{name: from.Name, text: from.Text}
	return r.message("FileDescriptorSet", 0, len(from.Text), nil)
}

// reader reads the wire format of protobuf.
type reader struct {
	name   string
	text   []byte
	values int
}

// fault is what is wrong at an offset of the source, in the message at a path.
func (r *reader) fault(at int, path []string, format string, args ...any) *source.Fault {
	f := &source.Fault{Pos: diag.Pos{File: r.name}, Message: fmt.Sprintf("byte %d: ", at) + fmt.Sprintf(format, args...),
		Help: "a descriptor set is written by buf build -o set.binpb, or by protoc --include_imports --include_source_info --descriptor_set_out=set.binpb"}
	if len(path) > 0 {
		f.Pointer = "/" + strings.Join(path, "/")
	}
	return f
}

// token is a field on the wire: a number, or where its content begins and ends.
type token struct {
	field, wire int
	number      uint64
	from, end   int
}

// The ways in which fields are written.
const (
	asVarint = 0
	asFixed8 = 1
	asBytes  = 2
	asGroup  = 3
	endGroup = 4
	asFixed4 = 5
)

// token reads the field at an offset, of a message that ends at another one. It returns where the next one begins.
func (r *reader) token(at, end int, path []string) (t token, next int, fault *source.Fault) {
	key, n := binary.Uvarint(r.text[at:end])
	if n <= 0 || key>>3 == 0 || key>>3 > 1<<29-1 {
		return t, 0, r.fault(at, path, "this is not a field of protobuf")
	}
	t.field, t.wire = int(key>>3), int(key&7)
	at += n
	switch t.wire {
	case asVarint:
		if t.number, n = binary.Uvarint(r.text[at:end]); n <= 0 {
			return t, 0, r.fault(at, path, "a number ends too early, or is too large")
		}
		return t, at + n, nil
	case asBytes:
		size, n := binary.Uvarint(r.text[at:end])
		if n <= 0 || size > uint64(end-at-n) {
			return t, 0, r.fault(at, path, "field %d goes on after the end of what it is in: the file is cut, or not a descriptor set", t.field)
		}
		t.from, t.end = at+n, at+n+int(size)
		return t, t.end, nil
	case asFixed8, asFixed4:
		size := 8
		if t.wire == asFixed4 {
			size = 4
		}
		if end-at < size {
			return t, 0, r.fault(at, path, "a number ends too early")
		}
		return t, at + size, nil
	case asGroup, endGroup:
		return t, at, nil
	}
	return t, 0, r.fault(at, path, "there is no way %d to write a field", t.wire)
}

// skipGroup returns where the group that has begun before an offset ends.
func (r *reader) skipGroup(at, end int, path []string) (int, *source.Fault) {
	for open := 1; open > 0; {
		if at >= end {
			return 0, r.fault(at, path, "a group is not closed")
		}
		t, next, fault := r.token(at, end, path)
		if fault != nil {
			return 0, fault
		}
		switch t.wire {
		case asGroup:
			open++
		case endGroup:
			open--
		}
		at = next
	}
	return at, nil
}

// message reads a message of a table.
func (r *reader) message(table string, at, end int, path []string) (ir.Value, *source.Fault) {
	v := ir.Value{Pos: diag.Pos{File: r.name}, Kind: ir.Object}
	if len(path) > 2*deepest {
		return v, r.fault(at, path[:6], "messages lie more than %d deep in each other", deepest)
	}
	for at < end {
		t, next, fault := r.token(at, end, path)
		if fault == nil && t.wire == asGroup {
			next, fault = r.skipGroup(next, end, path)
		}
		if fault == nil && t.wire == endGroup {
			fault = r.fault(at, path, "a group ends that has not begun")
		}
		if fault != nil {
			return v, fault
		}
		f, known := tables[table][t.field]
		if number := strconv.Itoa(t.field); !known {
			if f, known = fieldNumbers()[[2]string{table, number}]; !known {
				f = field{name: number, kind: isThere}
			}
		}
		if !f.silent {
			if fault := r.add(&v, f, t, at, path); fault != nil {
				return v, fault
			}
		}
		at = next
	}
	return v, nil
}

// add adds a field to the message that it is of.
func (r *reader) add(v *ir.Value, f field, t token, at int, path []string) *source.Fault {
	is := slices.IndexFunc(v.Fields, func(m ir.Member) bool { return m.Name == f.name })
	step := []string{f.name}
	if f.list && is >= 0 {
		step = append(step, strconv.Itoa(len(v.Fields[is].Value.Items)))
	} else if f.list {
		step = append(step, "0")
	}
	value, fault := r.value(f, t, at, append(path[:len(path):len(path)], step...))
	if fault != nil {
		return fault
	}
	if f.of == "Location" && !source.HasAny(source.Cursor{Value: value}, []string{"leadingComments", "trailingComments"}) || f.kind == isWord && value.Text == "" {
		return nil // nothing needs it
	}
	if r.values++; r.values > source.MostValues(len(r.text)) {
		return r.fault(at, path, "the set has more than %d values", source.MostValues(len(r.text)))
	}
	switch {
	case f.list && is >= 0:
		v.Fields[is].Value.Items = append(v.Fields[is].Value.Items, value)
	case f.list:
		v.Fields = append(v.Fields, ir.Member{Name: f.name, Value: ir.Value{Pos: v.Pos, Kind: ir.Array, Items: []ir.Value{value}}})
	case is >= 0: // the last one counts
		v.Fields[is].Value = value
	default:
		v.Fields = append(v.Fields, ir.Member{Name: f.name, Value: value})
	}
	return nil
}

// value reads the value of a field.
func (r *reader) value(f field, t token, at int, path []string) (ir.Value, *source.Fault) {
	v := ir.Value{Pos: diag.Pos{File: r.name}, Kind: ir.Text}
	if f.kind == isThere {
		return ir.Value{Pos: v.Pos, Kind: ir.Boolean, Text: "true"}, nil
	}
	wire := asBytes
	if f.kind == isNumber || f.kind == isBoolean || f.kind == isWord {
		wire = asVarint
	}
	if t.wire != wire {
		return v, r.fault(at, path, "field %d is written as a field of another type", t.field)
	}
	switch f.kind {
	case isNumber:
		return ir.Value{Pos: v.Pos, Kind: ir.Integer, Text: strconv.FormatInt(int64(t.number), 10)}, nil
	case isBoolean:
		return ir.Value{Pos: v.Pos, Kind: ir.Boolean, Text: strconv.FormatBool(t.number != 0)}, nil
	case isWord:
		v.Text = f.words[int(min(t.number, 1000))]
		return v, nil
	case isNumbers:
		var all []string
		for rest := r.text[t.from:t.end]; len(rest) > 0; {
			number, n := binary.Uvarint(rest)
			if n <= 0 {
				return v, r.fault(t.end, path, "a number ends too early, or is too large")
			}
			all, rest = append(all, strconv.FormatUint(number, 10)), rest[n:]
		}
		v.Text = strings.Join(all, ",")
		return v, nil
	case isMessage:
		return r.message(f.of, t.from, t.end, path)
	}
	if v.Text = string(r.text[t.from:t.end]); !utf8.ValidString(v.Text) {
		return v, r.fault(t.from, path, "the text is not UTF-8")
	}
	return v, nil
}
