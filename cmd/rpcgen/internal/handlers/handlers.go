// Package handlers writes the Go files of a program that takes over an MCP server: a method for each tool, resource and prompt of its schema, and a
// test that compares what the two servers list.
//
//test:sequential
package handlers

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
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

	// Command starts the server that is taken over; URL is where it is instead. Without either, the
	// environment of the test has to say it.
	Command []string
	URL     string

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
	if there.name == "main" && !there.main {
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
				params, names = append(params, n.Name+" "+text(qualified(field.Type))), append(names, n.Name)
			}
		}
		h.params, h.arguments = strings.Join(params, ", "), strings.Join(names, ", ")
		var results []string
		for _, field := range f.Results.List {
			results = append(results, text(qualified(field.Type)))
		}
		if h.results = strings.Join(results, ", "); len(results) > 1 {
			h.results = "(" + h.results + ")"
		}
		all = append(all, h)
	}
	return all, imports, nil
}

// qualified is a type of the generated package as another package writes it.
func qualified(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.Ident:
		if e.IsExported() {
			return &ast.SelectorExpr{X: ast.NewIdent("rpc"), Sel: e}
		}
	case *ast.StarExpr:
		return &ast.StarExpr{X: qualified(e.X)}
	case *ast.ArrayType:
		return &ast.ArrayType{Len: e.Len, Elt: qualified(e.Elt)}
	case *ast.MapType:
		return &ast.MapType{Key: qualified(e.Key), Value: qualified(e.Value)}
	case *ast.IndexExpr:
		return &ast.IndexExpr{X: qualified(e.X), Index: qualified(e.Index)}
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
		case strings.TrimPrefix(text(d.Recv.List[0].Type), "*") == "server":
			f.methods[d.Name.Name] = true
		}
	}
}

func (p Program) handlerFile(there *folder, missing []handler, imports map[string]string) string {
	var body strings.Builder
	if !there.server {
		fmt.Fprintf(&body, "// server has the handlers. What is not written yet, the embedded type answers: that it is not there.\ntype server struct{ rpc.UnimplementedServer }\n\n")
		fmt.Fprintf(&body, "func newServer() *mcp.Server { return rpc.NewServer(&server{}, mcp.Options{}) }\n")
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
	return fmt.Sprintf(`package main

import (
	"context"
	"log"

	"%s/runtime/transport/stdio"
)

func main() {
	if err := stdio.Serve(context.Background(), newServer()); err != nil {
		log.Fatal(err)
	}
}
`, p.Runtime)
}

func (p Program) testFile(there *folder) string {
	if p.URL != "" {
		return fmt.Sprintf(`package %s

import (
	"cmp"
	"os"
	"testing"

	"%[2]s/runtime/mcp/mcpclient"
	"%[2]s/runtime/mcp/mcphttp"
	"%[2]s/runtime/x/mcptest"
)

// TestSameLists: the server lists what the old one lists, byte for byte. OLD_SERVER is the URL of the old one.
func TestSameLists(t *testing.T) {
	old := cmp.Or(os.Getenv("OLD_SERVER"), %[3]q)
	mcptest.SameLists(t, mcphttp.Dial(old, mcphttp.ClientOptions{}), mcpclient.InMemory(newServer()))
}
`, there.name, p.Runtime, p.URL)
	}
	return fmt.Sprintf(`package %s

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"%[2]s/runtime/mcp/mcpclient"
	"%[2]s/runtime/transport/stdio"
	"%[2]s/runtime/x/mcptest"
)

// TestSameLists: the server lists what the old one lists, byte for byte. OLD_SERVER is the command of the old one, words with spaces between them.
func TestSameLists(t *testing.T) {
	command := %[3]s
	if own := os.Getenv("OLD_SERVER"); own != "" {
		command = strings.Fields(own)
	}
	if len(command) == 0 {
		t.Skip("OLD_SERVER does not say how the old server is started")
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		t.Skipf("the old server cannot be started: %%v", err)
	}
	mcptest.SameLists(t, stdio.Dial(exec.Command(command[0], command[1:]...)), mcpclient.InMemory(newServer()))
}
`, there.name, p.Runtime, words(p.Command))
}

// words is a list of texts as Go.
func words(all []string) string {
	if len(all) == 0 {
		return "[]string(nil)"
	}
	quoted := make([]string, len(all))
	for i, w := range all {
		quoted[i] = strconv.Quote(w)
	}
	return "[]string{" + strings.Join(quoted, ", ") + "}"
}
