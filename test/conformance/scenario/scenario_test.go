package scenario

import (
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/test/conformance/everything"
)

// TestRun: the client does at a server of its own what it would do at the suite's, as far as that has the same tools.
func TestRun(t *testing.T) {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	h := mcphttp.NewHandler(everything.New(mcp.Options{Logger: quiet}), mcphttp.Options{Runtime: runtime.Options{Logger: quiet}})
	s := httptest.NewServer(h)
	defer s.Close()
	defer h.Close()
	for _, c := range []struct{ name, revision, context, fault string }{
		{"initialize", "2025-11-25", "", ""},
		{"request-metadata", "2026-07-28", "", ""},
		{"sse-retry", "2025-11-25", "", ""},
		{"http-custom-headers", "2026-07-28", `{"toolCalls":[{"name":"test_x_mcp_header","arguments":{"region":" padded, and 世界\n"}}]}`, ""},
		{"http-custom-headers", "2026-07-28", ``, "JSON"},
		{"json-schema-2020-12-preservation", "2026-07-28", "", "json_schema_echo"}, // the server has the tool with the schema, and not the other
		{"tools_call", "2026-07-28", "", "add_numbers"},
		{"http-standard-headers", "2026-07-28", "", "test_simple_text has failed"}, // which takes no arguments
		{"weather", "2026-07-28", "", "not known"},
		{"auth/metadata-default", "2026-07-28", "", "test-tool"},
		{"auth/pre-registration", "2026-07-28", "{", "MCP_CONFORMANCE_CONTEXT"},
		{"auth/client-credentials-jwt", "2026-07-28", `{"private_key_pem":"a key"}`, "PEM"},
	} {
		err := Run(t.Context(), Scenario{c.name, c.revision, c.context}, s.URL)
		switch {
		case err == nil && c.fault != "", err != nil && (c.fault == "" || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s at %s: %v", c.name, c.revision, err)
		}
	}
}
