package configfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// small is an entry with one member.
var small = ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "command", Value: text("x")}, {Name: "args", Value: ir.Value{Kind: ir.Array}}}}

func pathOf(f Format) []string {
	switch f {
	case TOML:
		return []string{"mcp_servers", "office"}
	case YAML:
		return []string{"extensions", "office"}
	}
	return []string{"mcpServers", "office"}
}

// TestSet shows how files become others.
func TestSet(t *testing.T) {
	for _, c := range []struct {
		format    Format
		name      string
		old, want string
	}{
		{JSON, "no file", "", "{\n  \"mcpServers\": {\n    \"office\": {\n      \"command\": \"x\",\n      \"args\": []\n    }\n  }\n}\n"},
		{JSON, "a byte order mark alone", "\ufeff", "\ufeff{\n  \"mcpServers\": {\n    \"office\": {\n      \"command\": \"x\",\n      \"args\": []\n    }\n  }\n}\n"},
		{JSON, "no members", "{}", "{\n  \"mcpServers\": {\n    \"office\": {\n      \"command\": \"x\",\n      \"args\": []\n    }\n  }\n}"},
		{JSON, "one line", `{"mcpServers":{"a":{}}}`, `{"mcpServers":{"a":{}, "office": {"command": "x", "args": []}}}`},
		{JSONC, "comments", "{\n\t// mine\n\t\"mcpServers\": {\n\t\t\"a\": {} // last\n\t\t// end\n\t}\n}\n",
			"{\n\t// mine\n\t\"mcpServers\": {\n\t\t\"a\": {}, // last\n\t\t\"office\": {\n\t\t\t\"command\": \"x\",\n\t\t\t\"args\": []\n\t\t}\n\t\t// end\n\t}\n}\n"},
		{JSONC, "a trailing comma", "{\r\n  \"mcpServers\": {\r\n    \"a\": {},\r\n  },\r\n}\r\n",
			"{\r\n  \"mcpServers\": {\r\n    \"a\": {},\r\n    \"office\": {\r\n      \"command\": \"x\",\r\n      \"args\": []\r\n    },\r\n  },\r\n}\r\n"},
		{JSONC, "an entry with more", `{"mcpServers": {"office": {"command": "y" /* old */, "alwaysAllow": ["a"], "url": "u"}}}`,
			`{"mcpServers": {"office": {"command": "x" /* old */, "alwaysAllow": ["a"], "args": []}}}`},
		{JSONC, "an escaped name", `{"mcpServers": {"\u006fffice": {"command": "x", "args": []}}}`, `{"mcpServers": {"\u006fffice": {"command": "x", "args": []}}}`},
		{TOML, "no file", "", "[mcp_servers.office]\ncommand = \"x\"\nargs = []\n"},
		{TOML, "no line end", "model = \"m\" # mine", "model = \"m\" # mine\n\n[mcp_servers.office]\ncommand = \"x\"\nargs = []\n"},
		{TOML, "an entry with more", "[mcp_servers.office]\ncommand = 'y' # old\nstartup_timeout_sec = 5\nurl = \"u\"\n\n[a]\n",
			"[mcp_servers.office]\ncommand = \"x\" # old\nstartup_timeout_sec = 5\nargs = []\n\n[a]\n"},
		{TOML, "a quoted header", "[mcp_servers.\"office\"]\ncommand = \"y\"\n", "[mcp_servers.\"office\"]\ncommand = \"x\"\nargs = []\n"},
		{TOML, "a value of several lines", "[mcp_servers.office]\ncommand = \"x\"\nargs = [\n  'a', # b\n]\n", "[mcp_servers.office]\ncommand = \"x\"\nargs = []\n"},
		{TOML, "dates and arrays of tables", "[[a]]\nat = 1979-05-27 07:32:00Z\n[[a]]\nb.c = {d = 1, e.f = [0x1F]}\n",
			"[[a]]\nat = 1979-05-27 07:32:00Z\n[[a]]\nb.c = {d = 1, e.f = [0x1F]}\n\n[mcp_servers.office]\ncommand = \"x\"\nargs = []\n"},
		{YAML, "no file", "", "extensions:\n  office:\n    command: x\n    args: []\n"},
		{YAML, "comments only", "# mine\n", "# mine\nextensions:\n  office:\n    command: x\n    args: []\n"},
		{YAML, "no entries", "extensions: # none\nother: 1", "extensions: # none\n  office:\n    command: x\n    args: []\nother: 1\n"},
		{YAML, "an entry with more", "extensions:\n    office: # ours\n        args:\n        - a\n        - b\n        # how long\n        timeout: 300\n        command: y # old\n",
			"extensions:\n    office: # ours\n        args: []\n        # how long\n        timeout: 300\n        command: x # old\n"},
		{YAML, "a block at the end", "extensions:\n  a:\n    about: |+\n      # text\n\n\nother: 1\n", "extensions:\n  office:\n    command: x\n    args: []\n  a:\n    about: |+\n      # text\n\n\nother: 1\n"},
		{YAML, "an anchor elsewhere", "a: &a {b: 1}\nc: *a\nextensions:\n  d:\n    <<: *a\n", "a: &a {b: 1}\nc: *a\nextensions:\n  office:\n    command: x\n    args: []\n  d:\n    <<: *a\n"},
	} {
		t.Run(string(c.format)+" "+c.name, func(t *testing.T) {
			got, err := Set(c.format, []byte(c.old), pathOf(c.format), small, []string{"url"})
			if err != nil || string(got) != c.want {
				t.Fatalf("%v\ngot  %q\nwant %q", err, got, c.want)
			}
			if twice, err := Set(c.format, got, pathOf(c.format), small, []string{"url"}); err != nil || string(twice) != c.want {
				t.Errorf("twice: %v\n%s", err, twice)
			}
		})
	}
}

