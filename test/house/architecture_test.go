package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module is the path of this module.
const module = "github.com/rpcgen-go/rpcgen"

// imports lists, for each package of this module, what it may import of this module and of third parties. The two halves, the
// compiler and the runtime, meet nowhere: generated code is what one writes and the other links.
var imports = map[string][]string{
	"schema/diag":                         {"schema/text"},
	"schema/decimal":                      {},
	"schema/file":                         {},
	"schema/text":                         {},
	"schema/grammar":                      {"schema/ir", "schema/mcp"},
	"cmd/rpcgen/internal/language/editor": {"schema/grammar", "schema/ir"},
	"schema/json":                         {"schema/decimal", "schema/diag"},
	"schema/ir":                           {"schema/json", "schema/diag", "schema/decimal", "schema/notation"},
	"schema/syntax":                       {"schema/text", "schema/diag", "schema/foreign", "schema/ir", "schema/decimal", "gopkg.in/yaml.v3"},
	"schema/judge":                        {"runtime/gen/conform", "runtime/gen/violation", "schema/text", "schema/ir", "schema/decimal"},
	"schema/foreign":                      {},
	"schema/notation":                     {},
	"schema/check":                        {"schema/text", "schema/jsonschema", "schema/diag", "schema/foreign", "schema/grammar", "schema/ir", "schema/decimal", "schema/judge", "schema/syntax"},
	"cmd/rpcgen/internal/language/format": {"schema/diag", "schema/grammar", "schema/ir", "schema/syntax", "schema/text", "gopkg.in/yaml.v3"},
	"schema":                              {"schema/check", "schema/diag", "schema/file", "schema/ir", "schema/mcp", "schema/syntax"},
	"schema/jsonschema":                   {"schema/text", "schema/ir", "schema/decimal"},
	"cmd/rpcgen/internal/language/sample": {"runtime/x/contract/values", "schema/jsonschema", "schema/ir", "schema/judge"},
	"cmd/rpcgen/internal/source/importer": {"schema/jsonschema", "cmd/rpcgen/internal/source/importer/convert", "cmd/rpcgen/internal/source/importer/draft", "cmd/rpcgen/internal/source/importer/jsonschema",
		"cmd/rpcgen/internal/source/importer/lsp", "cmd/rpcgen/internal/source/importer/merge", "cmd/rpcgen/internal/source/importer/openapi", "cmd/rpcgen/internal/source/importer/openrpc",
		"cmd/rpcgen/internal/source/importer/protobuf", "cmd/rpcgen/internal/source/importer/report",
		"cmd/rpcgen/internal/source/importer/source", "cmd/rpcgen/internal/source/importer/tools", "cmd/rpcgen/internal/source/importer/tree", "schema/diag", "schema/grammar", "schema/ir",
		"schema/judge", "gopkg.in/yaml.v3"},
	"cmd/rpcgen/internal/source/importer/convert": {"cmd/rpcgen/internal/source/importer/report", "cmd/rpcgen/internal/source/importer/source", "cmd/rpcgen/internal/source/importer/tree",
		"schema/grammar", "schema/ir", "schema/jsonschema", "schema/judge", "gopkg.in/yaml.v3"},
	"cmd/rpcgen/internal/source/importer/draft": {"schema/jsonschema", "cmd/rpcgen/internal/source/importer/convert", "cmd/rpcgen/internal/source/importer/merge", "cmd/rpcgen/internal/source/importer/report",
		"cmd/rpcgen/internal/source/importer/source", "cmd/rpcgen/internal/source/importer/tree", "schema/grammar", "schema/ir", "gopkg.in/yaml.v3"},
	"cmd/rpcgen/internal/source/importer/jsonschema": {"cmd/rpcgen/internal/source/importer/convert", "cmd/rpcgen/internal/source/importer/draft", "cmd/rpcgen/internal/source/importer/report",
		"cmd/rpcgen/internal/source/importer/source", "cmd/rpcgen/internal/source/importer/tree", "schema/ir", "schema/jsonschema", "gopkg.in/yaml.v3"},
	"cmd/rpcgen/internal/source/importer/lsp": {"cmd/rpcgen/internal/source/importer/convert", "cmd/rpcgen/internal/source/importer/draft", "cmd/rpcgen/internal/source/importer/report",
		"cmd/rpcgen/internal/source/importer/source", "cmd/rpcgen/internal/source/importer/tree", "schema/ir", "gopkg.in/yaml.v3"},
	"cmd/rpcgen/internal/source/importer/merge": {"cmd/rpcgen/internal/language/format", "cmd/rpcgen/internal/source/importer/convert", "cmd/rpcgen/internal/source/importer/report",
		"cmd/rpcgen/internal/source/importer/source", "cmd/rpcgen/internal/source/importer/tree", "schema", "schema/diag", "schema/file", "schema/grammar", "schema/ir", "schema/syntax",
		"schema/text", "templates", "gopkg.in/yaml.v3"},
	"cmd/rpcgen/internal/source/importer/openapi": {"schema/text", "cmd/rpcgen/internal/source/importer/convert", "cmd/rpcgen/internal/source/importer/draft", "cmd/rpcgen/internal/source/importer/report",
		"cmd/rpcgen/internal/source/importer/source", "cmd/rpcgen/internal/source/importer/tree", "schema/diag", "schema/grammar", "schema/ir", "gopkg.in/yaml.v3"},
	"cmd/rpcgen/internal/source/importer/openrpc": {"cmd/rpcgen/internal/source/importer/convert", "cmd/rpcgen/internal/source/importer/draft", "cmd/rpcgen/internal/source/importer/report",
		"cmd/rpcgen/internal/source/importer/source", "cmd/rpcgen/internal/source/importer/tree", "schema/ir", "gopkg.in/yaml.v3"},
	"cmd/rpcgen/internal/source/importer/protobuf": {"cmd/rpcgen/internal/source/importer/openapi", "cmd/rpcgen/internal/source/importer/source", "schema/diag", "schema/ir"},
	"cmd/rpcgen/internal/source/importer/report":   {"schema/text"},
	"cmd/rpcgen/internal/source/importer/source": {"schema/jsonschema", "cmd/rpcgen/internal/source/importer/report", "cmd/rpcgen/internal/source/importer/tree", "schema/diag", "schema/file", "schema/ir",
		"schema/syntax", "schema/text"},
	"cmd/rpcgen/internal/source/importer/tools": {"schema/jsonschema", "schema/diag", "cmd/rpcgen/internal/source/importer/convert", "cmd/rpcgen/internal/source/importer/draft", "cmd/rpcgen/internal/source/importer/report",
		"cmd/rpcgen/internal/source/importer/source", "cmd/rpcgen/internal/source/importer/tree", "schema/grammar", "schema/ir", "gopkg.in/yaml.v3"},
	"cmd/rpcgen/internal/source/importer/tree": {"schema", "schema/diag", "schema/grammar", "schema/ir", "schema/syntax", "gopkg.in/yaml.v3"},
	"cmd/rpcgen/internal/language/handlers":    {"schema/ir", "templates"},
	"cmd/rpcgen/internal/language/listed":      {"schema/jsonschema", "cmd/rpcgen/internal/language/subschema", "schema", "schema/diag", "schema/ir", "schema/text", "templates"},
	"schema/hosts":                             {"schema/diag", "schema/syntax"},
	"cmd/rpcgen/internal/workshop/budget":      {"schema/jsonschema", "schema/diag", "schema/ir", "schema/text"},
	"cmd/rpcgen/internal/workshop/hostcheck":   {"schema/jsonschema", "schema/text", "cmd/rpcgen/internal/workshop/budget", "schema/diag", "schema/hosts", "schema/ir", "templates", "schema/judge"},
	"cmd/rpcgen/internal/language/lint":        {"schema/diag", "schema/hosts", "schema/ir", "schema/decimal", "schema/jsonschema", "cmd/rpcgen/internal/language/subschema"},
	"schema/mcp":                               {},
	"cmd/rpcgen/internal/language/openrpc":     {"schema/ir", "schema/jsonschema", "cmd/rpcgen/internal/language/sample"},
	"cmd/rpcgen/internal/workshop/manifest":    {"schema/ir"},
	"cmd/rpcgen/internal/workshop/ship":        {"cmd/rpcgen/internal/workshop/manifest", "schema/ir", "schema/text"},
	"cmd/rpcgen/internal/workshop/configfile":  {"schema/text", "schema/ir", "schema/json", "gopkg.in/yaml.v3"},
	"cmd/rpcgen/internal/workshop/install":     {"github.com/rogpeppe/go-internal/lockedfile", "cmd/rpcgen/internal/workshop/configfile", "schema/diag", "schema/file", "schema/ir", "gopkg.in/yaml.v3"},
	"cmd/rpcgen/internal/language/docs":        {"schema/ir", "schema/notation", "cmd/rpcgen/internal/language/sample", "schema/text"},
	"cmd/rpcgen/internal/language/diff":        {"schema/diag", "schema/ir", "schema/decimal", "schema/judge", "cmd/rpcgen/internal/language/docs", "cmd/rpcgen/internal/language/subschema", "schema/text"},
	"cmd/rpcgen/internal/language/subschema":   {"schema/jsonschema", "schema/ir"},
	"cmd/rpcgen/internal/language/vectors":     {"runtime/x/contract/values", "schema/ir", "schema/jsonschema"},
	"cmd/rpcgen/internal/workshop/verify": {"cmd/rpcgen/internal/language/openrpc", "cmd/internal/remote", "cmd/rpcgen/internal/workshop/verify/report", "cmd/rpcgen/internal/workshop/verify/settings", "runtime/x/contract", "runtime/x/contract/values", "schema/diag", "schema/ir", "schema/jsonschema",
		"github.com/spf13/cobra", "schema/text"},
	"runtime/x/contract":                           {"schema/text", "schema/json", "schema/jsonschema", "runtime/internal/procgroup", "runtime", "runtime/internal/mcp/protocol", "runtime/internal/web", "runtime/transport/stdio", "runtime/x/contract/values"},
	"runtime/x/contract/values":                    {"schema/text", "schema/json", "schema/jsonschema", "runtime/gen/conform", "runtime/gen/violation"},
	"cmd/rpcgen/internal/workshop/verify/settings": {"runtime/x/contract", "gopkg.in/yaml.v3"},
	"cmd/rpcgen/internal/workshop/verify/report":   {"runtime/x/contract", "schema/diag", "gopkg.in/yaml.v3"},
	"cmd/rpcgen/internal/language/typecheck":       {"schema/diag", "schema/ir", "templates"},
	"schema/lower":                                 {"schema/jsonschema", "schema/text", "schema/ir"},
	"templates":                                    {"schema/diag", "schema/hosts", "schema/ir", "schema/jsonschema", "schema/lower", "schema/text", "github.com/dave/jennifer/jen"},
	"templates/typescript":                         {"schema/jsonschema", "schema/decimal", "schema/diag", "schema/ir", "schema/text", "templates"},
	"cmd/rpcgen":                                   {"cmd/rpcgen/command"},
	"cmd/rpcgen-go":                                {"cmd/rpcgen/command"},
	"cmd/rpcgen/command": {"schema/syntax", "github.com/spf13/pflag", "cmd/rpcgen/internal/language/handlers", "cmd/rpcgen/internal/workshop/budget", "cmd/rpcgen/internal/workshop/hostcheck", "schema/hosts", "cmd/rpcgen/internal/language/listed", "gopkg.in/yaml.v3", "schema", "schema/diag", "schema/file", "cmd/rpcgen/internal/language/diff", "cmd/rpcgen/internal/language/docs", "cmd/rpcgen/internal/language/format", "cmd/rpcgen/internal/source/importer", "schema/ir", "schema/jsonschema", "cmd/rpcgen/internal/language/lint",
		"cmd/rpcgen/internal/language/openrpc", "cmd/rpcgen/internal/workshop/manifest", "schema/text", "templates", "templates/typescript", "cmd/rpcgen/internal/language/typecheck",
		"cmd/rpcgen/internal/workshop/install", "cmd/rpcgen/internal/workshop/ship", "cmd/rpcgen/internal/language/vectors",
		"cmd/rpcgen/internal/language/lsp", "cmd/internal/remote", "cmd/rpcgen/internal/workshop/playground/page", "runtime/x/explorer", "cmd/rpcgen/internal/language/sample", // not with the tag bootstrap; see TestBootstrap
		"cmd/rpcgen/internal/workshop/load", "cmd/rpcgen/internal/workshop/mock", "cmd/rpcgen/internal/workshop/record", "cmd/rpcgen/internal/workshop/verify", "runtime/x/contract", "runtime/x/httplog",
		"github.com/spf13/cobra", "github.com/rogpeppe/go-internal/diff"},
	"cmd/rpcgen/internal/workshop/playground": {"cmd/rpcgen/internal/language/diff", "cmd/rpcgen/internal/language/docs", "cmd/rpcgen/internal/workshop/hostcheck", "cmd/rpcgen/internal/source/importer",
		"cmd/rpcgen/internal/language/lint", "cmd/rpcgen/internal/language/listed", "schema", "schema/diag", "schema/ir", "schema/text", "templates", "templates/typescript"}, // the compiler without files, which runs in browsers
	"cmd/rpcgen/internal/workshop/playground/page": {"cmd/rpcgen/internal/workshop/playground", "runtime/x/explorer"}, // both pages look the same
	"cmd/rpcgen/internal/language/lsp": {"cmd/rpcgen/internal/language/listed", "schema", "schema/diag", "schema/file", "schema/grammar", "schema/ir", "schema/syntax", "schema/text", "cmd/rpcgen/internal/language/docs", "cmd/rpcgen/internal/language/format", "generated/lsp", "runtime", "runtime/frame", "runtime/transport/stdio",
		"runtime/gen/wire", "github.com/spf13/cobra"},
	"cmd/internal/remote": {"schema/jsonschema", "github.com/gorilla/websocket", "github.com/spf13/cobra", "schema/file", "schema/ir", "schema/notation", "schema/text", "runtime", "runtime/mcp", "runtime/mcp/mcpauth", "runtime/mcp/mcpclient", "runtime/gen/violation", "runtime/mcp/mcphttp", "runtime/transport/stdio", "runtime/gen/wire", "runtime/x/explorer",
		"runtime/transport/rpchttp", "runtime/transport/tcp", "runtime/x/contract", "runtime/x/contract/values"}, // services that are not servers of MCP
	"cmd/rpcgen/internal/workshop/record": {"cmd/internal/remote", "runtime/x/contract", "runtime/x/contract/transcript", "github.com/spf13/cobra"},
	"cmd/rpcgen/internal/workshop/load": {"cmd/internal/remote", "cmd/rpcgen/internal/workshop/verify/settings", "runtime", "runtime/gen/conform", "runtime/gen/violation", "runtime/gen/wire", "runtime/mcp/mcpclient",
		"runtime/x/contract/values", "github.com/spf13/cobra"},
	"cmd/rpcgen/internal/workshop/mock": {"cmd/rpcgen/internal/language/listed", "cmd/internal/remote", "runtime", "runtime/frame", "runtime/gen/conform", "runtime/gen/violation", "runtime/gen/stream", "runtime/gen/wire",
		"runtime/mcp", "runtime/mcp/mcphttp", "runtime/transport/rpchttp", "runtime/transport/stdio", "runtime/transport/tcp", "runtime/x/contract/transcript", "runtime/x/contract/values", "runtime/x/mcpdynamic", "runtime/x/mcptask",
		"schema/ir", "schema/jsonschema", "templates", "github.com/spf13/cobra"},

	"runtime/frame":                   {"runtime/internal/buffer"},
	"runtime/gen/violation":           {},
	"runtime/gen/union":               {"runtime/gen/wire"},
	"runtime/gen/rule":                {"runtime/gen/violation"},
	"runtime/gen/pattern":             {"runtime/gen/violation"},
	"runtime/gen/conform":             {"runtime/gen/exact", "runtime/gen/violation", "runtime/gen/wire"},
	"runtime/gen/scope":               {"runtime", "runtime/principal", "runtime/when"},
	"runtime/gen/uri":                 {},
	"runtime/gen/wire":                {"runtime/gen/violation"},
	"runtime":                         {"runtime/internal/buffer", "runtime/internal/defaults", "runtime/frame", "runtime/internal/contextkey", "runtime/internal/ended", "runtime/internal/envelope", "runtime/internal/ids", "runtime/internal/inorder", "runtime/internal/memory", "runtime/internal/peerlog", "runtime/internal/report", "runtime/internal/room", "runtime/internal/tap", "runtime/gen/violation", "runtime/when", "runtime/gen/wire"},
	"runtime/x/message":               {"runtime/internal/defaults", "runtime", "runtime/frame", "runtime/internal/envelope", "runtime/gen/wire"},
	"runtime/x/reconnect":             {"runtime/internal/defaults", "runtime", "runtime/internal/ids"},
	"runtime/gen":                     {"runtime", "runtime/internal/buffer", "runtime/internal/envelope", "runtime/gen/violation", "runtime/gen/wire"},
	"runtime/gen/distinct":            {"runtime/gen/rule"},
	"runtime/gen/exact":               {"runtime/gen/distinct", "runtime/internal/canonical", "runtime/gen/rule", "runtime/gen/wire"},
	"runtime/gen/format":              {"runtime/gen/wire", "runtime/gen/violation"},
	"runtime/gen/position":            {"runtime/gen/wire"},
	"runtime/gen/profile":             {"runtime/gen/wire"},
	"runtime/gen/optional":            {"runtime", "runtime/gen", "runtime/gen/wire"},
	"runtime/gen/inflight":            {"runtime", "runtime/gen", "runtime/gen/wire", "runtime/internal/unwrap"},
	"runtime/gen/compact":             {"runtime", "runtime/gen", "runtime/gen/rule", "runtime/gen/violation", "runtime/gen/wire"},
	"runtime/when":                    {},
	"runtime/internal/canonical":      {"runtime/gen/wire"},
	"runtime/internal/mcp/protocol":   {"runtime/gen/wire"},
	"runtime/gen/mcpgen":              {"runtime/gen/wire", "generated/mcp20260728"},
	"runtime/gen/mcpview":             {"runtime", "runtime/mcp", "runtime/gen/rule", "runtime/gen/violation", "runtime/gen/wire", "runtime/internal/mcp/seal", "generated/mcp20260728"},
	"runtime/internal/mcp/seal":       {},
	"runtime/internal/mcp/annotation": {"runtime/gen/mcpgen", "runtime/gen/wire"},
	"runtime/internal/mcp/mirror":     {"runtime/internal/canonical", "runtime/gen/wire", "runtime/internal/peerlog"},
	"runtime/internal/mcp/tasking":    {},
	"runtime/internal/mcp/listing":    {"runtime/gen/mcpgen"},
	"runtime/x/mcpdynamic":            {"runtime/internal/defaults", "runtime", "runtime/mcp", "runtime/internal/mcp/annotation", "runtime/internal/mcp/listing", "runtime/internal/mcp/protocol", "runtime/gen/mcpgen", "runtime/gen/violation", "runtime/gen/conform", "runtime/gen/wire", "generated/mcp20260728"},
	"runtime/x/mcptask":               {"runtime/internal/wake", "runtime/internal/defaults", "runtime", "runtime/internal/peerlog", "runtime/internal/memory/clients", "runtime/internal/memory", "runtime/mcp", "runtime/internal/mcp/protocol", "runtime/internal/mcp/tasking", "runtime/gen/violation", "runtime/gen/wire"},
	"runtime/gen/stream": {"runtime", "runtime/gen", "runtime/gen/violation", "runtime/gen/wire", "runtime/internal/inorder", "runtime/internal/tap",
		"runtime/internal/unwrap", "runtime/when"},
	"runtime/mcp": {"runtime/internal/defaults", "runtime", "runtime/gen", "runtime/internal/canonical", "runtime/internal/mcp/listing", "runtime/internal/mcp/protocol", "runtime/internal/mcp/seal", "runtime/internal/mcp/tasking", "runtime/gen/mcpgen", "runtime/internal/peerlog", "runtime/internal/report", "runtime/internal/unwrap", "runtime/principal", "runtime/gen/rule", "runtime/gen/violation", "runtime/when",
		"runtime/internal/contextkey", "runtime/internal/room", "runtime/transport", "runtime/gen/wire", "generated/mcp20260728"},
	"runtime/mcp/mcpclient": {"runtime/internal/mcp/shared", "runtime/internal/wake", "runtime/internal/defaults", "runtime", "runtime/gen", "runtime/internal/canonical", "runtime/mcp", "runtime/internal/mcp/annotation", "runtime/internal/mcp/protocol", "runtime/internal/mcp/tasking", "runtime/gen/mcpgen", "runtime/internal/peerlog", "runtime/gen/rule", "runtime/gen/violation",
		"runtime/gen/wire", "runtime/transport/pipe", "generated/mcp20260728"},
	"runtime/gen/dynamic":           {"runtime/gen/violation", "runtime/gen/wire", "github.com/bytedance/sonic"},
	"runtime/mcp/mcphttp":           {"runtime/internal/mcp/shared", "runtime/internal/wake", "runtime/internal/buffer", "runtime/internal/defaults", "runtime/internal/inorder", "runtime", "runtime/frame", "runtime/internal/memory", "runtime/internal/peerlog", "runtime/internal/web", "runtime/mcp", "runtime/internal/mcp/mirror", "runtime/internal/mcp/protocol", "runtime/internal/mcp/replicas", "runtime/principal", "runtime/when", "runtime/gen/wire", "runtime/transport", "runtime/transport/pipe"},
	"runtime/x/mcpcluster":          {"runtime/internal/wake", "runtime", "runtime/frame", "runtime/internal/mcp/protocol", "runtime/internal/mcp/replicas", "runtime/internal/peerlog", "runtime/internal/web", "runtime/when", "runtime/gen/wire"},
	"runtime/internal/mcp/replicas": {"runtime", "runtime/internal/mcp/protocol", "runtime/internal/peerlog", "runtime/internal/web", "runtime/when"},
	"runtime/mcp/mcpauth":           {"runtime/internal/defaults", "runtime/internal/oauth", "runtime/internal/turns", "runtime/internal/peerlog", "runtime/internal/web", "runtime/internal/mcp/protocol"},
	"runtime/principal":             {},
	"runtime/x/cache":               {"runtime/internal/defaults", "runtime", "runtime/principal", "runtime/transport", "runtime/gen/wire"},
	"runtime/x/mcpcache":            {"runtime/x/cache", "runtime/mcp"},
	"runtime/x/contract/transcript": {"runtime/gen/violation", "schema/jsonschema", "runtime/internal/secretname", "runtime/gen/wire", "runtime/internal/canonical", "runtime/internal/txtar"},
	"runtime/x/mcptest":             {"runtime", "runtime/mcp/mcpclient", "runtime/gen/violation", "runtime/gen/wire"},
	"runtime/x/mount":               {"runtime/internal/wake", "runtime", "runtime/frame", "runtime/mcp", "runtime/mcp/mcpclient", "runtime/internal/contextkey", "runtime/internal/mcp/tasking", "runtime/transport", "runtime/gen/wire", "runtime/x/mcpdynamic"},
	"runtime/x/discover":            {"runtime", "runtime/gen/wire"},
	"runtime/x/httplog":             {},
	"runtime/x/backend":             {"runtime/gen/violation", "runtime/internal/owner", "runtime/internal/turns", "runtime/mcp", "runtime/gen/wire", "runtime/internal/mcp/protocol", "runtime/internal/mcp/seal", "runtime/internal/outer", "runtime/internal/report", "runtime/internal/web", "runtime/principal"},
	"runtime/x/explorer":            {"runtime/internal/contextkey", "runtime", "runtime/frame", "runtime/internal/web", "runtime/transport/pipe", "runtime/x/message"}, // a page of its own connections, and messages that it passes on
	"runtime/x/ratelimit":           {"runtime/internal/defaults", "runtime", "runtime/internal/unwrap", "runtime/principal", "runtime/when"},
	"runtime/transport/rpchttp":     {"runtime/internal/defaults", "runtime", "runtime/frame", "runtime/internal/peerlog", "runtime/internal/tap", "runtime/internal/unwrap", "runtime/internal/web", "runtime/principal", "runtime/transport", "runtime/when", "runtime/gen/wire"},
	"runtime/transport":             {"runtime", "runtime/internal/contextkey"},
	"runtime/transport/pipe":        {"runtime/internal/defaults", "runtime/frame"},
	"runtime/transport/stdio":       {"runtime/internal/procgroup", "runtime", "runtime/frame", "runtime/internal/peerlog"},
	"runtime/transport/tcp":         {"runtime", "runtime/frame", "runtime/internal/contextkey", "runtime/internal/ended", "runtime/internal/memory", "runtime/internal/memory/clients", "runtime/internal/peerlog", "runtime/when"},
	"runtime/transport/tcptls":      {"runtime", "runtime/principal", "runtime/transport/tcp"},
	"runtime/x/contract/kit": {"runtime", "runtime/gen/compact", "runtime/gen/violation", "runtime/gen/wire", "runtime/internal/leak", "runtime/mcp", "runtime/mcp/mcpclient", "runtime/transport/pipe",
		"runtime/x/contract", "runtime/x/contract/values"},
	"runtime/x/backend/backendtest":  {"runtime/internal/secretname", "runtime/internal/web"},
	"runtime/x/backend/backendoauth": {"runtime/internal/turns", "runtime/internal/oauth", "runtime/internal/owner", "runtime/internal/mcp/protocol", "runtime/internal/outer", "runtime/internal/web", "runtime/mcp", "runtime/x/backend"},
}

