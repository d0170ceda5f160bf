// Package protobuf reads descriptor sets of Protocol Buffers, binary or in JSON, and describes their services as the HTTP API that Connect makes of
// them: a method is a POST of its message, as JSON, to /package.Service/Method. The import of descriptions of HTTP APIs does the rest.
//
// The text of .proto files is not read: buf and protoc write descriptor sets of it. Nothing of the wire format of calls is needed.
//
//test:sequential
package protobuf

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/openapi"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Is reports whether a source is a descriptor set: a list of files that have names.
func Is(root source.Cursor) bool {
	files, _ := root.Get("file")
	return files.Kind == ir.Array && len(files.Items) > 0 && !root.Has("openapi") && strings.HasSuffix(files.Elements()[0].TextOf("name"), ".proto")
}

// set is a descriptor set.
type set struct {
	types    map[string]*declaration // by their full names
	order    []string
	services []*service
	short    map[string]int // how many services have a name, without that of their package
	faults   source.Faults
}

// declaration is a message or an enum.
type declaration struct {
	source.Cursor
	name     string
	file     *file
	place    string // of its comments
	enum     bool
	mapEntry bool
}

// service is a service with the file that it is of.
type service struct {
	source.Cursor
	name  string
	file  *file
	place string
}

// file has the comments of a file, by what they are about.
type file struct{ comments map[string]string }

// Describe describes the services of a descriptor set in the format of OpenAPI. The error is [source.Faults].
func Describe(root source.Cursor) (ir.Value, error) {
	s := &set{types: map[string]*declaration{}, short: map[string]int{}}
	for _, at := range root.ElementsOf("file") {
		f := &file{comments: commentsOf(at)}
		inside := ""
		if name := at.TextOf("package"); name != "" {
			inside = name + "."
		}
		s.declare(at, f, inside, "", fields{"messageType": 4, "enumType": 5})
		for i, one := range at.ElementsOf("service") {
			is := &service{one, inside + one.TextOf("name"), f, fmt.Sprintf("6,%d", i)}
			s.services = append(s.services, is)
			s.short[one.TextOf("name")]++
		}
	}
	if len(s.services) == 0 {
		s.faults.Note(root.Pos, root.Pointer, "its messages alone become no tools; "+
			"protoc needs --include_imports for what the files import", "the descriptor set has no service")
	}
	paths, schemas := ir.Value{Pos: root.Pos, Kind: ir.Object}, ir.Value{Pos: root.Pos, Kind: ir.Object}
	for _, one := range s.services {
		paths.Fields = append(paths.Fields, s.methods(one)...)
	}
	for _, name := range s.order {
		if d := s.types[name]; !d.mapEntry {
			schemas.Fields = append(schemas.Fields, member(name, s.schema(d)))
		}
	}
	seen := map[string]bool{}
	for _, m := range paths.Fields {
		if seen[m.Name] {
			s.faults.Note(m.Value.Pos, "", "", "two methods are called %s", m.Name)
		}
		seen[m.Name] = true
	}
	return object(root, member("openapi", text("3.1.0")), member("info", object(root)), member("paths", paths),
		member("components", object(root, member("schemas", schemas)))), s.faults.Err()
}

// fields are numbers of fields of a descriptor, as the places of comments have them.
type fields map[string]int

// fullName is a name with those of what it is in.
var fullName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)

// declare notes the messages and the enums of a file, or of a message.
func (s *set) declare(in source.Cursor, f *file, inside, place string, numbers fields) {
	for _, key := range slices.Sorted(maps.Keys(numbers)) {
		for i, at := range in.ElementsOf(key) {
			d := &declaration{Cursor: at, name: inside + at.TextOf("name"), file: f, place: place + fmt.Sprintf("%d,%d", numbers[key], i), enum: key == "enumType"}
			options, _ := at.Get("options")
			d.mapEntry = options.IsTrue("mapEntry")
			switch {
			case !fullName.MatchString(d.name):
				s.faults.Note(at.Pos, at.Pointer, "", "%s is not a name of a type", source.Quote(d.name))
			case s.types[d.name] != nil:
				s.faults.Note(at.Pos, at.Pointer, "", "%s is declared twice", d.name)
			default:
				s.types[d.name] = d
				s.order = append(s.order, d.name)
				s.declare(at, f, d.name+".", d.place+",", fields{"nestedType": 3, "enumType": 4})
			}
		}
	}
}

// commentsOf are the comments of a file.
func commentsOf(at source.Cursor) map[string]string {
	all := map[string]string{}
	info, _ := at.Get("sourceCodeInfo")
	for _, l := range info.ElementsOf("location") {
		path, _ := l.Get("path")
		place := path.Text // of the binary form
		if path.Kind == ir.Array {
			steps := ir.Each(path.Items, func(step ir.Value) string { return step.Text })
			place = strings.Join(steps, ",")
		}
		if said := strings.TrimSpace(l.TextOf("leadingComments")); said != "" {
			all[place] = said
		}
	}
	return all
}

