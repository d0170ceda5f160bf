package importer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tools"
)

// Schemas that are asked for once are converted once and not copied, however deep they are nested.
func TestNothingCopied(t *testing.T) {
	const depth = 40
	text := strings.Repeat(`{"type": "object", "properties": {"a": `, depth) + `{"type": "string"}` + strings.Repeat("}}", depth)
	if i := convertedFrom(t, `{"$defs": {"T": `+text+`}}`); i.Conv.Nodes > 0 || i.Conv.Converted != depth+1 {
		t.Errorf("%d schemas were converted and %d nodes copied of %d schemas", i.Conv.Converted, i.Conv.Nodes, depth+1)
	}
}

// The work grows with the definitions and the references to them: a definition is not converted for each reference.
func TestConvertedOnce(t *testing.T) {
	for _, n := range []int{10, 20, 40} {
		var all []string
		for k := range n {
			var fields []string
			for other := range n {
				fields = append(fields, fmt.Sprintf(`"f%d": {"$ref": "#/$defs/T%d"}`, other, other))
			}
			all = append(all, fmt.Sprintf(`"T%d": {"type": "object", "properties": {"own": {"type": "object", "properties": {%s}}}}`, k, strings.Join(fields, ", ")))
		}
		i := convertedFrom(t, `{"$defs": {`+strings.Join(all, ", ")+`}}`)
		if schemas := n * (n + 2); i.Conv.Converted != schemas || i.Conv.Nodes > 0 {
			t.Errorf("%d definitions: %d schemas were converted and %d nodes copied of %d schemas", n, i.Conv.Converted, i.Conv.Nodes, schemas)
		}
	}
}

// The fields of a base that are copied to each type that joins it are converted twice at most, and what they become is copied to the others.
func TestConvertedTwice(t *testing.T) {
	inner := `{"type": "object", "properties": {` + repeat(20, `"x%d": {"type": "string"}`) + `}}`
	count := func(n int) int {
		types := repeat(n, `"T%d": {"type": "object", "properties": {"own": {"type": "string"}}, "allOf": [{"$ref": "#/$defs/B"}], "not": {"required": ["own"]}}`)
		return convertedFrom(t, `{"$defs": {"B": {"type": "object", "properties": {"deep": `+inner+`}}, `+types+`}}`).Conv.Converted
	}
	if more := count(20) - count(10); more > 10*3 {
		t.Errorf("10 more types with three fields in all lead to %d more conversions", more)
	}
}

// TestWorkEnds converts a source with work for less than it says: what the work does not suffice for is kept raw, and the report says where that begins.
func TestWorkEnds(t *testing.T) {
	work := source.NewWork(0)
	work.Do(258_500) // what is left suffices for 50 schemas
	i := convertedWithin(t, `{"$defs": {`+repeat(60, `"T%d": {"type": "object", "properties": {"a": {"type": "string"}}}`)+`}}`, work)
	raw := i.Conv.Report.Checked
	if len(raw) != 35 || raw[0].Pointer != "/$defs/T25" || raw[0].Reason != source.Ended {
		t.Errorf("%d are kept raw: %v", len(raw), raw)
	}
}

// TestInheritedFields: an object that joins a large one costs as many fields as it gets from there, of which there is code. Objects for which the work does not suffice
// are kept raw.
func TestInheritedFields(t *testing.T) {
	const fields, objects = 1000, 100
	i := convertedFrom(t, `{"$defs": {"B": {"type": "object", "properties": {`+repeat(fields, `"p%d": {"type": "string"}`)+`}}, `+
		repeat(objects, `"T%d": {"allOf": [{"$ref": "#/$defs/B"}, {"properties": {"a": {"type": "string"}}}]}`)+`}}`)
	joined := objects - len(i.Conv.Report.Checked) - len(i.Conv.Report.Opaque)
	if most := 480_000 / source.OfInherited / fields; joined < 5 || joined > most {
		t.Errorf("%d objects get %d fields each, and %d may", joined, fields, most)
	}
}

// repeat writes a part n times with its number, separated by commas.
func repeat(n int, part string) string {
	var all []string
	for k := range n {
		all = append(all, fmt.Sprintf(part, k))
	}
	return strings.Join(all, ", ")
}

// convertedFrom makes one attempt to import a JSON text.
func convertedFrom(t *testing.T, text string) *draft.Draft {
	t.Helper()
	return convertedWithin(t, text, source.NewWork(len(text)))
}

// convertedWithin is convertedFrom with some work.
func convertedWithin(t *testing.T, text string, work *source.Work) *draft.Draft {
	t.Helper()
	root, _, faults := source.Read(source.Source{Name: "source.json", Text: []byte(text)})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	i := draft.New("source.json", source.Cursor{Value: root, Index: source.NewIndex()}, convert.NewDecisions(), work)
	if (&attempt{d: i}).convert(nil, tools.Options{}); len(i.Conv.Faults) > 0 {
		t.Fatal(i.Conv.Faults)
	}
	return i
}
