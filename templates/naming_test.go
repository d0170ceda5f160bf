package templates_test

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// faultsOf are the diagnostics of generating from types.
func faultsOf(t *testing.T, types string) diag.List {
	t.Helper()
	_, diags, err := templates.Generate(load(t, "rpcgen: v1\npackage: a\ntypes:\n"+types), templates.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return diags
}

// TestClashHelp follows what the diagnostic of a name that is taken suggests: with go: on either of the two, the schema compiles.
func TestClashHelp(t *testing.T) {
	tests := []struct{ name, clash, fixed, other string }{
		{"types", "  user_id: string\n  userId: string\n",
			"  user_id: {type: string, go: OtherID}\n  userId: string\n", "  user_id: string\n  userId: {type: string, go: OtherID}\n"},
		{"fields", "  A: {fields: {a_b: string, aB: string}}\n",
			"  A: {fields: {a_b: {type: string, go: Other}, aB: string}}\n", "  A: {fields: {a_b: string, aB: {type: string, go: Other}}}\n"},
		{"branch", "  S: {union: [string, {fields: {a: string}}]}\n  SObject: string\n",
			"  S: {union: [string, {fields: {a: string}, go: Other}]}\n  SObject: string\n", "  S: {union: [string, {fields: {a: string}}]}\n  SObject: {type: string, go: Other}\n"},
		{"scalar branch", "  S: {union: [string, boolean]}\n  SString: string\n",
			"  S: {union: [{type: string, go: Other}, boolean]}\n  SString: string\n", "  S: {union: [string, boolean]}\n  SString: {type: string, go: Other}\n"},
		{"branch under a tag", "  S: {union: {x: {fields: {a: string}}, y: {fields: {b: string}}}, by: {property: kind}}\n  SX: string\n",
			"  S: {union: {x: {fields: {a: string}, go: Other}, y: {fields: {b: string}}}, by: {property: kind}}\n  SX: string\n", "  S: {union: {x: {fields: {a: string}}, y: {fields: {b: string}}}, by: {property: kind}}\n  SX: {type: string, go: Other}\n"},
		{"enum value", "  C: {enum: [red]}\n  CRed: string\n",
			"  C: {enum: {red: {go: Other}}}\n  CRed: string\n", "  C: {enum: [red]}\n  CRed: {type: string, go: Other}\n"},
		{"function of a union", "  S: {union: [string, boolean]}\n  AppendS: string\n",
			"  S: {union: [string, boolean], go: Other}\n  AppendS: string\n", "  S: {union: [string, boolean]}\n  AppendS: {type: string, go: Other}\n"},
		{"function of defaults", "  A: {fields: {b?: {type: string, default: x}}}\n  DefaultA: string\n",
			"  A: {fields: {b?: {type: string, default: x}}, go: Other}\n  DefaultA: string\n", "  A: {fields: {b?: {type: string, default: x}}}\n  DefaultA: {type: string, go: Other}\n"},
		{"inline type", "  A: {fields: {b: {fields: {c: string}}}}\n  AB: string\n",
			"  A: {fields: {b: {fields: {c: string}, go: Other}}}\n  AB: string\n", "  A: {fields: {b: {fields: {c: string}}}}\n  AB: {type: string, go: Other}\n"},
		{"element", "  A: {list: {fields: {c: string}}}\n  AItem: string\n",
			"  A: {list: {fields: {c: string}, go: Other}}\n  AItem: string\n", "  A: {list: {fields: {c: string}}}\n  AItem: {type: string, go: Other}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diags := faultsOf(t, tt.clash); len(diags) != 1 || !strings.Contains(diags[0].Help, "go:") {
				t.Errorf("diagnostics of the clash: %v", diags)
			}
			for _, schema := range []string{tt.fixed, tt.other} {
				if diags := faultsOf(t, schema); len(diags) > 0 {
					t.Errorf("%s\ndiagnostics: %v", schema, diags)
				}
			}
		})
	}
}

// TestNamesOfSigns names what is called by signs alone, and numbers with a sign.
func TestNamesOfSigns(t *testing.T) {
	for types, want := range map[string]string{
		`{fields: {"/": string, "*": string, "#": string, "=": string}}`:          "Slash Star Hash Equal",
		`{fields: {"+1": integer, "-1": integer, "1": integer, "-.5": integer}}`:  "Plus1 Minus1 X1 Minus5",
		`{fields: {"\u2192": string, a/b: string, "<>": string}}`:                 "U2192 B LessGreater",
		`{fields: {"$": {fields: {b: string}}, "%": {union: [string, boolean]}}}`: "Dollar Percent",
	} {
		doc := load(t, "rpcgen: v1\npackage: a\ntypes:\n  A: "+types+"\n")
		names, diags := templates.NewNames(doc)
		var got []string
		for _, f := range doc.Types[0].Type.(*ir.Struct).Fields {
			name, _ := names.Field(f)
			got = append(got, name)
		}
		if len(diags) > 0 || strings.Join(got, " ") != want {
			t.Errorf("%s: %v %v, want %s", types, got, diags, want)
		}
	}
}

// TestBranchNames looks at what branches that are written in place are called.
func TestBranchNames(t *testing.T) {
	tests := []struct{ name, union, want string }{
		{"tags", `[{fields: {type: {const: circle}, r: number}}, {fields: {type: {const: square}, a: number}}]`, "*SCircle, *SSquare"},
		{"tags that two share", `[{fields: {a: {const: x}, b: {const: p}}}, {fields: {a: {const: x}, b: {const: q}}}]`, "*SP, *SQ"},
		{"titles", `[{title: First one, fields: {a: string}}, {title: second, fields: {b: string}}]`, "*SFirstOne, *SSecond"},
		{"properties", `[{fields: {a: string}}, {fields: {a: string, b: string}}, {fields: {c: string}}]`, "*SObject, *SA, *SC"},
		{"kinds", `[string, {fields: {a: string}}, list<string>]`, "SString, *SObject, SList"},
		{"go", `[{fields: {a: string}, go: One}, {fields: {b: string}, go: Two}]`, "*One, *Two"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := generate(t, "rpcgen: v1\npackage: a\ntypes:\n  S: {union: "+tt.union+"}\n")["rpc_types.gen.go"]
			if want := "// It is one of: " + tt.want + "."; !strings.Contains(text, want) {
				t.Errorf("want %q in\n%s", want, text)
			}
		})
	}
}

// TestConstantNames looks at what the values of enums are called.
func TestConstantNames(t *testing.T) {
	tests := []struct{ values, want string }{
		{`["+1", "-1", "1"]`, "EPlus1 EMinus1 E1"},
		{`[1, -1]`, "E1 EMinus1"},
		{`[<, <=, "=", "!="]`, "ELess ELessEqual EEqual EBangEqual"},
		{`[a-b, a_b, aB]`, "EAB EAUnderscoreB EValue3"},
		{`["", "→", a]`, "EEmpty EU2192 EA"},
		{`[a, A, Value2]`, "EA EValue2 EValue3"},
		{`[1.5, "15"]`, "E15 EValue2"},
	}
	for _, tt := range tests {
		text := generate(t, "rpcgen: v1\npackage: a\ntypes:\n  E: {type: string, enum: "+tt.values+"}\n")["rpc_types.gen.go"]
		var got []string
		for line := range strings.Lines(text) {
			if name, _, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.Contains(line, " E = ") || strings.Contains(line, " E  ") {
				got = append(got, name)
			}
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %s, want %s", tt.values, s, tt.want)
		}
	}
}
