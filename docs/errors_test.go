package docs_test

import (
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	linediff "github.com/rogpeppe/go-internal/diff"
)

// TestConditions compares the table of conditions with the checker, which knows their data, with the comments of package when, which give
// the defaults, and with the runtime: "never" stands where nothing raises a condition, and nowhere else.
func TestConditions(t *testing.T) {
	rows := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (.+) \\| (-\\d+ .+) \\| (.+) \\|$").FindAllStringSubmatch(text(t, "errors.md"), -1)
	var told []string
	for _, r := range rows {
		told = append(told, strings.Join([]string{r[1], r[3], r[4], strconv.FormatBool(!strings.HasPrefix(r[2], "never"))}, " | "))
	}
	data, raised := conditionData(t), raisedConditions(t)
	var want []string
	defaults := regexp.MustCompile(`(?m)^\t(\w+) .*// (-\d+ .+)$`).FindAllStringSubmatch(text(t, "../runtime/when/when.go"), -1)
	for _, d := range data {
		for _, w := range defaults {
			if snake(w[1]) == d[0] {
				want = append(want, strings.Join([]string{d[0], w[2], d[1], strconv.FormatBool(raised[w[1]])}, " | "))
			}
		}
	}
	if len(data) == 0 || len(want) != len(data) || len(data) != len(defaults) {
		t.Fatalf("the checker knows %d conditions, package when %d", len(data), len(defaults))
	}
	says, should := strings.Join(told, "\n")+"\n", strings.Join(want, "\n")+"\n"
	if d := linediff.Diff("errors.md", []byte(says), "source", []byte(should)); d != nil {
		t.Errorf("%s", d)
	}
}

// snake writes a name such as ToolNotFound as tool_not_found.
func snake(name string) string {
	return strings.ToLower(regexp.MustCompile(`(.)([A-Z])`).ReplaceAllString(name, "${1}_$2"))
}

// conditionData reads from the checker which conditions there are, and the fields of their data as the page writes them.
func conditionData(t *testing.T) (all [][2]string) {
	t.Helper()
	source := text(t, "../schema/check/conditions.go")
	field := regexp.MustCompile(`\{"(\w+)", with\w+\}`)
	for _, c := range regexp.MustCompile(`(?ms)^\t\{"([a-z_]+)", \[\]fill\{(.*?\})\}\},$`).FindAllStringSubmatch(source, -1) {
		all = append(all, [2]string{c[1], "`" + strings.Join(names(field, c[2]), "`, `") + "`"})
	}
	return all
}

// raisedConditions finds the constants of package when that the runtime makes a condition with.
func raisedConditions(t *testing.T) map[string]bool {
	t.Helper()
	kind := regexp.MustCompile(`Kind:\s+when\.(\w+)`)
	raised := map[string]bool{}
	err := filepath.WalkDir("../runtime", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, name := range names(kind, text(t, path)) {
			raised[name] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return raised
}

// names returns the first group of every match.
func names(re *regexp.Regexp, in string) (all []string) {
	for _, m := range re.FindAllStringSubmatch(in, -1) {
		all = append(all, m[1])
	}
	return all
}

// TestCodes finds every exported code of the runtime in the table of codes.
func TestCodes(t *testing.T) {
	page, found := text(t, "errors.md"), 0
	for _, path := range []string{"runtime", "runtime/when", "runtime/mcp"} {
		pkg := exported(t, path)
		for _, name := range pkg.Scope().Names() {
			c, ok := pkg.Scope().Lookup(name).(*types.Const)
			if !ok || !strings.HasPrefix(name, "Code") {
				continue
			}
			found++
			if row := fmt.Sprintf("| %s | `%s.%s` |", c.Val(), pkg.Name(), name); !strings.Contains(page, row) {
				t.Errorf("errors.md lacks %s", row)
			}
		}
	}
	if found < 10 {
		t.Errorf("there are %d codes", found)
	}
}
