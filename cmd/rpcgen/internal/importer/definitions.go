package importer

import (
	"path"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// definitions imports JSON Schema definitions, and methods where there are some.
func (i *draft) definitions(root source.Cursor) {
	if is := otherSource(root); is != "" {
		i.conv.Fault(root, is, "this is %s, which is not imported", otherName(root))
		return
	}
	if dialect, ok := root.Get("$schema"); ok && !strings.Contains(dialect.Text, "json-schema.org/") && !strings.Contains(dialect.Text, "meta.json-schema.tools") {
		i.conv.Fault(dialect, "write the dialect of JSON Schema that it follows: https://json-schema.org/draft/2020-12/schema", "$schema names a dialect that is not known")
		return
	}
	var all []*definition
	for _, container := range []string{"$defs", "definitions"} {
		defs, ok := root.Get(container)
		if ok && defs.Kind != ir.Object {
			i.conv.Fault(defs, "", "%s must be an object, not %s", container, defs.Kind)
		}
		all = append(all, i.namedIn(defs, "", 0)...)
	}
	all = i.withRoot(root, all)
	all = append(all, i.apart(all)...)
	all = withBranches(all)
	i.conv.CanShare = true
	i.conv.Report.Definitions = len(all)
	if !i.few(root, len(all), "types") {
		return
	}
	i.conv.Report.Layout = report.Definitions
	switch {
	case slices.ContainsFunc(all, func(d *definition) bool { return methodOf(d.Cursor) != "" }):
		i.conv.Report.Layout = report.Protocol
		i.classify(all)
	case slices.ContainsFunc(all, func(d *definition) bool { return d.TextOf(methodKey) != "" }):
		i.conv.Report.Layout = report.MarkedProtocol
		i.classifyMarked(all)
	}
	i.reach(all)
	i.nameTypes(all)
	for _, d := range all {
		if d.isType {
			i.declareType(i.conv.Names[d.Pointer], d.Cursor)
		}
		if p, name := inlineParams(d); name != "" {
			i.declareType(i.conv.Hoisted[p.Pointer], p)
		}
	}
	switch i.conv.Report.Layout {
	case report.Protocol:
		i.protocol(all)
	case report.MarkedProtocol:
		i.markedMethods(all)
	}
}

// withRoot adds the schema that a file is besides its definitions, under its title or the name of the file.
func (i *draft) withRoot(root source.Cursor, all []*definition) []*definition {
	if !source.HasAny(root, source.Checks) {
		if len(all) == 0 && source.HasAny(root, []string{"$schema", "format", "default", "contentMediaType", "contentEncoding", "contentSchema"}) {
			return rootNamed(i.file, root) // it takes everything
		}
		if len(all) == 0 {
			i.conv.Fault(root, "a source has $defs, definitions, openrpc or tools, or is itself a schema", "nothing to import")
		}
		return all
	}
	if ref := root.TextOf("$ref"); len(all) > 0 && !source.HasAny(root.Without([]string{"$ref"}), source.Checks) {
		for _, container := range []string{"#/$defs/", "#/definitions/"} {
			if strings.HasPrefix(ref, container) {
				return all // it only says which definition is meant
			}
		}
	}
	return append(rootNamed(i.file, root), all...)
}

// rootNamed is the schema that a file is, under its title or the name of the file.
func rootNamed(file string, root source.Cursor) []*definition {
	name := root.TextOf("title")
	if name == "" {
		name = strings.TrimSuffix(path.Base(file), path.Ext(file))
		name = strings.TrimSuffix(name, ".schema")
	}
	return []*definition{{Named: source.Named{Name: tree.JoinWords(name), Cursor: root}}}
}

// otherName is what a description in another format calls itself; empty if it is none that is known.
func otherName(root source.Cursor) string {
	for _, format := range []struct{ member, name string }{{"openapi", "OpenAPI"}, {"swagger", "Swagger"}, {"asyncapi", "AsyncAPI"}, {"arazzo", "Arazzo"}} {
		if v, ok := root.Get(format.member); ok && v.Kind != ir.Object && v.Kind != ir.Array {
			return format.name + " " + v.Text
		}
	}
	if info, _ := root.Get("info"); info.Has("_postman_id") || strings.Contains(info.TextOf("schema"), "getpostman.com") {
		return "a collection of Postman"
	}
	if root.Has("domains") && root.Has("version") {
		return "a protocol of the Chrome DevTools"
	}
	if data, ok := root.Path("data", "__schema"); ok || root.Has("__schema") || data.Kind == ir.Object {
		return "the introspection of a GraphQL schema"
	}
	return ""
}

// otherSource says what can be done with a description in another format; empty if it is none.
func otherSource(root source.Cursor) string {
	if otherName(root) == "" || root.Has("$defs") {
		return ""
	}
	if components, ok := root.Path("components", "schemas"); ok && len(components.Fields) > 0 {
		return "its schemas can be: put what stands under components.schemas under $defs in a file of its own, and write its references as #/$defs/NAME"
	}
	if root.Has("definitions") {
		return "its schemas can be: put what stands under definitions into a file of its own"
	}
	return "what is imported: JSON Schema, OpenRPC, meta models of LSP, and the tools of MCP servers"
}

// classify finds out what the definitions are for.
func (i *draft) classify(all []*definition) {
	byName := map[string]*definition{}
	for _, d := range all {
		d.role = roleOf(d)
		d.method = methodOf(d.Cursor)
		byName[d.Pointer] = d
		if d.Name == "ClientResult" || d.Name == "ServerResult" {
			i.conv.Decisions.Context[d.Pointer] = true // which of them it is follows from the request, and from nothing else
		}
	}
	w := wrapping{i, byName, map[*definition]bool{}}
	for _, d := range all {
		w.visit(d)
	}
}

// roleOf tells the role of a definition by its form.
func roleOf(d *definition) role {
	if _, ok := sideOf[d.Name]; ok {
		return side
	}
	names := propertyNames(d.Cursor)
	only := func(allowed ...string) bool {
		return len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(allowed, n) })
	}
	switch {
	case methodOf(d.Cursor) != "":
		if strings.HasSuffix(d.Name, "Notification") || strings.HasPrefix(methodOf(d.Cursor), "notifications/") {
			return notification
		}
		return request
	case slices.Contains(names, "method") && only("jsonrpc", "id", "method", "params"):
		return envelope
	case slices.Contains(names, "jsonrpc") && slices.Contains(names, "result") && only("jsonrpc", "id", "result"):
		return answer
	case isError(d.Cursor):
		return errorObject
	case slices.Contains(names, "jsonrpc") && only("jsonrpc", "id", "error"):
		return envelope
	case slices.Contains(names, "code") && slices.Contains(names, "message") && only("code", "message", "data") && d.Name == "Error":
		return envelope
	}
	return ordinary
}

