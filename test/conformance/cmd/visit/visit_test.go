package main

import (
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/test/conformance/everything"
)

const planFile = "../../clients/plans/conformance.json"

// serve returns the URL of a server that the plan is for.
func serve(t *testing.T) string {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	h := mcphttp.NewHandler(everything.New(mcp.Options{Logger: quiet}), mcphttp.Options{SSE: true, Runtime: runtime.Options{Logger: quiet}})
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		s.Close()
	})
	return s.URL
}

// TestVisit: the plan is gone through in every era.
func TestVisit(t *testing.T) {
	url := serve(t)
	for name, era := range eras {
		if err := visit(t.Context(), planFile, era, dial([]string{url}, name == "sse")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestVisitFails: a plan that says something else is not gone through.
func TestVisitFails(t *testing.T) {
	url := serve(t)
	text, err := os.ReadFile(planFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, now, fault string }{
		{`"test_simple_text"`, `"other"`, "not listed"},
		{`"simple text"`, `"other"`, "tool test_simple_text"},
		{`"prompt": 7`, `"prompt": "fits"`, "tool test_sampling"},
		{`"text": "ann"`, `"text": "other"`, "tool test_elicitation"},
		{`"test://static-text"`, `"other"`, "not listed"},
		{`"static text"`, `"other"`, "resource test://static-text"},
		{`"123"`, `"other"`, "resource test://template/123/data"},
		{`"test_prompt_with_arguments"`, `"other"`, "not listed"},
		{`"arg1"`, `"other"`, "prompt test_prompt_with_arguments"},
		{`"test_trigger_tool_change"`, `"other"`, "tool other"},
	} {
		file := filepath.Join(t.TempDir(), "plan.json")
		changed := strings.Replace(string(text), c.old, c.now, 1)
		if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := visit(t.Context(), file, mcp.Stateless, dial([]string{url}, false)); err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("with %s: %v", c.now, err)
		}
	}
}