// TestShapes: what is not understood is an error with its place, for setting and for removing.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		format    Format
		old, want string
	}{
		{JSONC, "{\n  \"mcpServers\": {\"office\": {}, \"office\": {}}}", "2:32: mcpServers.office stands here a second time"},
		{JSONC, "{\"mcpServers\": {}, \"mcpServers\": {\"a\": {}}}", "1:20: mcpServers stands here a second time"},
		{JSONC, `{"mcpServers": []}`, "[] is not an object that can have a member office"},
		{JSONC, `{"mcpServers": null}`, "1:16: mcpServers is not an object"},
		{JSONC, `{"mcpServers": {"office": "x"}}`, `mcpServers.office is "x" where`},
		{JSONC, `[]`, "1:1: the file is not an object"},
		{JSONC, `{"a": 1 "b": 2}`, `1:9: a comma or "}" is expected here`},
		{JSONC, `{"a": 1,, "b": 2}`, `1:9: a name in quotes is expected here`},
		{JSONC, `{a: 1}`, "1:2: a name in quotes is expected here"},
		{JSONC, `{"a": tru}`, "1:7: a value is expected here"},
		{JSONC, `{"a": "x}`, "1:7: the string does not end"},
		{JSONC, `{"a": "\x"}`, "1:7: this is not a string of JSON"},
		{JSONC, `{"a": /* x }`, "1:7: the comment does not end"},
		{JSONC, `{"a" 1}`, "1:6: a colon is expected here"},
		{JSONC, `{} x`, "1:4: the file goes on after its value"},
		{JSONC, "{\"a\": \"\xff\"}", "the file is not valid UTF-8"},
		{JSONC, strings.Repeat(`{"a":`, 600), "values are nested too deep"},
		{TOML, "[mcp_servers]\noffice = {command = \"y\"}\n", "mcp_servers.office is not written as a table with the header [mcp_servers.office]"},
		{TOML, "mcp_servers = {a = {}}\n", "1:1: mcp_servers is not written as tables with headers, such as [mcp_servers.office]"},
		{TOML, "mcp_servers.a.command = 'x'\n", "1:1: mcp_servers is not written as tables with headers"},
		{TOML, "mcp_servers.office.command = 'y'\n", "mcp_servers.office is not written as a table"},
		{TOML, "[[mcp_servers]]\na = 1\n", "is not an object that can have a member office"},
		{TOML, "[mcp_servers.office]\n[mcp_servers.office]\n", "2:1: mcp_servers.office stands here a second time"},
		{TOML, "[mcp_servers.office]\na = 1\na = 2\n", "3:1: a stands here a second time"},
		{TOML, "a = 1 b = 2\n", "1:7: the line should end here"},
		{TOML, "a = \n", "1:5: a value is expected here"},
		{TOML, "a = \"x\n", "1:5: the string does not end"},
		{TOML, "a = '''x\n", "1:5: the string does not end"},
		{TOML, "a = \"\\q\"\n", "1:5: the string has an escape"},
		{TOML, "a = \"\\u12\"\n", "1:5: the string has an escape"},
		{TOML, "a = 1__0\n", "1:5: a value is expected here"},
		{TOML, "[a\n", `1:3: "]" is expected here`},
		{TOML, "a\n", "1:2: = is expected here"},
		{TOML, "= 1\n", "1:1: a key is expected here"},
		{TOML, "a = [1 2]\n", "1:8: a comma or ] is expected here"},
		{TOML, "a = {b = 1 c = 2}\n", "1:12: a comma or } is expected here"},
		{TOML, "a = {b = 1, b = 2}\n", "1:18: b stands here a second time"},
		{TOML, "a = {b = 1, b.c = 2}\n", "1:20: b.c stands here a second time"},
		{TOML, "a = {b.c = 1, b = 2}\n", "1:20: b stands here a second time"},
		{TOML, "a = " + strings.Repeat("[", 600), "values are nested too deep"},
		{YAML, "extensions: {a: {}}\n", "1:13: extensions is written in braces"},
		{YAML, "{extensions: {}}\n", "1:1: the file is written in braces"},
		{YAML, "extensions:\n  office: {cmd: y}\n", "2:11: extensions.office is written in braces"},
		{YAML, "extensions:\n  office:\n    cmd: y\n  office:\n    cmd: z\n", "4:3: extensions.office stands here a second time"},
		{YAML, "extensions: &x\n  a: {}\n", "is not an object"},
		{YAML, "extensions: []\n", "is not an object"},
		{YAML, "- a\n", "1:1: the file is not a mapping"},
		{YAML, "a: 1\n---\nb: 2\n", "the file has several documents"},
		{YAML, "a: b: c\n", "mapping values are not allowed"},
		{YAML, "a: [1\n", "1: did not find expected"},
		{YAML, "a: |\n  x", "the entry cannot be changed without changing something else"},
	} {
		got, err := Set(c.format, []byte(c.old), pathOf(c.format), small, nil)
		shape, ok := errors.AsType[*ShapeError](err)
		if !ok || got != nil || !strings.Contains(shape.Error(), c.want) {
			t.Errorf("%.60q: got %q, %v; want %s", c.old, got, err, c.want)
		}
	}
}

