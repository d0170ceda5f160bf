package mcphttp

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/workshop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// TestBatches: with the option, batches are served in every revision, and refused without it in all but one.
func TestBatches(t *testing.T) {
	for _, revision := range mcp.Revisions() {
		for _, allowed := range []bool{false, true} {
			declarations, o := shop.Configure("")
			o.Batches = allowed
			s := newSite(t, &workshop.Workshop{Server: mcp.NewServer(declarations, o)}, Options{})
			headers, meta := []string{"MCP-Protocol-Version: " + revision}, statelessMeta+"}"
			if revision != mcp.Revision20260728 {
				headers, meta = s.begin(revision), ""
			}
			list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`
			prompts := `{"jsonrpc":"2.0","id":2,"method":"prompts/list","params":{` + meta + `}}`
			got := s.send("POST", "["+list+","+prompts+"]", headers...)
			if allowed || revision == mcp.Revision20250326 {
				if got.status != 200 || !strings.Contains(got.body, `"tools":[`) || !strings.Contains(got.body, `"prompts":[`) {
					t.Errorf("%s: got %d %s", revision, got.status, got.body)
				}
			} else if got.status != 400 || !strings.Contains(got.body, "-32600") {
				t.Errorf("%s: got %d %s, want a refusal", revision, got.status, got.body)
			}
			if allowed && revision == mcp.Revision20260728 {
				for _, header := range []string{"Mcp-Method: tools/list", "Mcp-Name: x"} {
					if got := s.send("POST", "["+list+"]", append(headers, header)...); !strings.Contains(got.body, "-32020") {
						t.Errorf("%s: got %d %s", header, got.status, got.body)
					}
				}
				if got := s.send("POST", "["+list+"]"); strings.Contains(got.body, `"tools"`) {
					t.Errorf("without the revision: got %d %s", got.status, got.body)
				}
				if got := s.send("POST", list, headers...); got.status != 400 {
					t.Errorf("a single message without its headers: got %d %s", got.status, got.body)
				}
			}
		}
	}
}
