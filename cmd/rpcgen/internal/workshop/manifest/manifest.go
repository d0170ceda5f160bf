// Package manifest writes the files that MCP servers are published with: server.json of the MCP Registry, and manifest.json of an MCP
// Bundle. What the schema says goes into them; what it does not know, such as where the server can be got, stays as it stands in the file.
//
//test:sequential
package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Options are what a schema does not know. Empty ones leave what stands in the file.
type Options struct {
	Old     []byte // the file as it is; empty if there is none
	Name    string // of server.json: a reverse DNS name, a slash and a name, such as io.github.octo/shop
	Author  string // of manifest.json
	Command string // of manifest.json: the program's path in the bundle, without .exe; empty in a new file: server/NAME

	Programs  map[string]string // of manifest.json: in place of Command, the program's path for darwin, linux and win32; nil if it is not known
	Arguments []string          // of manifest.json, with Programs: those of the program, unless the file has some
	Packages  []Package         // of server.json; packages of other types stay
}

// Package is where a server can be got.
type Package struct {
	Type       string // mcpb or oci
	Identifier string // the URL of a bundle, or the reference of an image
	SHA256     string // of a bundle, in hexadecimal; empty for an image
}

// registrySchema is the version of server.json that is written, unless the file names one.
const registrySchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// registryName is what the registry takes as the name of a server.
var registryName = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)

// The limits of server.json, in characters.
const (
	longestWords = 100 // of a title and a description
	longestURL   = 255 // of an icon
)

// Registry returns server.json.
func Registry(doc *ir.Document, o Options) ([]byte, error) {
	m, err := begin(doc, o.Old)
	if err != nil {
		return nil, err
	}
	m.say("$schema", registrySchema)
	m.setText("name", o.Name)
	if name := m.text("name"); !registryName.MatchString(name) {
		return nil, fmt.Errorf("the registry knows a server by a reverse DNS name, a slash and a name, such as io.github.octo/%s, not by %q: give --name",
			doc.Server.Name, name)
	}
	if utf8.RuneCountInString(doc.Server.Title) > longestWords {
		return nil, fmt.Errorf("the title has more than %d characters, which server.json does not allow: shorten server.title", longestWords)
	}
	m.setText("title", doc.Server.Title)
	words := firstSentence(doc.Doc)
	switch {
	case words != "" && utf8.RuneCountInString(words) <= longestWords:
		m.set("description", text(words))
	case m.text("description") != "":
	case words == "":
		return nil, errors.New("server.json needs a description: add description to the schema")
	default:
		return nil, fmt.Errorf("the first sentence of the description has more than %d characters, which server.json does not allow: shorten it, or write a "+
			"description into server.json", longestWords)
	}
	m.set("version", text(doc.Server.Version))
	m.setText("websiteUrl", doc.Server.Website)
	var icons []ir.Value
	for _, icon := range doc.Server.Icons {
		if strings.HasPrefix(icon.Src, "https://") && len(icon.Src) <= longestURL {
			icons = append(icons, registryIcon(icon))
		}
	}
	m.list("icons", icons)
	m.packages(o.Packages)
	return m.write()
}

// packages sets where a server can be got. What else the file says of a package, such as its environment, stays.
func (o *object) packages(all []Package) {
	var items []ir.Value
	if v := o.find("packages"); v != nil {
		items = v.Items
	}
	for _, p := range all {
		at := slices.IndexFunc(items, func(v ir.Value) bool { return (*object)(&v.Fields).text("registryType") == p.Type })
		if at < 0 {
			at, items = len(items), append(items, ir.Value{})
		}
		v := object(items[at].Fields)
		v.set("registryType", text(p.Type))
		v.set("identifier", text(p.Identifier))
		v.setText("fileSha256", p.SHA256)
		if !v.has("transport") {
			v.set("transport", object{{Name: "type", Value: text("stdio")}}.value())
		}
		items[at] = v.value()
	}
	o.list("packages", items)
}

func registryIcon(icon ir.Icon) ir.Value {
	var v object
	v.set("src", text(icon.Src))
	v.setText("mimeType", icon.MIMEType)
	v.list("sizes", ir.TextList(icon.Sizes...).Items)
	v.setText("theme", icon.Theme)
	return v.value()
}

// bundleVersion is the version of manifest.json that is written.
const bundleVersion = "0.3"

