package tools

import (
	"cmp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// metaServerInfo is the key under `_meta` of a result where servers without a handshake say who they are.
const metaServerInfo = "io.modelcontextprotocol/serverInfo"

// server imports what a server says of itself, in a list or in what rpcgen import has asked it.
func (l *toolsList) server(root source.Cursor) {
	info, ok := root.Get("serverInfo")
	if !ok {
		info, _ = root.Path("_meta", metaServerInfo)
	}
	said := tree.Mapping()
	setTexts(said, info, "title", "description", "websiteUrl")
	setTexts(said, root, "instructions")
	l.icons(said, info)
	l.ignoreOthers(info, "Implementation")
	server := tree.With("name", tree.Text(cmp.Or(info.TextOf("name"), serverName(l.d.File))))
	tree.Set(server, "version", tree.Text(cmp.Or(info.TextOf("version"), unknownVersion)))
	tree.Each(said, func(key, value *yaml.Node) {
		at, ok := info.Get(key.Value)
		if !ok {
			at, _ = root.Get(key.Value)
		}
		l.d.ListedAt["server/"+key.Value] = at
		if why := l.d.Conv.Decisions.Refused[at.Pointer]; why != nil {
			l.d.Conv.Report.Refused = append(l.d.Conv.Report.Refused, report.Refusal{Kind: "member of the server", Name: key.Value, Pointer: why.Pointer,
				Reason: why.Message})
			return
		}
		tree.Set(server, key.Value, value)
	})
	tree.SetSome(server, "listed", tree.Text(l.o.Listed))
	tree.Set(l.d.Doc.Head, "server", server)
	l.ignoreOthers(root, "ListToolsResult")
	subscribe, _ := root.Path("capabilities", "resources", "subscribe")
	l.subscribed = subscribe.Text == "true"
}

// resource imports one resource, or one template of resources. The list says nothing of its content but the media type.
func (l *toolsList) resource(one source.Cursor) {
	kind := "resource"
	if one.Has("uriTemplate") {
		kind = "resource template"
	}
	name, ok := l.entryName(kind, "resources", one)
	if !ok {
		return
	}
	m := tree.Mapping()
	setTexts(m, one, "title", "description", "uri", "uriTemplate", "mimeType")
	tree.Set(m, "content", tree.Text("any"))
	if l.subscribed {
		tree.Set(m, "subscribe", tree.Plain("true"))
	}
	if size, ok := one.Get("size"); ok {
		tree.Set(m, "size", tree.Value(size.Value))
	}
	l.annotations(m, one)
	l.icons(m, one)
	if meta, ok := one.Get("_meta"); ok {
		tree.Set(m, "meta", tree.Value(meta.Value))
	}
	l.ignoreOthers(one, "Resource")
	l.d.Declare("resources", name, m, one)
}

// annotations are who a resource is for, and how much it matters.
func (l *toolsList) annotations(m *yaml.Node, one source.Cursor) {
	known := tree.Mapping()
	for _, a := range one.MembersOf("annotations") {
		if Fields().Of("Annotations", a.Name).Use == source.Used {
			tree.Set(known, a.Name, tree.Value(a.Value))
		}
	}
	tree.SetSome(m, "annotations", known)
}

// prompt imports one prompt. Its arguments are text.
func (l *toolsList) prompt(one source.Cursor) {
	name, ok := l.entryName("prompt", "prompts", one)
	if !ok {
		return
	}
	m, fields := tree.Mapping(), tree.Mapping()
	setTexts(m, one, "title", "description")
	for _, argument := range one.ElementsOf("arguments") {
		key := argument.TextOf("name")
		if key == "" || strings.HasSuffix(key, "?") || tree.Get(fields, key) != nil || tree.Get(fields, key+"?") != nil {
			l.d.Conv.Fault(argument, "", "an argument of a prompt needs a name of its own, which does not end in ?")
			return
		}
		field := tree.With("type", tree.Text("string"))
		setTexts(field, argument, "title", "description")
		if required, _ := argument.Get("required"); required.Kind != ir.Boolean || required.Text != "true" {
			key += "?"
		}
		tree.Set(fields, key, convert.Short(field, convert.Inner))
	}
	tree.SetSome(m, "arguments", fields)
	l.icons(m, one)
	l.ignoreOthers(one, "Prompt")
	l.d.Declare("prompts", name, tree.NilIfEmpty(m), one)
}
