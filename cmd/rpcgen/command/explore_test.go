//go:build !bootstrap

package command

import (
	"encoding/json"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
)

// TestDescription: what the explorer shows of a schema has the methods, and the lists of its MCP server.
func TestDescription(t *testing.T) {
	doc, faults := schema.Load("../../../test/toolbox/toolbox.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	text, err := description(doc)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for member, least := range map[string]int{"tools": len(doc.Tools), "resources": 1, "resourceTemplates": 1, "prompts": len(doc.Prompts), "methods": 1} {
		var list []map[string]any
		if err := json.Unmarshal(all[member], &list); err != nil || len(list) < least {
			t.Errorf("%s has %d entries: %v", member, len(list), err)
		}
	}
}