// Bundle returns manifest.json.
func Bundle(doc *ir.Document, o Options) ([]byte, error) {
	m, err := begin(doc, o.Old)
	if err != nil {
		return nil, err
	}
	m.say("manifest_version", bundleVersion)
	m.set("name", text(doc.Server.Name))
	m.setText("display_name", doc.Server.Title)
	m.set("version", text(doc.Server.Version))
	if words := firstSentence(doc.Doc); words != "" {
		m.set("description", text(words))
		if rest := strings.TrimSpace(doc.Doc); rest != words {
			m.set("long_description", text(rest))
		}
	}
	if o.Author != "" {
		m.set("author", object{{Name: "name", Value: text(o.Author)}}.value())
	}
	if o.Programs != nil {
		m.programs(o.Programs, o.Arguments)
		m.inner("compatibility", func(c *object) { c.list("platforms", ir.TextList("darwin", "linux", "win32").Items) })
	} else {
		m.program(doc.Server.Name, o.Command)
	}
	var icons, tools []ir.Value
	for _, icon := range doc.Server.Icons {
		if strings.HasPrefix(icon.Src, "https://") {
			icons = append(icons, bundleIcons(icon)...)
		}
	}
	m.list("icons", icons)
	for _, t := range doc.Tools {
		tool := object{{Name: "name", Value: text(t.Name)}}
		tool.setText("description", t.Doc)
		tools = append(tools, tool.value())
	}
	m.list("tools", tools)
	if len(doc.Prompts) > 0 {
		m.set("prompts_generated", ir.Value{Kind: ir.Boolean, Text: "true"}) // their texts are made at run time
	}
	for _, name := range []string{"description", "author"} {
		if !m.has(name) {
			return nil, fmt.Errorf("manifest.json needs %s: add description to the schema, and give --author", name)
		}
	}
	return m.write()
}

// program says how the server is started, unless the file says it.
func (o *object) program(name, command string) {
	if command == "" {
		if o.has("server") {
			return
		}
		command = "server/" + name
	}
	o.set("server", object{}.value())
	o.programs(map[string]string{"darwin": command, "win32": command + ".exe"}, nil)
}

// programs says how the server is started on each system with a program of its own. Arguments and environment that the file has stay.
func (o *object) programs(paths map[string]string, arguments []string) {
	run := func(o *object, system string) { o.set("command", text("${__dirname}/"+paths[system])) }
	o.inner("server", func(server *object) {
		server.set("type", text("binary"))
		server.set("entry_point", text(paths["darwin"]))
		server.inner("mcp_config", func(config *object) {
			run(config, "darwin")
			if !config.has("args") {
				config.set("args", ir.TextList(arguments...))
			}
			config.inner("platform_overrides", func(all *object) {
				for _, system := range []string{"linux", "win32"} {
					if paths[system] != "" {
						all.inner(system, func(one *object) { run(one, system) })
					}
				}
			})
		})
	})
}

// inner changes an object that is a member; one that is not there is made.
func (o *object) inner(name string, change func(*object)) {
	var v object
	if old := o.find(name); old != nil {
		v = old.Fields
	}
	change(&v)
	o.set(name, v.value())
}

// bundleIcons are an icon in each of its sizes; one without a size cannot be said.
func bundleIcons(icon ir.Icon) []ir.Value {
	var all []ir.Value
	for _, size := range icon.Sizes {
		if width, height, ok := strings.Cut(size, "x"); !ok || !whole(width) || !whole(height) {
			continue // any
		}
		v := object{{Name: "src", Value: text(icon.Src)}, {Name: "size", Value: text(size)}}
		v.setText("theme", icon.Theme)
		all = append(all, v.value())
	}
	return all
}

func whole(s string) bool {
	_, err := strconv.ParseUint(s, 10, 32)
	return err == nil
}

// begin begins with the file as it is.
func begin(doc *ir.Document, old []byte) (*object, error) {
	if doc.Server == nil {
		return nil, errors.New("the schema declares no MCP server: add server")
	}
	if len(bytes.TrimSpace(old)) == 0 {
		return new(object), nil
	}
	v, err := ir.ParseJSON(old)
	if err == nil && v.Kind != ir.Object {
		err = errors.New("it is not an object")
	}
	if err != nil {
		return nil, fmt.Errorf("the file that --out names is kept where the schema says nothing, and cannot be read: %w", err)
	}
	o := object(v.Fields)
	return &o, nil
}

// object is a JSON object whose members keep their order.
type object []ir.Member

// find returns the value of a member; nil if it is not there.
func (o *object) find(name string) *ir.Value {
	return (&ir.Value{Kind: ir.Object, Fields: *o}).In(name)
}

func (o *object) has(name string) bool { return o.find(name) != nil }

// text returns what a member says; "" if it is not there.
func (o *object) text(name string) string {
	if v := o.find(name); v != nil {
		return v.Text
	}
	return ""
}

func (o *object) set(name string, v ir.Value) {
	if old := o.find(name); old != nil {
		*old = v
		return
	}
	*o = append(*o, ir.Member{Name: name, Value: v})
}

// setText sets a text that is not empty.
func (o *object) setText(name, s string) {
	if s != "" {
		o.set(name, text(s))
	}
}

// say sets a text unless there is one.
func (o *object) say(name, s string) {
	if !o.has(name) {
		o.set(name, text(s))
	}
}

// list sets a list that has elements.
func (o *object) list(name string, items []ir.Value) {
	if len(items) > 0 {
		o.set(name, ir.Value{Kind: ir.Array, Items: items})
	}
}

func (o object) value() ir.Value { return ir.Value{Kind: ir.Object, Fields: o} }

func (o object) write() ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(o.value().String()), "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func text(s string) ir.Value { return ir.Value{Kind: ir.Text, Text: s} }

// firstSentence returns the first sentence of a description, in one line.
func firstSentence(doc string) string {
	paragraph, _, _ := strings.Cut(strings.TrimSpace(doc), "\n\n")
	words := strings.Join(strings.Fields(paragraph), " ")
	if i := strings.Index(words, ". "); i >= 0 {
		return words[:i+1]
	}
	return words
}
