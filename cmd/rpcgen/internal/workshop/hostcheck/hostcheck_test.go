package hostcheck

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/hosts"
)

var update = flag.Bool("update", false, "write the golden files anew")

// day is a day on which some limits are old and others are not.
var day = time.Date(2026, time.November, 24, 0, 0, 0, 0, time.UTC)

// refused is a list that hosts have refused.
type refused struct {
	Server string
	Flags  []struct{ Host, Mode, Limit, At string }
	Tools  json.RawMessage
}

func check(t *testing.T, text []byte, server, host string) []Finding {
	t.Helper()
	list, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if server != "" {
		list.Server = server
	}
	held, err := hosts.Known().Select(host)
	if err != nil {
		t.Fatal(err)
	}
	return Check(hosts.Known(), held, list, Options{Now: day})
}

// TestRefused: what hosts have refused in public is found, at its pointer.
func TestRefused(t *testing.T) {
	files, err := filepath.Glob("testdata/refused/*.json")
	if err != nil || len(files) < 22 {
		t.Fatal(files, err)
	}
	flags := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var one refused
		if err := json.Unmarshal(text, &one); err != nil {
			t.Fatal(err)
		}
		for _, f := range one.Flags {
			host := f.Host
			if f.Mode != "" {
				host += ":" + f.Mode
			}
			flags++
			code := "Host" + strings.ToUpper(f.Limit[:1]) + f.Limit[1:]
			found := check(t, text, one.Server, host)
			if !slices.ContainsFunc(found, func(g Finding) bool { return g.Pointer == f.At && string(g.Code) == code }) {
				t.Errorf("%s: %s of %s is not found at %s: %v", name, f.Limit, host, f.At, found)
			}
		}
	}
	if flags < 30 {
		t.Errorf("%d flags", flags)
	}
}

// TestLists compares the findings of lists with golden files.
func TestLists(t *testing.T) {
	files, err := filepath.Glob("testdata/lists/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, host := range []string{"usual", "gemini", "openai:strict", "anthropic:strict", "vscode:gpt-4", "mcp"} {
			fmt.Fprintf(&b, "# %s\n", host)
			for _, f := range check(t, text, "", host) {
				fmt.Fprintf(&b, "%s: %s: %s [%s]\n\t%s\n", f.Pointer, f.Severity, f.Message, f.Code, f.Help)
			}
		}
		golden := strings.TrimSuffix(name, ".json") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || string(want) != b.String() {
			t.Errorf("%s: got\n%s", golden, b.String())
		}
	}
}

