package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
)

// TestManyUnions imports a conjunction of unions, each branch of which would go with each of all others: it stays as it is, and the report says so. One
// more in the same source that is small becomes a union.
func TestManyUnions(t *testing.T) {
	unions := func(n, branches int) string {
		all := make([]string, n)
		for i := range all {
			each := make([]string, branches)
			for j := range each {
				each[j] = fmt.Sprintf(`{"type":"object","properties":{"m%d_%d":{"type":"string","const":"a"}},"required":["m%d_%d"]}`, i, j, i, j)
			}
			all[i] = `{"oneOf":[` + strings.Join(each, ",") + "]}"
		}
		return `{"allOf":[` + strings.Join(all, ",") + "]}"
	}
	text := fmt.Sprintf(`{"$defs":{"Many":%s,"Few":{"allOf":[{"oneOf":[%s,%s]},{"type":"object","properties":{"n":{"type":"integer"}}}]}}}`, unions(30, 10),
		`{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]}`, `{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}`)
	result, err := importer.Import(importer.Source{Name: "many.json", Text: []byte(text)}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all := result.Report.Checked; len(all) != 1 || all[0].Pointer != "/$defs/Many" || !strings.Contains(all[0].Reason, "each with each") {
		t.Errorf("raw: %v", all)
	}
	if !strings.Contains(string(result.Text), "  Few:\n    union:\n") {
		t.Error("the small one is not a union")
	}
}

// TestManySourceValues reads the same values as JSON and as YAML, of which a source has too many, and a YAML file of more bytes than a schema may have.
func TestManySourceValues(t *testing.T) {
	text := []byte("[" + strings.Repeat("1,", 1_400_000) + "1]")
	for _, name := range []string{"many.json", "many.yaml"} {
		_, err := importer.Import(importer.Source{Name: name, Text: text}, importer.Options{})
		if err == nil || !strings.Contains(err.Error(), "the source has more than 1328576 values") {
			t.Errorf("%s: %.200v", name, err)
		}
	}
	large := "# " + strings.Repeat("a word ", 1_300_000) + "\n$defs: {A: {type: string}}\n"
	if _, err := importer.Import(importer.Source{Name: "large.yaml", Text: []byte(large)}, importer.Options{}); err != nil {
		t.Errorf("%.200v", err)
	}
}

// TestCircleOfBases: schemas that join each other in a circle with more fields than work is left for are kept raw, and the others of the source are types as ever.
func TestCircleOfBases(t *testing.T) {
	const n = 1000
	text := `{"$defs": {` + strings.ReplaceAll(each(n, `"CN": {"allOf": [{"$ref": "#/$defs/CM"}, {"type": "object", "properties": {"pN": {"type": "string"}}}]}`), `"#/$defs/C0"`,
		fmt.Sprintf(`"#/$defs/C%d"`, n)) + `, "Z": {"type": "object", "properties": {"z": {"type": "string"}}}}}`
	result, err := importer.Import(importer.Source{Name: "a.json", Text: []byte(text)}, importer.Options{NoRecord: true})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(result.Text), "\n  Z:\n    fields:\n      z?: string\n") || len(result.Report.Opaque)+len(result.Report.Checked) < n-20 || result.Last != nil {
		t.Errorf("%d schemas are raw:\n%.400s", len(result.Report.Opaque)+len(result.Report.Checked), result.Text)
	}
}
