package docs_test

import (
	"go/types"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exported returns what a package of the runtime exports.
func exported(t *testing.T, path string) *types.Package {
	t.Helper()
	known, err := list("..", packages)
	if err != nil {
		t.Fatal(err)
	}
	known.Lock()
	defer known.Unlock()
	pkg, err := known.importer.Import("github.com/rpcgen-go/rpcgen/" + path)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// TestNames finds what the pages name in inline code, such as mcp.Options.StateKey, in the packages of the runtime.
func TestNames(t *testing.T) {
	named := regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)
	packages := map[string]*types.Package{}
	for _, path := range []string{
		"runtime",
		"runtime/frame",
		"runtime/gen",
		"runtime/mcp",
		"runtime/mcp/mcpauth",
		"runtime/mcp/mcpclient",
		"runtime/mcp/mcphttp",
		"runtime/x/mcpcluster",
		"runtime/x/message",
		"runtime/x/reconnect",
		"runtime/transport/pipe",
		"runtime/transport/stdio",
		"runtime/transport/tcp",
		"runtime/when",
	} {
		packages[filepath.Base(path)] = exported(t, path)
	}
	found := 0
	for _, page := range pages(t) {
		if strings.HasSuffix(page, "CHANGELOG.md") {
			continue // it has names of the past
		}
		for _, c := range code.FindAllString(fenced.ReplaceAllString(text(t, page), ""), -1) {
			for _, n := range named.FindAllStringSubmatch(c, -1) {
				pkg := packages[n[1]]
				if pkg == nil {
					continue
				}
				found++
				if !declares(pkg, n[2], n[3]) {
					t.Errorf("%s: %s is not there", page, n[0])
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("there are %d names", found)
	}
}

// TestLintRules finds each rule of lint in the table of the language.
func TestLintRules(t *testing.T) {
	language := text(t, "language.md")
	rules := names(regexp.MustCompile(`(?m)^# (\w+): `), text(t, "../cmd/rpcgen/internal/language/lint/rules.txt"))
	if len(rules) < 20 {
		t.Fatal(rules)
	}
	for _, rule := range rules {
		if !strings.Contains(language, "`"+rule+"`") {
			t.Errorf("the table of section 9 of language.md has no rule %s", rule)
		}
	}
}

// declares reports whether a package exports a name and, unless member is empty, a field or method of it.
func declares(pkg *types.Package, name, member string) bool {
	o := pkg.Scope().Lookup(name)
	if o == nil || !o.Exported() || member == "" {
		return o != nil && o.Exported()
	}
	field, _, _ := types.LookupFieldOrMethod(o.Type(), true, pkg, member)
	return field != nil
}
