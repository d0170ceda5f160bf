package listed

import (
	"slices"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// TestRemarks: words are found below all keywords, and names of properties are none.
func TestRemarks(t *testing.T) {
	schema, err := ir.ParseJSON([]byte(`{"title": "A", "dependentSchemas": {"title": {"required": ["a"]}, "b": {"description": "B"}}, "patternProperties": {"x-.": {"not": {"deprecated": true}}}, "enum": [{"title": "C"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := remarks(schema), []string{`deprecated true`, `description "B"`, `title "A"`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
