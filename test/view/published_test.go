package view_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/conform"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	view "github.com/rpcgen-go/rpcgen/test/view/rpc"
)

// TestPublished: results fit the published schema, whatever is chosen.
func TestPublished(t *testing.T) {
	c := connect(t, view.NewServer(newTracker(30), mcp.Options{}), mcp.Stateless)
	schemas := map[string]*conform.Schema{}
	paths := map[string][]string{}
	for tool, err := range mcpclient.Entries(t.Context(), c, "tools") {
		if err != nil {
			t.Fatal(err)
		}
		var entry struct {
			Name         string
			OutputSchema json.RawMessage
			InputSchema  struct {
				Properties struct {
					Fields struct{ Items struct{ Enum []string } }
				}
			}
		}
		if err := json.Unmarshal([]byte(tool.String()), &entry); err != nil {
			t.Fatal(err)
		}
		if schemas[entry.Name], err = conform.New(string(entry.OutputSchema)); err != nil {
			t.Fatal(err)
		}
		paths[entry.Name] = entry.InputSchema.Properties.Fields.Items.Enum
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		tool, arguments := "list_issues", "{"
		if i%2 == 1 {
			tool, arguments = "pick_issues", fmt.Sprintf(`{"count":%d,`, random.IntN(5))
		}
		all := slices.Clone(paths[tool])
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:1+random.IntN(len(all))]
		chosen, _ := json.Marshal(all)
		a := call(t, c, tool, arguments+`"fields":`+string(chosen)+"}")
		if a.IsError {
			t.Fatalf("%s: %s", chosen, a.Content)
		}
		var vs violation.List
		if schemas[tool].Check(&vs, "", string(a.StructuredContent)); vs.Len() > 0 {
			t.Fatalf("%s of %s: %v: %s", chosen, tool, vs.All(), a.StructuredContent)
		}
		var got struct {
			Issues []map[string]json.RawMessage
			Total  *int64
		}
		if err := json.Unmarshal(a.StructuredContent, &got); err != nil {
			t.Fatal(err)
		}
		if (got.Total != nil) != slices.Contains(all, "total") {
			t.Fatalf("%s: got %s", chosen, a.StructuredContent)
		}
		for _, issue := range got.Issues {
			for name := range issue {
				if !slices.Contains(all, "issues."+name) {
					t.Fatalf("%s was not chosen: %s", name, a.StructuredContent)
				}
			}
		}
	}
	for _, tool := range []string{"list_issues", "close_issue", "show_user"} {
		arguments := map[string]string{"list_issues": `{}`, "close_issue": `{"number":7}`, "show_user": `{}`}[tool]
		var vs violation.List
		if a := call(t, c, tool, arguments); a.IsError {
			t.Errorf("%s: %v", tool, a.Content)
		} else if schemas[tool].Check(&vs, "", string(a.StructuredContent)); vs.Len() > 0 {
			t.Errorf("%s: %v: %s", tool, vs.All(), a.StructuredContent)
		}
	}
}
