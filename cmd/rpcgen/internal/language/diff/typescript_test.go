package diff_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/templates/typescript"
)

var modules = flag.String("typescript", "", "folder with the files of test/typescript and with their packages installed")

// rewritten are types before and after, and a program that was written for those before. Of a method, In are the params and Out is the result.
var rewritten = []struct{ before, after, program string }{
	{`Out: {fields: {a: string}}`, `Out: {fields: {a?: string}}`, `(o: t.Out): number => o.a.length`},
	{`Out: {fields: {a?: string}}`, `Out: {fields: {a: string}}`, `(o: t.Out): number => o.a?.length ?? 0`},
	{`In: {fields: {a: string}}`, `In: {fields: {a?: string}}`, `(): t.In => ({ a: "" })`},
	{`In: {fields: {a?: string}}`, `In: {fields: {a: string}}`, `(): t.In => ({})`},
	{`In: {fields: {a?: string}}`, `In: {fields: {a?: string, b: string}}`, `(): t.In => ({})`},
	{`In: {fields: {a?: string}}`, `In: {fields: {a?: string, b?: string}}`, `(): t.In => ({})`},
	{`In: {fields: {a: string, b?: string}}`, `In: {fields: {a: string}}`, `(): t.In => ({ a: "", b: "" })`},
	{`Out: {fields: {a: string}}`, `Out: {fields: {a: string, b: string}}`, `(o: t.Out) => o.a`},
	{`Out: {fields: {a: string, b: string}}`, `Out: {fields: {a: string}}`, `(o: t.Out) => o.b`},
	{`Out: {fields: {a: string}}`, `Out: {fields: {a: string | null}}`, `(o: t.Out): string => o.a`},
	{`Out: {fields: {a: string | null}}`, `Out: {fields: {a: string}}`, `(o: t.Out): string => o.a ?? ""`},
	{`In: {fields: {a: string}}`, `In: {fields: {a: string | null}}`, `(): t.In => ({ a: "" })`},
	{`In: {fields: {a: string | null}}`, `In: {fields: {a: string}}`, `(): t.In => ({ a: null })`},
	{`Out: {fields: {a: int32}}`, `Out: {fields: {a: number}}`, `(o: t.Out): number => o.a`},
	{`In: {fields: {a: number}}`, `In: {fields: {a: int32}}`, `(): t.In => ({ a: 1.5 })`},
	{`Out: {fields: {a: string}}`, `Out: {fields: {a: datetime}}`, `(o: t.Out): string => o.a`},
	{`Out: {fields: {a: string}}`, `Out: {fields: {a: int32}}`, `(o: t.Out): string => o.a`},
	{`Out: {fields: {a: list<int32>}}`, `Out: {fields: {a: list<int64>}}`, `(o: t.Out): number[] => o.a`},
	{`In: {fields: {a: string}}`, `In: {fields: {a: {type: string, maxLength: 3}}}`, `(): t.In => ({ a: "long text" })`},
	{`In: {fields: {a: {enum: [x, y]}}}`, `In: {fields: {a: {enum: [x]}}}`, `(): t.In => ({ a: "y" })`},
	{`Out: {fields: {a: {enum: [x, y]}}}`, `Out: {fields: {a: {enum: [x]}}}`, `(o: t.Out) => o.a === "y"`},
	{`In: {fields: {a: {enum: [x], open: true}}}`, `In: {fields: {a: {enum: [x]}}}`, `(): t.In => ({ a: "other" })`},
	{`In: {fields: {a: {enum: [x]}}}`, `In: {fields: {a: {enum: [x, y]}}}`, `(): t.In => ({ a: "x" })`},
	{`Out: {fields: {a: string}, additional: any}`, `Out: {fields: {a: string}}`, `(o: t.Out) => o["other"]`},
	{`In: {fields: {a: string}}`, `In: {fields: {a: {enum: [x]}}}`, `(): t.In => ({ a: "other" })`},
	{`Out: {fields: {old: string}}`, `Out: {fields: {new: string}}`, `(o: t.Out) => o.old`},
	{`Old: {fields: {a: string}}`, `New: {fields: {a: string}}`, `(o: t.Old) => o.a`},
}

// TestTypeScript compiles programs that were written for what a schema was, with what is generated for what it is: those do not compile whose change breaks
// TypeScript.
func TestTypeScript(t *testing.T) {
	if *modules == "" {
		t.Skip("it needs node and packages of npm; make typescript runs it")
	}
	folder := filepath.Join(*modules, "edits")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("tsconfig.json", `{"extends": "../tsconfig.json", "compilerOptions": {"noEmit": true, "isolatedDeclarations": false, "declaration": false}, "include": ["."]}`)
	breaks := make([]string, len(rewritten))
	for i, e := range rewritten {
		spelled := func(types string) string {
			for _, name := range []string{"In", "Out"} {
				if !strings.HasPrefix(types, name+":") {
					types += "\n  " + name + ": {fields: {other?: string}}"
				}
			}
			return "rpcgen: v1\npackage: api\ntypes:\n  " + types + "\nmethods:\n  get: {params: In, result: Out}\n"
		}
		files := map[string]string{"old": spelled(e.before), "new": spelled(e.after)}
		old, _ := load(t, files, "old")
		new, _ := load(t, files, "new")
		for _, c := range diff.Compare(old, new, names).Changes {
			if c.Script.Verdict == diff.Break {
				breaks[i] = c.Script.Reason
			}
		}
		generated, _ := typescript.Generate(new, typescript.Options{})
		for _, f := range generated {
			put(fmt.Sprintf("e%d/%s", i, f.Name), string(f.Text))
		}
		put(fmt.Sprintf("e%d/program.ts", i), "import type * as t from \"./types.js\";\nexport const program = "+e.program+";\n")
	}
	c := exec.Command("node_modules/.bin/tsc", "-p", "edits")
	c.Dir = *modules
	out, err := c.Output()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	for i, e := range rewritten {
		if wrong := strings.Contains(string(out), fmt.Sprintf("edits/e%d/program.ts(", i)); wrong != (breaks[i] != "") {
			t.Errorf("%s to %s: is judged %q; it does not compile: %v", e.before, e.after, breaks[i], wrong)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}
