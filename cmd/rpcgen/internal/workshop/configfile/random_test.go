package configfile

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Random inputs are the same in each run, so that what fails has failed by a change; -rapid.seed=0 draws others.
func init() {
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "1000"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}

func text(s string) ir.Value { return ir.Value{Kind: ir.Text, Text: s} }

// entry is what is set, with an argument that needs quotes.
func entry(command string) ir.Value {
	return ir.Value{Kind: ir.Object, Fields: []ir.Member{
		{Name: "command", Value: text(command)},
		{Name: "args", Value: ir.Value{Kind: ir.Array, Items: []ir.Value{text("--db"), text("a \"b\" # c: d\\e // f")}}},
	}}
}

// written is a file that was made, and what it means.
type written struct {
	text  string
	means ir.Value
}

// maker makes files.
type maker struct {
	t     *rapid.T
	nl    string
	names int
}

func newMaker(t *rapid.T) *maker {
	return &maker{t: t, nl: rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "newline")}
}

func (m *maker) one(of ...string) string { return rapid.SampledFrom(of).Draw(m.t, "part") }
func (m *maker) chance(percent int) bool {
	return rapid.IntRange(1, 100).Draw(m.t, "chance") <= percent
}
func (m *maker) name() string {
	m.names++
	return fmt.Sprint(m.one("a", "server", "x-y", "Z_"), m.names)
}

// word is the text of a string.
func (m *maker) word() string {
	return m.one("", "x", "/usr/bin/a", "two words", "it's", `say "hi"`, "[office]", "mcp_servers.office", "# no comment", "// none", "a: b", "{", "},", "é", "back\\slash")
}

// scalar is a value that all formats write in the same way.
func (m *maker) scalar() ir.Value {
	return rapid.SampledFrom([]ir.Value{{Kind: ir.Boolean, Text: "true"}, {Kind: ir.Number, Text: "42"}, {Kind: ir.Number, Text: "-1.5"}, {Kind: ir.Text}}).Draw(m.t, "scalar")
}

func (m *maker) value() ir.Value {
	v := m.scalar()
	if v.Kind == ir.Text {
		v.Text = m.word()
	}
	return v
}

// blank is a blank or a comment between two parts of JSON.
func (m *maker) blank(indent string) string {
	switch rapid.IntRange(0, 9).Draw(m.t, "blank") {
	case 0:
		return " "
	case 1:
		return " /* " + m.one("c", "\"office\": {", "mcp }") + " */ "
	case 2:
		return " // " + m.one("mine", "}, \"office\": 1", "last") + m.nl + indent
	}
	return ""
}

// jsonObject makes an object, with comments, trailing commas, and members on one line or several.
func (m *maker) jsonObject(v ir.Value, indent, unit string) string {
	several := m.chance(80)
	var b strings.Builder
	b.WriteString("{" + m.blank(indent+unit))
	for i, f := range v.Fields {
		if several {
			if m.chance(10) {
				b.WriteString(m.nl)
			}
			b.WriteString(m.nl + indent + unit)
		}
		b.WriteString(quoteJSON(f.Name) + m.blank(indent) + ":" + m.one("", " "))
		if f.Value.Kind == ir.Object {
			b.WriteString(m.jsonObject(f.Value, indent+unit, unit))
		} else {
			b.WriteString(f.Value.String())
		}
		b.WriteString(m.blank(indent + unit))
		if i+1 < len(v.Fields) || m.chance(20) {
			b.WriteString(",")
		}
		b.WriteString(m.blank(indent + unit))
	}
	if several {
		b.WriteString(m.nl + indent)
	}
	return b.String() + "}"
}

// servers makes the meaning of a file: settings around the servers, which may be missing or empty.
func (m *maker) servers(parent string, inner func() ir.Value) ir.Value {
	root := ir.Value{Kind: ir.Object}
	add := func(v *ir.Value, name string, value ir.Value) {
		v.Fields = append(v.Fields, ir.Member{Name: name, Value: value})
	}
	for range rapid.IntRange(0, 3).Draw(m.t, "before") {
		add(&root, m.name(), inner())
	}
	if m.chance(85) {
		all := ir.Value{Kind: ir.Object}
		for range rapid.IntRange(0, 3).Draw(m.t, "servers") {
			one := ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "command", Value: text(m.word())}}}
			if m.chance(50) {
				add(&one, "timeout", m.value())
			}
			add(&all, m.name(), one)
		}
		add(&root, parent, all)
	}
	for range rapid.IntRange(0, 2).Draw(m.t, "after") {
		add(&root, m.name(), inner())
	}
	return root
}