// TestRemove shows what is left.
func TestRemove(t *testing.T) {
	for _, c := range []struct {
		format    Format
		old, want string
	}{
		{JSONC, "{\n  \"mcpServers\": {\n    \"office\": {}\n  }\n}", "{\n  \"mcpServers\": {\n  }\n}"},
		{JSONC, "{\"mcpServers\": {\"office\": {}, \"a\": 1}}", "{\"mcpServers\": {\"a\": 1}}"},
		{JSONC, "{\"mcpServers\": {\"a\": 1, \"office\": {}}}", "{\"mcpServers\": {\"a\": 1}}"},
		{JSONC, "{\"mcpServers\": { // mine\n\"office\": {}, \"a\": 1}}", "{\"mcpServers\": { // mine\n\"a\": 1}}"},
		{TOML, "a = 1\n\n[mcp_servers.office]\nx = 1\n# next\n[mcp_servers.office.env]\ny = 2\n\n# b\n[b]\n", "a = 1\n# next\n\n# b\n[b]\n"},
		{YAML, "extensions:\n  office:\n    a: 1\n\n    # in it\n  # next\n  b:\n    c: 1\n", "extensions:\n  # next\n  b:\n    c: 1\n"},
		{YAML, "extensions:\n  office:\n    a: 1\n", "extensions:\n"},
	} {
		if got, found, err := Remove(c.format, []byte(c.old), pathOf(c.format)); err != nil || !found || string(got) != c.want {
			t.Errorf("%q: got %q, %v", c.old, got, err)
		}
	}
	for f, old := range map[Format]string{JSONC: `{"mcpServers": {}}`, TOML: "", YAML: "extensions:\n"} {
		if got, found, err := Remove(f, []byte(old), pathOf(f)); err != nil || found || string(got) != old {
			t.Errorf("%s: %q, %v, %v", f, got, found, err)
		}
	}
}

// TestLarge: the cost follows the size of a file.
func TestLarge(t *testing.T) {
	const many = 20_000
	for f, old := range map[Format]string{
		JSONC: "{" + strings.Repeat("\"a\": {}, // x\n", many) + "}",
		TOML:  "a = {" + strings.Repeat("b", many) + "=1" + numbered(", a%d = 1", many) + "}\n" + numbered("[t%d]\n", many),
		YAML:  numbered("a%d: 1\n", many),
	} {
		if _, err := Set(f, []byte(old), pathOf(f), small, nil); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}

func numbered(format string, many int) string {
	var b strings.Builder
	for i := range many {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// FuzzSet: whatever a file holds, an entry is set without a change to what else it means, or refused.
func FuzzSet(f *testing.F) {
	for _, seed := range []string{"{\"mcpServers\": {\"a\": 1,}} // x", "[mcp_servers.a]\nb = '''c'''\n", "extensions:\n  a: |+\n    b\n\n", "a = \"\"\"\"x\"\"\"\"\"\n", "a = \"\\"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, old []byte) {
		for _, format := range []Format{JSONC, TOML, YAML} {
			got, err := Set(format, old, pathOf(format), small, []string{"url"})
			if err != nil {
				continue
			}
			if v, found, err := Get(format, got, pathOf(format)); err != nil || !found || v.In("command") == nil {
				t.Fatalf("%s: %q becomes %q: %v", format, old, got, err)
			}
			Remove(format, got, pathOf(format))
		}
	})
}
