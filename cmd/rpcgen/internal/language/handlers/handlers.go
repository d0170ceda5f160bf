// Package handlers writes the Go files of a program that takes over an MCP server: a method for each tool, resource and prompt of its schema, and a
// test that compares what the two servers list.
//
//test:sequential
//test:by ./cmd/rpcgen/command TestTakenOver|TestScripts/^import_mcp$
package handlers

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// Program is where the files are written.
type Program struct {
	Folder string // of the program
	Name   string // of its files, such as office
	Import string // path of the generated package

	// Command starts the server that is taken over; URL is where it is instead. Without either, the environment of the test has to say it.
	Command []string
	URL     string

	// Mount has main pass on to that server what has no handler yet.
	Mount bool

	Runtime string // path of the module of the runtime
}

// File is a file to write.
type File struct {
	Name string // without the folder
	Text []byte
	Note string // what is in it
}

// handler is a method of the interface Server of generated code.
type handler struct {
	name, doc, params, results, arguments string
}

// Check returns an error if there is a program that does not mount the old server although it should: its main is not changed.
func (p Program) Check() error {
	if !p.Mount {
		return nil
	}
	there, err := read(p.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && (there.main || there.name != "main") && !there.mounts {
		err = fmt.Errorf("--mount writes main.go, and %s has a program already, which is not changed: give its server "+
			"mcp.Options{Dynamic: old, Middleware: []mcp.Middleware{old.PassOn}}, where old is what mount.NewUpstreams returns, and import without --mount", p.Folder)
	}
	return err
}

// Files returns the files that are missing in the folder of a program: its handlers, main and the test. Files that are there are not changed: what
// handlers they lack is a file of its own. The receiver of handlers is called server.
func (p Program) Files(doc *ir.Document) ([]File, error) {
	handlers, imports, err := p.handlers(doc)
	if err != nil {
		return nil, err
	}
	there, err := read(p.Folder)
	if err != nil {
		return nil, err
	}
	missing := slices.DeleteFunc(handlers, func(h handler) bool { return there.methods[h.name] })
	var all []File
	add := func(name, note, text string) error {
		formatted, err := format.Source([]byte(text))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, File{name, formatted, note})
		return nil
	}
	name := p.Name + ".go"
	if there.files[name] && len(missing) > 0 {
		name = p.Name + "_new.go"
	}
	if len(missing) > 0 {
		if there.files[name] {
			return nil, fmt.Errorf("%s is there and does not have all handlers: move its methods to %s.go, and run the import again", name, p.Name)
		}
		if err := add(name, count(len(missing), "handler")+", not written yet", p.handlerFile(there, missing, imports)); err != nil {
			return nil, err
		}
	}
	switch {
	case there.name == "main" && !there.main && p.Mount:
		if err := add("main.go", "serves standard input and output, and passes on to the old server what has no handler yet", p.mountFile()); err != nil {
			return nil, err
		}
	case there.name == "main" && !there.main:
		if err := add("main.go", "serves standard input and output", p.mainFile()); err != nil {
			return nil, err
		}
	}
	if test := p.Name + "_test.go"; !there.files[test] {
		if err := add(test, "compares the lists of the old server and the new one", p.testFile(there)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// handlers reads the interface Server of the code that is generated for doc, with what it imports, by name.
func (p Program) handlers(doc *ir.Document) (all []handler, imports map[string]string, err error) {
	files, faults, err := templates.Generate(doc, templates.Options{})
	if err != nil {
		return nil, nil, err
	}
	if faults.HasErrors() {
		return nil, nil, errors.New(faults[0].Message)
	}
	at := slices.IndexFunc(files, func(f templates.File) bool { return f.Name == templates.FileName("server") })
	if at < 0 {
		return nil, nil, errors.New("the schema has no server")
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), files[at].Name, files[at].Text, parser.ParseComments)
	if err != nil {
		return nil, nil, err
	}
	imports = map[string]string{}
	for _, s := range parsed.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if s.Name != nil {
			name = s.Name.Name
		}
		imports[name] = path
	}
	object := parsed.Scope.Lookup("Server")
	if object == nil {
		return nil, nil, errors.New("the schema has no server")
	}
	methods, ok := object.Decl.(*ast.TypeSpec).Type.(*ast.InterfaceType)
	if !ok {
		return nil, nil, errors.New("the schema has no server")
	}
	for _, m := range methods.Methods.List {
		f, ok := m.Type.(*ast.FuncType)
		if !ok {
			continue // an interface that it embeds
		}
		h := handler{name: m.Names[0].Name, doc: m.Doc.Text()}
		var params, names []string
		for _, field := range f.Params.List {
			for _, n := range field.Names {
				params, names = append(params, n.Name+" "+text(qualify(field.Type))), append(names, n.Name)
			}
		}
		h.params, h.arguments = strings.Join(params, ", "), strings.Join(names, ", ")
		results := ir.Each(f.Results.List, func(field *ast.Field) string { return text(qualify(field.Type)) })
		if h.results = strings.Join(results, ", "); len(results) > 1 {
			h.results = "(" + h.results + ")"
		}
		all = append(all, h)
	}
	return all, imports, nil
}

// qualify is a type of the generated package as another package writes it.
func qualify(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.Ident:
		if e.IsExported() {
			return &ast.SelectorExpr{X: ast.NewIdent("rpc"), Sel: e}
		}
	case *ast.StarExpr:
		return &ast.StarExpr{X: qualify(e.X)}
	case *ast.ArrayType:
		return &ast.ArrayType{Len: e.Len, Elt: qualify(e.Elt)}
	case *ast.MapType:
		return &ast.MapType{Key: qualify(e.Key), Value: qualify(e.Value)}
	case *ast.IndexExpr:
		return &ast.IndexExpr{X: qualify(e.X), Index: qualify(e.Index)}
	}
	return e
}