func (m *maker) json() written {
	unit := m.one("  ", "    ", "\t")
	v := m.servers("mcpServers", func() ir.Value {
		if m.chance(30) {
			return ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "office", Value: m.value()}}}
		}
		return m.value()
	})
	return written{m.one("", "", "\ufeff") + m.one("", "// settings"+m.nl) + m.jsonObject(v, "", unit) + m.one("", m.nl), v}
}

// toml makes the servers as tables with headers, other tables around them, and strings that look like headers.
func (m *maker) toml() written {
	v := m.servers("mcp_servers", m.value)
	var b strings.Builder
	b.WriteString(m.one("", "\ufeff", "# settings"+m.nl))
	line := func(name string, v ir.Value) {
		value := tomlValue(v)
		if v.Kind == ir.Text && !strings.ContainsAny(v.Text, "'\\") && m.chance(30) {
			value = m.one("'"+v.Text+"'", "'''"+v.Text+"'''")
		}
		b.WriteString(m.one("", "  ") + tomlKeys([]string{name}) + m.one(" = ", "=") + value + m.one("", " # mine", "\t# [mcp_servers.office]") + m.nl)
	}
	if tables := v.In("mcp_servers"); tables != nil && len(tables.Fields) == 0 { // without a header, it is not there
		v = without(v, []string{"mcp_servers"})
	}
	var tables []ir.Member
	for _, f := range v.Fields { // keys of the root stand before all headers
		if f.Value.Kind == ir.Object {
			tables = f.Value.Fields
			continue
		}
		line(f.Name, f.Value)
	}
	for i, one := range tables {
		b.WriteString(m.one("", m.nl) + "[mcp_servers." + tomlKeys([]string{one.Name}) + "]" + m.one("", " # its table") + m.nl)
		for _, f := range one.Value.Fields {
			line(f.Name, f.Value)
		}
		if m.chance(30) {
			b.WriteString("list = [" + m.nl + "  1, # [mcp_servers.office]" + m.nl + "  2," + m.nl + "]" + m.nl)
			tables[i].Value.Fields = append(one.Value.Fields, ir.Member{Name: "list", Value: ir.Value{Kind: ir.Array, Items: []ir.Value{{Kind: ir.Number, Text: "1"}, {Kind: ir.Number, Text: "2"}}}})
		}
	}
	if m.chance(40) {
		name := m.name()
		b.WriteString(m.nl + "# other" + m.nl + "[" + name + "]" + m.nl + "note = \"\"\"" + m.nl + "[mcp_servers.office]" + m.nl + "\"\"\"" + m.nl)
		v.Fields = append(v.Fields, ir.Member{Name: name, Value: ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "note", Value: text("[mcp_servers.office]" + m.nl)}}}})
	}
	whole := b.String()
	if m.chance(20) {
		whole = strings.TrimRight(whole, "\r\n")
	}
	return written{whole, v}
}

// yaml makes block mappings, with comments, and texts in blocks that look like entries.
func (m *maker) yaml() written {
	v := m.servers("extensions", m.value)
	var b strings.Builder
	b.WriteString(m.one("", "# settings"+m.nl, "---"+m.nl))
	line := func(indent, name string, v *ir.Value) {
		switch {
		case v.Kind == ir.Text && m.chance(20):
			v.Text = "office: {" + "\n" + "# no comment" + "\n"
			b.WriteString(indent + name + ": |" + m.nl + indent + "  office: {" + m.nl + indent + "  # no comment" + m.nl)
			return
		case v.Kind == ir.Text && !strings.Contains(v.Text, "'") && m.chance(30):
			b.WriteString(indent + name + ": '" + v.Text + "'")
		default:
			b.WriteString(indent + name + ": " + yamlFlow(*v))
		}
		b.WriteString(m.one("", " # mine", "  # office: {}") + m.nl + m.one("", "", m.nl, indent+"# next"+m.nl))
	}
	unit := m.one("  ", "    ")
	for i := range v.Fields {
		f := &v.Fields[i]
		if f.Value.Kind != ir.Object {
			line("", f.Name, &f.Value)
			continue
		}
		b.WriteString(f.Name + ":" + m.one("", " # servers") + m.nl + m.one("", unit+"# first"+m.nl))
		for j := range f.Value.Fields {
			one := &f.Value.Fields[j]
			b.WriteString(unit + one.Name + ":" + m.nl)
			for k := range one.Value.Fields {
				line(unit+"  ", one.Value.Fields[k].Name, &one.Value.Fields[k].Value)
			}
		}
	}
	return written{b.String(), v}
}