// methods are the paths of a service.
func (s *set) methods(of *service) (all []ir.Member) {
	for i, at := range of.ElementsOf("method") {
		name := at.TextOf("name")
		path := "/" + of.name + "/" + name
		if !fullName.MatchString(of.name + "." + name) {
			s.faults.Note(at.Pos, at.Pointer, "", "%s is not a name of a method", source.Quote(path))
			continue
		}
		id := of.TextOf("name") + "." + name
		if s.short[of.TextOf("name")] > 1 { // of another version, as a rule
			id = of.name + "." + name
		}
		in, out := s.message(at, "inputType"), s.message(at, "outputType")
		if in == nil || out == nil {
			continue
		}
		operation := object(at, member("operationId", text(id)), member("tags", list(text(of.name))))
		if said := of.file.comments[fmt.Sprintf("%s,2,%d", of.place, i)]; said != "" {
			operation.Fields = append(operation.Fields, member("description", text(said)))
		}
		options, _ := at.Get("options")
		level := options.TextOf("idempotencyLevel")
		for _, flag := range []struct {
			name string
			is   bool
		}{{"deprecated", options.IsTrue("deprecated")}, {openapi.Reads, level == "NO_SIDE_EFFECTS"}, {openapi.Repeats, level == "NO_SIDE_EFFECTS" ||
			level == "IDEMPOTENT"}} {
			if flag.is {
				operation.Fields = append(operation.Fields, member(flag.name, boolean(true)))
			}
		}
		if at.IsTrue("clientStreaming") || at.IsTrue("serverStreaming") {
			operation.Fields = append(operation.Fields, member(openapi.Unbuilt, text("it streams messages, which is not built")))
		}
		version := object(at, member("name", text("Connect-Protocol-Version")), member("in", text("header")), member("required", boolean(true)),
			member("schema", object(at, member("type", text("string")), member("const", text("1")))))
		success := object(at)
		if len(out.ElementsOf("field")) > 0 || wellKnown(out.Cursor, out.name) != nil && out.name != "google.protobuf.Empty" {
			success = contentOf(at, refer(at, out.name))
		}
		failure := ofType(at, "object", member("properties", object(at, member("code", ofType(at, "string")), member("message", ofType(at, "string")))))
		body := contentOf(at, refer(at, in.name))
		body.Fields = append(body.Fields, member("required", boolean(true)))
		operation.Fields = append(operation.Fields, member("parameters", list(version)), member("requestBody", body),
			member("responses", object(at, member("200", success), member("default", contentOf(at, failure)))))
		all = append(all, member(path, object(at, member("post", operation))))
	}
	return all
}

// message is the message that a method takes or gives.
func (s *set) message(at source.Cursor, key string) *declaration {
	d := s.typeNamed(at, key)
	if d != nil && d.enum {
		s.faults.Note(at.Pos, at.Pointer, "", "%s of %s is an enum", key, at.TextOf("name"))
		return nil
	}
	return d
}

// typeNamed is the type that a descriptor names. Well-known types need not be in the set.
func (s *set) typeNamed(at source.Cursor, key string) *declaration {
	name, rooted := strings.CutPrefix(at.TextOf(key), ".")
	d := s.types[name]
	if d == nil && wellKnown(at, name) != nil {
		d = &declaration{Cursor: source.Cursor{Value: object(at), Pointer: at.Pointer}, name: name, file: &file{}}
		s.types[name] = d
		s.order = append(s.order, name)
	}
	switch {
	case !rooted:
		s.faults.Note(at.Pos, at.Pointer, "compile the files: the names of types are resolved then", "%s of %s is %s, which is not a full name of a type", key,
			source.Quote(at.TextOf("name")), source.Quote(at.TextOf(key)))
		return nil
	case d == nil:
		s.faults.Note(at.Pos, at.Pointer, "protoc needs --include_imports", "%s of %s is %s, which is not in the set", key, at.TextOf("name"), source.Quote(name))
	}
	return d
}

func text(s string) ir.Value { return ir.Value{Kind: ir.Text, Text: s} }

func boolean(b bool) ir.Value { return ir.Value{Kind: ir.Boolean, Text: strconv.FormatBool(b)} }

func list(items ...ir.Value) ir.Value { return ir.Value{Kind: ir.Array, Items: items} }

func member(name string, v ir.Value) ir.Member { return ir.Member{Name: name, Value: v} }

// object is an object that was made of a part of the set.
func object(at source.Cursor, members ...ir.Member) ir.Value {
	return ir.Value{Pos: at.Pos, Kind: ir.Object, Fields: members}
}

func ofType(at source.Cursor, name string, more ...ir.Member) ir.Value {
	return object(at, append([]ir.Member{member("type", text(name))}, more...)...)
}

func refer(at source.Cursor, name string) ir.Value {
	return object(at, member("$ref", text("#/components/schemas/"+name)))
}

// contentOf is a body or an answer in JSON.
func contentOf(at source.Cursor, schema ir.Value) ir.Value {
	return object(at, member("content", object(at, member("application/json", object(at, member("schema", schema))))))
}