func text(e ast.Expr) string {
	var b bytes.Buffer
	printer.Fprint(&b, token.NewFileSet(), e) // to memory
	return b.String()
}

// folder is what is in the folder of a program.
type folder struct {
	name    string          // of its package
	files   map[string]bool // by name
	methods map[string]bool // of the type server
	server  bool            // the type is declared
	main    bool            // there is a function main
	mounts  bool            // there is a function mounted, of a main that was written to mount the old server
}

func read(dir string) (*folder, error) {
	f := &folder{name: "main", files: map[string]bool{}, methods: map[string]bool{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".go" {
			continue
		}
		f.files[e.Name()] = true
		if strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		f.name = parsed.Name.Name
		for _, d := range parsed.Decls {
			f.declare(d)
		}
	}
	return f, nil
}

func (f *folder) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if t, ok := s.(*ast.TypeSpec); ok && t.Name.Name == "server" {
				f.server = true
			}
		}
	case *ast.FuncDecl:
		switch {
		case d.Recv == nil:
			f.main = f.main || d.Name.Name == "main"
			f.mounts = f.mounts || d.Name.Name == "mounted"
		case strings.TrimPrefix(text(d.Recv.List[0].Type), "*") == "server":
			f.methods[d.Name.Name] = true
		}
	}
}

func (p Program) handlerFile(there *folder, missing []handler, imports map[string]string) string {
	var body strings.Builder
	if !there.server {
		unwritten := "The embedded type answers for what is not written yet: that it is not there."
		if p.Mount {
			unwritten = "What the embedded type answers is not written yet, and is passed on to the old server."
		}
		fmt.Fprintf(&body, "// server has the handlers. %s\ntype server struct{ rpc.UnimplementedServer }\n\n", unwritten)
		fmt.Fprintf(&body, "func newServer(o mcp.Options) *mcp.Server { return rpc.NewServer(&server{}, o) }\n")
	}
	for _, h := range missing {
		body.WriteString("\n")
		for line := range strings.Lines(h.doc) {
			body.WriteString(strings.TrimRight("// "+line, " \n") + "\n")
		}
		fmt.Fprintf(&body, "func (s *server) %s(%s) %s {\n\treturn s.UnimplementedServer.%s(%s)\n}\n", h.name, h.params, h.results, h.name, h.arguments)
	}
	var head strings.Builder
	fmt.Fprintf(&head, "package %s\n\nimport (\n", there.name)
	var standard, others []string
	imports["mcp"] = p.Runtime + "/runtime/mcp"
	for name, path := range imports {
		if !strings.Contains(body.String(), name+".") {
			continue
		}
		if line := strconv.Quote(path); strings.Contains(path, ".") {
			others = append(others, line)
		} else {
			standard = append(standard, line)
		}
	}
	slices.Sort(standard)
	slices.Sort(others)
	fmt.Fprintf(&head, "\t%s\n\n\trpc %q\n\t%s\n)\n\n", strings.Join(standard, "\n\t"), p.Import, strings.Join(others, "\n\t"))
	return head.String() + body.String()
}