var formats = map[Format]struct {
	path []string
	make func(*maker) written
}{
	JSONC: {[]string{"mcpServers", "office"}, (*maker).json},
	TOML:  {[]string{"mcp_servers", "office"}, (*maker).toml},
	YAML:  {[]string{"extensions", "office"}, (*maker).yaml},
}

// TestRandomFiles: in files with comments, tabs, line ends of both kinds, byte order marks and trailing commas, an entry is added without a change to any
// other byte; the file means what it meant, and has the entry. Adding it twice is adding it once, another one replaces it, and removing it gives the bytes
// back, but for blanks, and for the object that it was in, if that was missing.
func TestRandomFiles(t *testing.T) {
	for f, one := range formats {
		t.Run(string(f), rapid.MakeCheck(func(t *rapid.T) {
			w := one.make(newMaker(t))
			old := []byte(w.text)
			if got, err := editorOf(f).parse(old); err != nil || canonical(got) != canonical(w.means) {
				t.Fatalf("%s\nmeans %s, want %s: %v", old, got, w.means, err)
			}
			added, err := Set(f, old, one.path, entry("/bin/office"), nil)
			if err != nil {
				t.Fatalf("%s\n%v", old, err)
			}
			if fault := inserted(old, added); fault != "" {
				t.Fatalf("%s\n%s", fault, added)
			}
			independent(t, f, added, one.path)
			if twice, err := Set(f, added, one.path, entry("/bin/office"), nil); err != nil || !bytes.Equal(twice, added) {
				t.Fatalf("twice:\n%s\n%v", twice, err)
			}
			other, err := Set(f, added, one.path, entry("/bin/other"), nil)
			if want := bytes.Replace(added, []byte("/bin/office"), []byte("/bin/other"), 1); err != nil || !bytes.Equal(other, want) {
				t.Fatalf("replaced:\n%s\n%v", other, err)
			}
			removed, found, err := Remove(f, added, one.path)
			if err != nil || !found {
				t.Fatalf("removed from\n%s\n%v", added, err)
			}
			if at := w.means.In(one.path[0]); at != nil && len(at.Fields) > 0 && !bytes.Equal(bytes.Join(bytes.Fields(removed), nil), bytes.Join(bytes.Fields(old), nil)) {
				t.Fatalf("removed:\n%q\nfrom\n%q\nold\n%q", removed, added, old)
			}
		}))
	}
}

// inserted reports what is wrong if a text is not another one with one part more, and perhaps a comma before it, or a line end.
func inserted(old, new []byte) string {
	i := common(old, new)
	rest, at := new[i:], i
	if len(rest) > 0 && rest[0] == ',' {
		n := common(old[i:], rest[1:])
		rest, at = rest[1+n:], i+n
	}
	if !bytes.HasSuffix(rest, old[at:]) {
		return fmt.Sprintf("more has changed after %q: %q", old[:at], old[at:])
	}
	if chunk := rest[:len(rest)-len(old[at:])]; len(chunk) > 250 {
		return fmt.Sprintf("%q was added", chunk)
	}
	return ""
}

func common(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// tokens are those of JSON with comments: strings, comments, and all else character by character.
var tokens = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|.`)

var trailing = regexp.MustCompile(`,(\s*[}\]])`)

// independent checks by readers of others that the entry is there.
func independent(t *rapid.T, f Format, content []byte, path []string) {
	var v any
	var err error
	switch f {
	case JSONC:
		plain := tokens.ReplaceAllStringFunc(strings.TrimPrefix(string(content), "\ufeff"), func(s string) string {
			switch {
			case strings.HasPrefix(s, "//") || strings.HasPrefix(s, "/*"):
				return ""
			case s[0] == '"': // so that commas in strings are not trailing ones
				return strings.NewReplacer(",", `\u002c`).Replace(s)
			}
			return s
		})
		err = json.Unmarshal([]byte(trailing.ReplaceAllString(plain, "$1")), &v)
	case YAML:
		err = yaml.Unmarshal(content, &v)
	default:
		return // there is no other reader of TOML in this module
	}
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	if got, _ := json.Marshal(v); err != nil || string(got) != `{"args":["--db","a \"b\" # c: d\\e // f"],"command":"/bin/office"}` {
		t.Fatalf("%s: %v\n%s", got, err, content)
	}
}
