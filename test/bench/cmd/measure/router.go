package main

import (
	"encoding/json"
	"fmt"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// lookup is what finding the handler of a method costs, in nanoseconds.
type lookup struct {
	Methods           int
	Random, Hot       float64 // in the generated router
	RandomMap, HotMap float64 // in a map of functions, for comparison
}

// routers measures the generated routers by themselves: what they switch on is kept, and the handlers that they call return which one they are.
func (p *processes) routers(w *workshop, _ int) error {
	for _, n := range []int{10, 100, manyMethods} {
		say("router of %d methods", n)
		from, to := fmt.Sprintf("routed%d", n), fmt.Sprintf("router%d", n)
		if _, err := w.generate(from, serviceSchema(n, "", 0), "--side=server"); err != nil {
			return err
		}
		source, err := w.router(from)
		if err != nil {
			return err
		}
		if err := w.write(filepath.Join(to, "router.go"), source); err != nil {
			return err
		}
		if err := w.write(filepath.Join(to, "main.go"), program("router/main.go")); err != nil {
			return err
		}
		if err := w.program(to); err != nil {
			return err
		}
		_, out, err := w.run(nil, filepath.Join(w.dir, "bin", to))
		if err != nil {
			return err
		}
		l := lookup{Methods: n}
		if err := json.Unmarshal(out, &l); err != nil {
			return err
		}
		p.Lookups = append(p.Lookups, l)
	}
	return nil
}

var (
	methodConst = regexp.MustCompile(`(?m)^\s*(?:const )?(Method\w+|handlerMethods)\s*=\s*(".*"(?: \+\n\s*".*")*)$`)
	routerFunc  = regexp.MustCompile(`(?ms)^func \(h \*?handler\) (\w+)\(ctx context\.Context, c \*runtime\.Call(?:, (\w+) string)?\) \{\n(.*?)^\}`)
	handlerCall = regexp.MustCompile(`(?m)^(\s*)h\.(\w+)\(ctx, c(?:, (\w+))?\)$`)
	readMethod  = regexp.MustCompile(`(?m)^\s*method := c\.Method\(\)\n`)
	notFound    = regexp.MustCompile(`(?m)^(\s*)c\.MethodNotFound\(.*\)$`)
)

// router returns the routing functions of a generated package as a program's part.
func (w *workshop) router(folder string) (string, error) {
	var source strings.Builder
	names, _ := filepath.Glob(filepath.Join(w.dir, folder, "*.go"))
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		source.Write(b)
	}
	bodies := map[string]string{}
	for _, m := range routerFunc.FindAllStringSubmatch(source.String(), -1) {
		if strings.Contains(m[3], "c.MethodNotFound(") || strings.Contains(m[3], "c.Method()") {
			bodies[m[1]] = m[3]
		}
	}
	if bodies["Handle"] == "" {
		return "", fmt.Errorf("no router in %s", folder)
	}
	var out strings.Builder
	out.WriteString("package main\n\n")
	for name, path := range map[string]string{"strings.": "strings", "runtime.": "github.com/rpcgen-go/rpcgen/runtime",
		"gen.": "github.com/rpcgen-go/rpcgen/runtime/gen"} {
		if strings.Contains(bodies["Handle"], name) {
			fmt.Fprintf(&out, "import %q\n", path)
		}
	}
	for _, m := range methodConst.FindAllStringSubmatch(source.String(), -1) {
		fmt.Fprintf(&out, "const %s = %s\n", m[1], m[2])
	}
	leaf := 0
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		body := notFound.ReplaceAllString(bodies[name], "${1}return -1")
		body = readMethod.ReplaceAllString(body, "")
		body = strings.ReplaceAll(body, "c.Method()", "method")
		body = handlerCall.ReplaceAllStringFunc(body, func(call string) string {
			if callee := handlerCall.FindStringSubmatch(call)[2]; bodies[callee] != "" {
				return "return " + callee + "(method)"
			}
			leaf++
			return fmt.Sprintf("return handler%d()", leaf)
		})
		body = regexp.MustCompile(`(?m)^(\s*)return$`).ReplaceAllString(body, "")
		fmt.Fprintf(&out, "\n//go:noinline\nfunc %s(method string) int {\n%s\treturn -1\n}\n", name, body)
	}
	out.WriteString("\nvar handlers = []func() int{nil")
	for i := range leaf {
		fmt.Fprintf(&out, ", handler%d", i+1)
	}
	out.WriteString("}\n")
	for i := range leaf {
		fmt.Fprintf(&out, "\n//go:noinline\nfunc handler%[1]d() int { return %[1]d }\n", i+1)
	}
	formatted, err := format.Source([]byte(out.String()))
	return string(formatted), err
}