// TestExamples: no host of the usual ones refuses a tool of the examples.
func TestExamples(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../../../../examples/*/rpc/*.rpc.yaml", "../../../../../examples/*/*.rpc.yaml", "../../../../../cmd/mcpgateway/rpc/*.rpc.yaml", "../../command/starter/mcp/schema.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	tools := 0
	for _, name := range files {
		loader := new(schema.Loader)
		if strings.Contains(name, "starter") {
			loader.Read = func(name string) ([]byte, error) {
				text, err := os.ReadFile(name)
				return []byte(strings.NewReplacer("{{.Name}}", "notes", "{{.Title}}", "Notes").Replace(string(text))), err
			}
		}
		doc, faults := loader.Load(name)
		if doc == nil {
			t.Fatalf("%s: %v", name, faults)
		}
		list, err := Of(doc)
		if err != nil {
			t.Fatal(err)
		}
		tools += len(list.Tools)
		held, err := hosts.Known().Select(hosts.Usual)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range Check(hosts.Known(), held, list, Options{Now: day}) {
			if f.Severity == diag.Warning {
				t.Errorf("%s: %s at %s", name, f.Message, f.Pointer)
			}
		}
	}
	if tools < 5 {
		t.Errorf("%d tools in %v", tools, files)
	}
}

// TestChecks: every limit that a list can break has a check, and is broken by a list of the tests.
func TestChecks(t *testing.T) {
	golden, err := filepath.Glob("testdata/lists/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range golden {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	inUse := map[hosts.Key]bool{}
	for _, h := range hosts.Known().All() {
		for _, l := range h.Limits {
			inUse[l.Key] = true
		}
		for _, m := range h.Modes {
			for _, l := range m.Limits {
				inUse[l.Key] = true
			}
		}
	}
	large := []hosts.Key{hosts.Tools, hosts.ToolsGrouped, hosts.StrictTools, hosts.Properties, hosts.EnumValues, hosts.EnumTexts} // see TestNumbers
	for _, c := range hosts.Checks() {
		if checks[c.Key] == nil {
			t.Errorf("%s has no check", c.Key)
		}
		if inUse[c.Key] && !slices.Contains(large, c.Key) && !strings.Contains(all.String(), "["+c.Code()+"]") {
			t.Errorf("no list of the tests breaks %s", c.Key)
		}
	}
}

// TestNumbers counts what needs large lists, and limits that no host of rpcgen has.
func TestNumbers(t *testing.T) {
	var tools []string
	for i := range 130 {
		tools = append(tools, fmt.Sprintf(`{"name": "tool_%d", "description": "Does one thing.", "inputSchema": {"type": "object", "properties": {"kind": {"enum": ["a", "bc"]}}}}`, i))
	}
	list, err := Parse([]byte(`{"tools": [` + strings.Join(tools, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	text := "host: own\nkind: api\nlimits:\n"
	for key, value := range map[hosts.Key]int{hosts.Tools: 129, hosts.ToolsGrouped: 129, hosts.StrictTools: 129, hosts.OptionalTotal: 129, hosts.ListBytes: 1000, hosts.ListTokens: 1000} {
		text += fmt.Sprintf("  %s: {value: %d, on: refuse, source: a test, seen: 2026-01-01, sure: read}\n", key, value)
	}
	for key, value := range map[hosts.Key]int{hosts.EnumValues: 1, hosts.EnumTexts: 7, hosts.Properties: 1} {
		text += fmt.Sprintf("  %s: {value: %d, on: refuse, source: a test, seen: 2026-01-01, sure: read}\n", key, value)
	}
	text += "  noRecursion: {value: true, on: refuse, source: a test, seen: 2026-01-01, sure: read}\n"
	own, faults := hosts.Parse("own.yaml", []byte(text))
	if own == nil {
		t.Fatal(faults)
	}
	set := hosts.Known().With([]*hosts.Host{own})
	held, err := set.Select("own")
	if err != nil {
		t.Fatal(err)
	}
	got := map[diag.Code]int{}
	for _, f := range Check(set, held, list, Options{Now: day}) {
		got[f.Code]++
	}
	want := map[diag.Code]int{"HostTools": 1, "HostToolsGrouped": 1, "HostStrictTools": 1, "HostOptionalTotal": 1, "HostListBytes": 1, "HostListTokens": 1, "HostEnumValues": 130, "HostEnumTexts": 0, "HostProperties": 0}
	for code, n := range want {
		if got[code] != n {
			t.Errorf("%s: %d findings, want %d", code, got[code], n)
		}
	}
	list, err = Parse([]byte(`[{"name": "a", "description": "A.", "inputSchema": {"type": "object", "properties": {"n": {"$ref": "#/$defs/Node"}, "up": {"$ref": "#"}, "flat": {"$ref": "#/$defs/Flat"}},
		"$defs": {"Flat": {"type": "string"}, "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}}}}]`))
	if err != nil {
		t.Fatal(err)
	}
	var at []string
	for _, f := range Check(set, held, list, Options{Now: day}) {
		if f.Code == "HostNoRecursion" {
			at = append(at, f.Pointer)
		}
	}
	strict, err := hosts.Known().Select("anthropic:strict")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(Check(hosts.Known(), strict, list, Options{Now: day}), func(f Finding) bool { return f.Code == "HostNoRecursion" && f.Severity == diag.Warning }) {
		t.Error("anthropic:strict takes recursion")
	}
	if got := strings.Join(at, " "); got != "/0/inputSchema/$defs/Node/properties/next/$ref /0/inputSchema/properties/up/$ref" {
		t.Errorf("recursion at %s", got)
	}
}

// TestSuggest: a name that is suggested is taken by all hosts, and no other tool has it.
func TestSuggest(t *testing.T) {
	for name, want := range map[string]string{
		"list_all_reservations_of_one_person_in_a_period": "list_reservations_person_period",
		"rooms/list":            "rooms_list",
		"3d_view":               "tool_3d_view",
		strings.Repeat("x", 90): strings.Repeat("x", 38),
	} {
		text := fmt.Sprintf(`[{"name": %q, "description": "A."}, {"name": "other", "description": "A."}]`, name)
		list, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		list.Server = "conference-office"
		held, err := hosts.Known().Select("usual", "gemini")
		if err != nil {
			t.Fatal(err)
		}
		r := &run{set: hosts.Known(), held: held, list: list, names: []string{name, "other"}}
		if got := r.suggest(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestParse: what is not a list of tools is refused, with the place.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                         `it has no list of tools: write {"tools": [...]}, as rpcgen tools --json prints it`,
		`{"tools": {}}`:              `it has no list of tools: write {"tools": [...]}, as rpcgen tools --json prints it`,
		`{"result": {"tools": [1]}}`: "/result/tools/0 is not an object",
		`[{}, "a"]`:                  "/1 is not an object",
		`{`:                          "not valid JSON: unexpected end of JSON input",
	} {
		if _, err := Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzCheck: no list makes a check panic.
func FuzzCheck(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.json")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(text) < 5000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := Parse(text)
		if err != nil {
			return
		}
		for _, host := range []string{"usual", "gemini", "openai:strict", "anthropic:strict", "vscode:gpt-4"} {
			held, err := hosts.Known().Select(host)
			if err != nil {
				t.Fatal(err)
			}
			Check(hosts.Known(), held, list, Options{Now: day, Strict: len(text)%2 == 0})
		}
	})
}