// free are folders whose packages show how others are used, or serve tests only.
var free = []string{"cmd/rpcgen/internal/source/hostile", "cmd/rpcgen/internal/workshop/verify/faulty", "cmd/rpcgen/internal/source/revisions", "cmd/rpcgen/internal/source/verdicts", "docs", "examples/", "generated/", "test/", "runtime/internal/", "runtime/internal/mcp/shop", "runtime/internal/mcp/transcripts", "runtime/transport/transporttest", "runtime/x/mcpcluster/backplanetest", "runtime/x/mcptask/storetest"}

// reflecting are the packages of the runtime that use reflection by themselves: for values of bound types, for names of members of the state of a session
// that moves, and for options and tests.
var reflecting = []string{"runtime/gen/dynamic", "runtime/mcp", "runtime/x/backend", "runtime/x/backend/backendtest"}

// TestArchitecture compares the imports of every package with the list above.
func TestArchitecture(t *testing.T) {
	root()
	t.Parallel()
	seen := map[string]bool{}
	for name, u := range units(t) {
		seen[name] = true
		if name == "" || slices.ContainsFunc(free, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		allowed, known := imports[name]
		if !known {
			t.Errorf("package %s is new: say in imports what it may import", name)
			continue
		}
		if slices.Contains(u.Imports, "reflect") && strings.HasPrefix(name, "runtime") && !slices.Contains(reflecting, name) {
			t.Errorf("package %s may not use reflection", name)
		}
		for _, path := range u.Imports {
			first, _, _ := strings.Cut(path, "/")
			if own := strings.TrimPrefix(path, module+"/"); strings.Contains(first, ".") && !slices.Contains(allowed, own) {
				t.Errorf("package %s may not import %s", name, own)
			}
		}
	}
	for name := range imports {
		if !seen[name] {
			t.Errorf("package %s is listed, and is not there", name)
		}
	}
}

// wings are the folders that the packages of the command stand in, and below them what reaches servers.
var wings = []struct{ folder, job, imports string }{
	{"cmd/rpcgen/command", "reads arguments, and calls what does the work", "cmd/internal cmd/rpcgen/internal"},
	{"cmd/rpcgen/internal/workshop", "tests, serves and ships servers", "cmd/internal cmd/rpcgen/internal"},
	{"cmd/rpcgen/internal/source", "reads the sources of others", "cmd/rpcgen/internal/source cmd/rpcgen/internal/language"},
	{"cmd/rpcgen/internal/language", "compiles, compares and explains schemas", "cmd/rpcgen/internal/language"},
	{"cmd/internal", "reaches servers, and fetches files", "cmd/internal"},
}

// TestWings: each package of the command stands in a wing, and imports only from the wings below it.
func TestWings(t *testing.T) {
	root()
	for name, allowed := range imports {
		if !strings.HasPrefix(name, "cmd/") || name == "cmd/rpcgen" || name == "cmd/rpcgen-go" {
			continue
		}
		i := slices.IndexFunc(wings, func(w struct{ folder, job, imports string }) bool { return strings.HasPrefix(name+"/", w.folder+"/") })
		if i < 0 {
			t.Errorf("package %s stands in no wing", name)
			continue
		}
		for _, other := range allowed {
			if strings.HasPrefix(other, "cmd/") && !slices.ContainsFunc(strings.Fields(wings[i].imports), func(w string) bool { return strings.HasPrefix(other, w+"/") }) {
				t.Errorf("%s: %s %s, and imports %s", name, wings[i].folder, wings[i].job, other)
			}
		}
	}
	entries, err := os.ReadDir("cmd/rpcgen/internal")
	if err != nil || len(entries) != 3 {
		t.Errorf("%d folders in cmd/rpcgen/internal, and not the three wings: %v", len(entries), err)
	}
}

// TestPromiseStandsOnNoYoung: no package that is promised, those of modules of their own included, imports one below runtime/x, whose names may still change.
func TestPromiseStandsOnNoYoung(t *testing.T) {
	root()
	for _, root := range []string{"runtime/mcp", "runtime/transport", "runtime/rpcotel", "runtime/gen", "runtime/internal"} {
		err := filepath.WalkDir(root, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			text, err := os.ReadFile(file)
			if strings.Contains(string(text), `"`+module+"/runtime/x/") {
				t.Errorf("%s imports a package below runtime/x", file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestLinked shows what a program links that serves a small schema: none of the heavy packages.
func TestLinked(t *testing.T) {
	root()
	t.Parallel()
	linked := links(t, "generated/weather", "runtime/transport/stdio", "runtime/mcp")
	for _, heavy := range []string{"github.com/bytedance/sonic", "net/http", "regexp", "github.com/rpcgen-go/rpcgen/runtime/gen/dynamic", "github.com/rpcgen-go/rpcgen/runtime/x/mcptask", "github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic", "github.com/rpcgen-go/rpcgen/schema"} {
		if linked[heavy] != nil {
			t.Errorf("a weather server links %s", heavy)
		}
	}
}

// TestUsersChecksums shows that the tests of all packages that a program may link, which "go mod tidy" of its module looks at, import nothing
// but the standard library and this module: so that go.sum of users holds nothing that only our tests need.
func TestUsersChecksums(t *testing.T) {
	root()
	t.Parallel()
	own := units(t)
	folders := []string{"runtime/mcp/mcphttp", "runtime/mcp/mcpclient", "runtime/mcp/mcpauth", "runtime/gen/dynamic", "generated/toolbox"}
	for folder := range own {
		if strings.HasPrefix(folder+"/", "runtime/transport/") {
			folders = append(folders, folder)
		}
	}
	check := func(importing, path string) {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") && !strings.HasPrefix(path, module) {
			t.Errorf("%s imports %s", importing, path)
		} else if folder := strings.TrimPrefix(path, module+"/"); own[folder] != nil {
			folders = append(folders, folder)
		}
	}
	for path := range links(t, folders...) {
		if u := own[strings.TrimPrefix(path, module+"/")]; u != nil {
			for _, imported := range slices.Concat(u.TestImports, u.XTestImports) {
				check("a test of "+path, imported)
			}
		}
	}
	for path := range links(t, folders...) {
		if u := own[strings.TrimPrefix(path, module+"/")]; u != nil && path != module+"/runtime/gen/dynamic" {
			for _, imported := range u.Imports {
				check(path, imported)
			}
		}
	}
}

// TestServersLinkNoClient shows that what serves MCP, over HTTP too, does not link the client of MCP; what is generated for the server alone
// does not name it (see TestServerHalves of package templates).
func TestServersLinkNoClient(t *testing.T) {
	root()
	t.Parallel()
	if links(t, "runtime/mcp", "runtime/mcp/mcphttp", "runtime/transport/stdio")[module+"/runtime/mcp/mcpclient"] != nil {
		t.Error("a server links the client of MCP")
	}
}

// TestServersLinkNoCluster shows that a server over HTTP links nothing of sessions that replicas share unless it imports them: the seam is
// runtime/internal/mcp/replicas. The number of linked lines may only fall.
func TestServersLinkNoCluster(t *testing.T) {
	root()
	t.Parallel()
	const most = 38_000
	lines := 0
	for path, u := range links(t, "runtime/mcp/mcphttp") {
		own, ours := strings.CutPrefix(path, module+"/")
		if !ours {
			continue
		}
		if strings.HasPrefix(own, "runtime/x/") {
			t.Errorf("a server over HTTP links %s", own)
		}
		for _, file := range u.paths() {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines += strings.Count(string(text), "\n")
		}
	}
	if lines > most || lines < most/2 {
		t.Errorf("a server over HTTP links %d lines of this module, and not at most %d", lines, most)
	}
}

// TestPeopleImportNoGen: no file that is written by hand in examples, and no page, imports what only generated code uses. What people hold of it
// has names in package runtime.
func TestPeopleImportNoGen(t *testing.T) {
	root()
	files := 0
	for _, root := range []string{"examples", "docs", "README.md"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, ".gen.go") || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".md") {
				return err
			}
			text, err := os.ReadFile(path)
			files++
			if strings.Contains(string(text), `"`+module+"/runtime/gen") {
				t.Errorf("%s imports a package below runtime/gen", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 60 {
		t.Errorf("%d files", files)
	}
}

// TestGeneratedLines: no line of generated code is too long to be reviewed.
func TestGeneratedLines(t *testing.T) {
	root()
	const most = 200 // bytes
	for _, pattern := range []string{
		"generated/*/*.gen.go", "generated/*/*/*.gen.go", "examples/*/*/*.gen.go", "test/*/*/*.gen.go", "test/*/*/*/*.gen.go", "cmd/rpcgen/internal/workshop/*/*/*/*.gen.go",
		"runtime/internal/*/*/*.gen.go",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(filepath.ToSlash(file), "/_") { // of others, and not in the repository
				continue
			}
			n := 0
			for line := range strings.Lines(string(text)) {
				if n++; len(line) > most {
					t.Errorf("%s:%d has %d bytes", file, n, len(line))
				}
			}
		}
	}
}
