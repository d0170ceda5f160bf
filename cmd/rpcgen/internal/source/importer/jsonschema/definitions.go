// Package jsonschema imports JSON Schema definitions, with the methods of a protocol where they are laid out as those of MCP or ACP are.
//
//test:by ./cmd/rpcgen/internal/source/importer
package jsonschema

import (
	"path"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// reader reads JSON Schema definitions, with the methods of a protocol among them.
type reader struct {
	d       *draft.Draft
	tables  *MethodTable        // nil if none came with the source
	senders map[string][]string // who sends a method: client, server
}

// Import imports JSON Schema definitions, and methods where there are some.
func Import(d *draft.Draft, root source.Cursor, tables *MethodTable) {
	(&reader{d: d, tables: tables}).definitions(root)
}

// definitions imports JSON Schema definitions, and methods where there are some.
func (i *reader) definitions(root source.Cursor) {
	if is := otherSource(root); is != "" {
		i.d.Conv.Fault(root, is, "this is %s, which is not imported", otherName(root))
		return
	}
	if dialect, ok := root.Get("$schema"); ok && !strings.Contains(dialect.Text, "json-schema.org/") && !strings.Contains(dialect.Text, "meta.json-schema.tools") {
		i.d.Conv.Report.Weaken(dialect.Pointer, "the dialect "+source.Quote(dialect.Text)+" is not known: it is read as draft 2020-12")
	}
	var all []*draft.Definition
	for _, container := range []string{"$defs", "definitions"} {
		defs, ok := root.Get(container)
		if ok && defs.Kind != ir.Object {
			i.d.Conv.Fault(defs, "", "%s must be an object, not %s", container, defs.Kind)
		}
		all = append(all, i.d.NamedIn(defs, "", 0)...)
	}
	all = i.withRoot(root, all)
	all = append(all, i.d.Apart(all)...)
	all = withBranches(all)
	i.d.Conv.CanShare = true
	i.d.Conv.Report.Definitions = len(all)
	if !i.d.Few(root, len(all), "types") {
		return
	}
	i.d.Conv.Report.Layout = report.Definitions
	switch {
	case slices.ContainsFunc(all, func(d *draft.Definition) bool { return methodOf(d.Cursor) != "" }):
		i.d.Conv.Report.Layout = report.Protocol
		i.classify(all)
	case slices.ContainsFunc(all, func(d *draft.Definition) bool { return d.TextOf(methodKey) != "" }):
		i.d.Conv.Report.Layout = report.MarkedProtocol
		i.classifyMarked(all)
	}
	i.reach(all)
	i.d.NameTypes(all)
	for _, d := range all {
		if d.IsType {
			i.d.DeclareType(i.d.Conv.Names[d.Pointer], d.Cursor)
		}
		if p, name := draft.InlineParams(d); name != "" {
			i.d.DeclareType(i.d.Conv.Hoisted[p.Pointer], p)
		}
	}
	switch i.d.Conv.Report.Layout {
	case report.Protocol:
		i.protocol(all)
	case report.MarkedProtocol:
		i.markedMethods(all)
	}
}

// withRoot adds the schema that a file is besides its definitions, under its title or the name of the file.
func (i *reader) withRoot(root source.Cursor, all []*draft.Definition) []*draft.Definition {
	if !source.HasAny(root, source.Checks) {
		if len(all) == 0 && source.HasAny(root, []string{"$schema", "format", "default", "contentMediaType", "contentEncoding", "contentSchema"}) {
			return rootNamed(i.d.File, root) // it takes everything
		}
		if len(all) == 0 {
			i.d.Conv.Fault(root, "a source has $defs, definitions, openrpc or tools, or is itself a schema", "nothing to import")
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
	return append(rootNamed(i.d.File, root), all...)
}

// rootNamed is the schema that a file is, under its title or the name of the file.
func rootNamed(file string, root source.Cursor) []*draft.Definition {
	name := root.TextOf("title")
	if name == "" {
		name = strings.TrimSuffix(path.Base(file), path.Ext(file))
		name = strings.TrimSuffix(name, ".schema")
	}
	return []*draft.Definition{{Member: source.Member{Name: tree.JoinWords(name), Cursor: root}}}
}

// otherName is what a description in another format calls itself; empty if it is none that is known.
func otherName(root source.Cursor) string {
	for _, format := range []struct{ member, name, lacking string }{{"openapi", "OpenAPI", " without operations"}, {"swagger", "Swagger", " without operations"},
		{"asyncapi", "AsyncAPI", ""}, {"arazzo", "Arazzo", ""}} {
		if v, ok := root.Get(format.member); ok && v.Kind != ir.Object && v.Kind != ir.Array {
			return format.name + " " + v.Text + format.lacking
		}
	}
	if info, _ := root.Get("info"); info.Has("_postman_id") || strings.Contains(info.TextOf("schema"), "getpostman.com") {
		return "a collection of Postman"
	}
	if root.Has("domains") && root.Has("version") {
		return "a protocol of the Chrome DevTools"
	}
	if root.TextOf("kind") == "CustomResourceDefinition" {
		return "a " + root.TextOf("kind") + " of Kubernetes"
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
	if root.TextOf("kind") == "CustomResourceDefinition" {
		return "its schemas can be: put what stands under openAPIV3Schema of a version into a file of its own"
	}
	if root.Has("definitions") {
		return "its schemas can be: put what stands under definitions into a file of its own"
	}
	return "what is imported: JSON Schema, OpenRPC, OpenAPI, meta models of LSP, and the tools of MCP servers"
}

// classify finds out what the definitions are for.
func (i *reader) classify(all []*draft.Definition) {
	byName := map[string]*draft.Definition{}
	for _, d := range all {
		d.Role = roleOf(d)
		d.Method = methodOf(d.Cursor)
		byName[d.Pointer] = d
		if d.Name == "ClientResult" || d.Name == "ServerResult" {
			i.d.Conv.Decisions.Context[d.Pointer] = true // which of them it is follows from the request, and from nothing else
		}
	}
	w := wrapping{i.d, byName, map[*draft.Definition]bool{}}
	for _, d := range all {
		w.visit(d)
	}
}

// roleOf tells the role of a definition by its form.
func roleOf(d *draft.Definition) draft.Role {
	if _, ok := sideOf[d.Name]; ok {
		return draft.Side
	}
	names := draft.PropertyNames(d.Cursor)
	only := func(allowed ...string) bool {
		return len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(allowed, n) })
	}
	switch {
	case methodOf(d.Cursor) != "":
		if strings.HasSuffix(d.Name, "Notification") || strings.HasPrefix(methodOf(d.Cursor), "notifications/") {
			return draft.Notification
		}
		return draft.Request
	case slices.Contains(names, "method") && only("jsonrpc", "id", "method", "params"):
		return draft.Envelope
	case slices.Contains(names, "jsonrpc") && slices.Contains(names, "result") && only("jsonrpc", "id", "result"):
		return draft.Answer
	case isError(d.Cursor):
		return draft.ErrorObject
	case slices.Contains(names, "jsonrpc") && only("jsonrpc", "id", "error"):
		return draft.Envelope
	case slices.Contains(names, "code") && slices.Contains(names, "message") && only("code", "message", "data") && d.Name == "Error":
		return draft.Envelope
	}
	return draft.Ordinary
}

// methodOf is the constant method of a request or notification; empty when it is none.
func methodOf(s source.Cursor) string {
	m, _ := s.Path("properties", "method")
	method := constantOf(m)
	if method == "" {
		return ""
	}
	for _, name := range draft.PropertyNames(s) {
		if !slices.Contains([]string{"jsonrpc", "id", "method", "params"}, name) {
			return ""
		}
	}
	return method
}

// wrapping finds unions and lists of what is not a type, which are none either.
type wrapping struct {
	d       *draft.Draft
	all     map[string]*draft.Definition // by pointer
	visited map[*draft.Definition]bool
}

// visit gives a definition its role, after those that it refers to. What refers to itself is a type.
func (w wrapping) visit(d *draft.Definition) {
	if d.Role != draft.Ordinary || w.visited[d] {
		return
	}
	w.visited[d] = true
	if w.onlyWraps(d.Cursor) {
		d.Role = draft.Envelope
	}
}

// onlyWraps reports whether a definition joins nothing but requests, notifications and envelopes, alone or in batches.
func (w wrapping) onlyWraps(s source.Cursor) bool {
	if ref := s.TextOf("$ref"); ref != "" {
		target, found := w.d.Conv.Resolver.Base.Follow(strings.TrimPrefix(ref, "#"))
		d := w.all[target.Pointer]
		if !found || d == nil {
			return false
		}
		w.visit(d)
		return d.Role != draft.Ordinary
	}
	if items, ok := s.Get("items"); ok {
		return w.onlyWraps(items)
	}
	members := branchesOf(s)
	for _, m := range members {
		if !w.onlyWraps(m) {
			return false
		}
	}
	return len(members) > 0
}

// reach finds which definitions become types: the ordinary ones, and what those, the params and the results refer to.
func (i *reader) reach(all []*draft.Definition) {
	byPointer := map[string]*draft.Definition{}
	for _, d := range all {
		byPointer[d.Pointer] = d
	}
	var walk func(v source.Cursor)
	walk = func(v source.Cursor) {
		if ref := v.TextOf("$ref"); ref != "" {
			target, ok := i.d.Conv.Resolver.Base.Follow(strings.TrimPrefix(ref, "#"))
			if d := byPointer[target.Pointer]; ok && d != nil && !d.IsType {
				d.IsType = true
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
		switch d.Role {
		case draft.Ordinary:
			if !d.IsType {
				d.IsType = true
				walk(d.Cursor)
			}
		case draft.Request, draft.Notification:
			if p, ok := d.Path("properties", "params"); ok {
				walk(p)
			}
		case draft.Answer:
			if d.Name != "JSONRPCResponse" && d.Name != "JSONRPCResultResponse" {
				result, _ := d.Path("properties", "result")
				walk(result)
			}
		case draft.ErrorObject:
			walk(dataOf(d.Cursor))
		}
	}
}