// methodOf is the constant method of a request or notification; empty when it is none.
func methodOf(s source.Cursor) string {
	m, _ := s.Path("properties", "method")
	method := constantOf(m)
	if method == "" {
		return ""
	}
	for _, name := range propertyNames(s) {
		if !slices.Contains([]string{"jsonrpc", "id", "method", "params"}, name) {
			return ""
		}
	}
	return method
}

// wrapping finds unions and lists of what is not a type, which are none either.
type wrapping struct {
	i       *draft
	all     map[string]*definition // by pointer
	visited map[*definition]bool
}

// visit gives a definition its role, after those that it refers to. What refers to itself is a type.
func (w wrapping) visit(d *definition) {
	if d.role != ordinary || w.visited[d] {
		return
	}
	w.visited[d] = true
	if w.onlyWraps(d.Cursor) {
		d.role = envelope
	}
}

// onlyWraps reports whether a definition joins nothing but requests, notifications and envelopes, alone or in batches.
func (w wrapping) onlyWraps(s source.Cursor) bool {
	if ref := s.TextOf("$ref"); ref != "" {
		target, found := w.i.conv.Resolver.Base.Follow(strings.TrimPrefix(ref, "#"))
		d := w.all[target.Pointer]
		if !found || d == nil {
			return false
		}
		w.visit(d)
		return d.role != ordinary
	}
	if items, ok := s.Get("items"); ok {
		return w.onlyWraps(items)
	}
	members, ok := s.Get("anyOf")
	if !ok {
		members, _ = s.Get("oneOf")
	}
	for _, m := range members.Elements() {
		if !w.onlyWraps(m) {
			return false
		}
	}
	return len(members.Items) > 0
}

// reach finds which definitions become types: the ordinary ones, and what those, the params and the results refer to.
func (i *draft) reach(all []*definition) {
	byPointer := map[string]*definition{}
	for _, d := range all {
		byPointer[d.Pointer] = d
	}
	var walk func(v source.Cursor)
	walk = func(v source.Cursor) {
		if ref := v.TextOf("$ref"); ref != "" {
			target, ok := i.conv.Resolver.Base.Follow(strings.TrimPrefix(ref, "#"))
			if d := byPointer[target.Pointer]; ok && d != nil && !d.isType {
				d.isType = true
				walk(d.Cursor)
			}
		}
		for _, m := range v.Members() {
			walk(m.Cursor)
		}
		for _, item := range v.Elements() {
			walk(item)
		}
	}
	for _, d := range all {
		switch d.role {
		case ordinary:
			if !d.isType {
				d.isType = true
				walk(d.Cursor)
			}
		case request, notification:
			if p, ok := d.Path("properties", "params"); ok {
				walk(p)
			}
		case answer:
			if d.Name != "JSONRPCResponse" && d.Name != "JSONRPCResultResponse" {
				result, _ := d.Path("properties", "result")
				walk(result)
			}
		case errorObject:
			walk(dataOf(d.Cursor))
		}
	}
}
