package playground

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
	"github.com/rpcgen-go/rpcgen/templates"
)

// runtimeModule is the path of this module, which projects require.
var runtimeModule = strings.TrimSuffix(reflect.TypeFor[templates.File]().PkgPath(), "/templates")

// newProject returns the files of a module with the schema, what is generated from it, and a program that serves it. Handlers answer that they
// are not implemented, and those of a schema whose tools call an HTTP API call it.
func newProject(doc *ir.Document, sources map[string]string, main string, generated []templates.File, version string) []File {
	name := moduleName(main)
	all := []File{{"go.mod", goMod(name, version)}}
	for _, file := range slices.Sorted(maps.Keys(sources)) {
		if file == main || strings.HasSuffix(file, ".yaml") || strings.HasSuffix(file, ".json") {
			all = append(all, File{path.Join("rpc", file), sources[file]})
		}
	}
	all = append(all, ir.Each(generated, func(f templates.File) File { return File{path.Join("rpc", f.Name), string(f.Text)} })...)
	all = append(all, File{"rpc/generate.go", "package " + doc.Package + "\n\n//go:generate go tool rpcgen generate " + path.Base(main) + "\n"})
	program := mainOf(doc, name)
	if program != "" {
		all = append(all, File{"main.go", program})
	}
	return append(all, File{"README.md", readme(name, version, program != "")})
}

// moduleName returns a name for a module, of letters and digits.
func moduleName(main string) string {
	base, _, _ := strings.Cut(path.Base(main), ".")
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, base)
	return cmp.Or(strings.TrimLeft(name, "0123456789"), "service")
}

func goMod(name, version string) string {
	text := "module example.com/" + name + "\n\ngo 1.26\n\ntool " + runtimeModule + "/cmd/rpcgen\n"
	if version != "" {
		text += "\nrequire " + runtimeModule + " " + version + "\n"
	}
	return text
}

func readme(name, version string, runs bool) string {
	text := "# " + name + "\n\nMade in the playground of rpcgen.\n\n"
	if version == "" {
		text += "The playground has an unreleased version of rpcgen, so go.mod requires none: `go get " + runtimeModule + "@latest` adds the released one.\n\n"
	}
	text += "```sh\ngo mod tidy\ngo generate ./...\n"
	if runs {
		text += "go run .\n```\n\nThe program serves standard input and output. Write its handlers as methods of `service` in `main.go`.\n"
	} else {
		text += "go build ./...\n```\n"
	}
	return text
}

// mainOf writes the program; it is empty for a schema without methods and without a server.
func mainOf(doc *ir.Document, name string) string {
	imports := []string{runtimeModule + "/runtime/transport/stdio"}
	service := "type service struct{ rpc.UnimplementedServer }"
	serve := "rpc.NewHandler(service{})"
	before := ""
	switch {
	case doc.Server != nil && len(doc.Backends) > 0 && !slices.ContainsFunc(doc.Tools, func(t *ir.Tool) bool { return t.HTTP == nil }):
		imports = append(imports, runtimeModule+"/runtime/mcp", runtimeModule+"/runtime/x/backend")
		service = "type service struct{ *rpc.Backend }"
		before = fmt.Sprintf("\tapi, err := rpc.NewBackend(%s)\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n", backendOptions(doc))
		serve = "rpc.NewServer(service{api}, mcp.Options{})"
	case doc.Server != nil:
		imports = append(imports, runtimeModule+"/runtime/mcp")
		serve = "rpc.NewServer(service{}, mcp.Options{})"
	case len(doc.Methods) == 0:
		return ""
	}
	slices.Sort(imports)
	var b strings.Builder
	fmt.Fprintf(&b, "// Command %s serves its schema on standard input and output.\npackage main\n\nimport (\n\t\"context\"\n\t\"log\"\n\n\trpc \"example.com/%[1]s/rpc\"\n", name)
	for _, one := range imports {
		fmt.Fprintf(&b, "\t%q\n", one)
	}
	fmt.Fprintf(&b, ")\n\n// service has the handlers. Those that it does not have are the embedded ones.\n%s\n\nfunc main() {\n%s\tif err := stdio.Serve(context.Background(), %s); err != nil {\n\t\tlog.Fatal(err)\n\t}\n}\n", service, before, serve)
	return b.String()
}

// backendOptions writes options by which credentials come from the environment.
func backendOptions(doc *ir.Document) string {
	credentials := func(b *ir.Backend) string {
		env := ir.Each(b.Schemes, func(s *ir.Scheme) string { return fmt.Sprintf("%q: %q", s.Name, text.Variable(b.Name+"_"+s.Name)) })
		return "Credentials: backend.Env{" + strings.Join(env, ", ") + "}"
	}
	if len(doc.Backends) == 1 {
		return "rpc.BackendOptions{" + credentials(doc.Backends[0]) + "}"
	}
	return "rpc.BackendOptions{}"
}

// CompileJSON is [Compile] for a request and an answer in JSON. A request that is not valid is {"error": ...}.
func CompileJSON(request []byte) []byte {
	var r Request
	if err := json.Unmarshal(request, &r); err != nil {
		return failure("the request is not valid: " + err.Error())
	}
	r.Version = releaseVersion()
	answer, err := json.Marshal(Compile(r))
	if err != nil {
		return failure(err.Error())
	}
	return answer
}

func failure(message string) []byte {
	text, _ := json.Marshal(map[string]string{"error": message})
	return text
}

// releaseVersion returns the version of this program; empty if it was not built from a released one.
func releaseVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || !strings.HasPrefix(info.Main.Version, "v") || strings.Contains(info.Main.Version, "-") || strings.Contains(info.Main.Version, "+") {
		return ""
	}
	return info.Main.Version
}

// Example is a text to begin with.
type Example struct {
	Title string `json:"title"`
	File
	Before string `json:"before,omitempty"` // another version, for the comparison
}

//go:embed examples
var examples embed.FS

// Examples returns the texts to begin with, the simplest first.
func Examples() []Example {
	all := []Example{
		{Title: "JSON-RPC service", File: File{Name: "weather.rpc.yaml"}, Before: "weather.before.yaml"},
		{Title: "MCP server", File: File{Name: "notes.rpc.yaml"}},
		{Title: "OpenAPI document", File: File{Name: "issues.openapi.yaml"}},
		{Title: "OpenRPC document", File: File{Name: "arith.openrpc.json"}},
		{Title: "List of tools", File: File{Name: "files.tools.json"}},
	}
	text := func(name string) string {
		text, err := examples.ReadFile(path.Join("examples", name))
		if err != nil {
			panic(err) // embedded: a test reads all
		}
		return string(text)
	}
	for i := range all {
		e := &all[i]
		e.Text = text(e.Name)
		if e.Before != "" {
			e.Before = text(e.Before)
		}
	}
	return all
}