func (p Program) mainFile() string {
	return p.file("main", []string{"context", "log"}, []string{"mcp", "transport/stdio"}, `
func main() {
	if err := stdio.Serve(context.Background(), newServer(mcp.Options{})); err != nil {
		log.Fatal(err)
	}
}
`)
}

//go:embed mount.txt
var mountBody string

// mountFile is main.go of a program that passes on to the old server what has no handler yet.
func (p Program) mountFile() string {
	standard, others, dial := p.dialStatements(words(p.Command))
	return p.file("main", append(standard, "context", "log"), append(others, "mcp", "mcp/mcpclient", "transport/stdio", "x/mount"), fmt.Sprintf(mountBody, dial))
}

// dialStatements returns the statements that return how the old server is reached, and what they import. The argument command is an expression.
func (p Program) dialStatements(command string) (standard, others []string, statements string) {
	if p.URL != "" {
		return nil, []string{"mcp/mcphttp"}, fmt.Sprintf("return mcphttp.Dial(%q, mcphttp.ClientOptions{})", p.URL)
	}
	return []string{"os", "os/exec"}, []string{"transport/stdio"},
		"command := " + command + "\n\treturn stdio.Dial(exec.Command(command[0], command[1:]...), stdio.WithStderr(os.Stderr))"
}

// file is a Go file with imports of the standard library and of the runtime, by their paths below it.
func (p Program) file(name string, standard, others []string, body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n", name)
	for _, path := range slices.Compact(slices.Sorted(slices.Values(standard))) {
		fmt.Fprintf(&b, "\t%q\n", path)
	}
	b.WriteString("\n")
	for _, path := range slices.Compact(slices.Sorted(slices.Values(others))) {
		fmt.Fprintf(&b, "\t%q\n", p.Runtime+"/runtime/"+path)
	}
	return b.String() + ")\n" + body
}

func (p Program) testFile(there *folder) string {
	standard, others := []string{"testing"}, []string{"mcp", "mcp/mcpclient", "x/mcptest"}
	var body, what string
	if p.URL != "" {
		standard, others = append(standard, "cmp", "os"), append(others, "mcp/mcphttp")
		what = "OLD_SERVER is the URL of the old one."
		body = fmt.Sprintf("old := mcphttp.Dial(cmp.Or(os.Getenv(\"OLD_SERVER\"), %q), mcphttp.ClientOptions{})", p.URL)
	} else {
		standard, others = append(standard, "os", "os/exec", "strings"), append(others, "transport/stdio")
		what = "OLD_SERVER is the command of the old one, words with spaces between them."
		body = fmt.Sprintf(`command := %s
	if own := os.Getenv("OLD_SERVER"); own != "" {
		command = strings.Fields(own)
	}
	if len(command) == 0 {
		t.Fatal("OLD_SERVER does not say how the old server is started")
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		t.Fatalf("the old server cannot be started: %%v: name it in OLD_SERVER, or delete this test when there is no old one any more", err)
	}
	old := stdio.Dial(exec.Command(command[0], command[1:]...))`, words(p.fromFolder()))
	}
	same := "mcptest.SameLists(t, old, mcpclient.InMemory(newServer(mcp.Options{})))"
	if p.Mount {
		others = slices.DeleteFunc(others, func(path string) bool { return path == "mcp" })
		same = `server, mounting, err := mounted(old)
	if err != nil {
		t.Fatal(err)
	}
	defer mounting.Close()
	if err := mounting.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	mcptest.SameLists(t, old, mcpclient.InMemory(server))`
	}
	return p.file(there.name, standard, others, fmt.Sprintf(`
// TestSameLists: the server lists what the old one lists, byte for byte. %s
func TestSameLists(t *testing.T) {
	%s
	%s
}
`, what, body, same))
}

// fromFolder is the command with the path of its program as seen from the folder, in which tests run, where that is shorter than the whole path.
func (p Program) fromFolder() []string {
	command := slices.Clone(p.Command)
	if len(command) == 0 || !strings.ContainsAny(command[0], `/\`) {
		return command
	}
	path, err := filepath.Abs(command[0])
	if err != nil {
		return command
	}
	command[0] = path
	if below, err := filepath.Rel(p.Folder, path); err == nil && len(below) < len(path) {
		command[0] = "./" + filepath.ToSlash(below)
	}
	return command
}

// words is a list of texts as Go.
func words(all []string) string {
	if len(all) == 0 {
		return "[]string(nil)"
	}
	quoted := ir.Each(all, strconv.Quote)
	return "[]string{" + strings.Join(quoted, ", ") + "}"
}
