package importer_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
)

// Why a definition says something else than the official one; docs/mcp.md tells more.
const (
	content   = "later revisions add kinds of content, which a reader must survive"
	fractions = "an answer to a NumberSchema may have a fraction"
	anyJSON   = "null and fractions are JSON values, as the source says"
	kind      = "clients take a result without resultType for complete"
	unkept    = "clients take a result without resultType for complete, and one without ttlMs for stale"
	either    = "resultType is input_required, and one of inputRequests and requestState must be there, as the specification says"
)

// corrections are the definitions that the schemas of MCP in this repository mean to change, by revision. They are compared
// without the conditions of unions, which TestEqual has. An open enum of texts takes any text, and is not a change.
var corrections = map[string]map[string]string{
	"2024-11-05": {"CallToolResult": content, "CreateMessageResult": content, "PromptMessage": content, "SamplingMessage": content},
	"2025-03-26": {"CallToolResult": content, "CreateMessageResult": content, "PromptMessage": content, "SamplingMessage": content},
	"2025-06-18": {"ContentBlock": content, "CreateMessageResult": content, "SamplingMessage": content, "ElicitResult": fractions},
	"2025-11-25": {"ContentBlock": content, "CreateMessageResult": content, "SamplingMessage": content, "SamplingMessageContentBlock": content,
		"ElicitResult": fractions},
	"2026-07-28": {"ContentBlock": content, "CreateMessageResult": content, "SamplingMessage": content, "SamplingMessageContentBlock": content,
		"ElicitResult": fractions, "InputRequiredResult": either, "JSONValue": anyJSON,
		"Result": kind, "PaginatedResult": kind, "CallToolResult": kind, "CompleteResult": kind, "GetPromptResult": kind, "SubscriptionsListenResult": kind,
		"CacheableResult": unkept, "DiscoverResult": unkept, "ListPromptsResult": unkept, "ListResourceTemplatesResult": unkept,
		"ListResourcesResult": unkept, "ListToolsResult": unkept, "ReadResourceResult": unkept},
}

// TestCorrections compares the schemas in schema/mcp with the official definitions: they say the same, but for the corrections,
// each of which is needed.
func TestCorrections(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			doc, faults := schema.Load("../../../../../schema/mcp/" + revision + ".yaml")
			if doc == nil {
				t.Fatal(faults)
			}
			c := comparison(t, revision, doc, resultOf(t, revision).Report)
			for _, name := range slices.Sorted(maps.Keys(c.official)) {
				reason := corrections[revision][name]
				if d := c.differs(t, name, true); (d != "") != (reason != "") {
					t.Errorf("%s: reason %q (-official +exported):\n%s", name, reason, d)
				}
			}
			for name := range corrections[revision] {
				if c.official[name] == nil {
					t.Errorf("there is no definition %s to correct", name)
				}
			}
		})
	}
}
