//go:build !bootstrap

package command

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"path"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/templates"
)

//go:embed starter
var starter embed.FS

// starterKind is a kind of new project.
type starterKind struct {
	folder string   // of its templates
	own    []string // templates next to the schema; the files have their names, without .txt
	next   string   // a command to try it

	workflow string // the template of a workflow of GitHub; empty if there is none
}

var (
	plainStarter = starterKind{own: []string{"handler.go.txt", "main.go.txt"},
		next: `echo '{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"Oslo"}}' | go run .`}
	mcpStarter = starterKind{folder: "mcp", own: []string{"handler.go.txt", "handler_test.go.txt", "main.go.txt", "README.md.txt"},
		next: "go test ./...", workflow: "mcp/check.yaml.txt"}
)

// apiStarter is a server whose tools call an HTTP API.
var apiStarter = starterKind{folder: "api", own: []string{"main.go.txt", "main_test.go.txt", "README.md.txt"}, next: "go test ./...", workflow: "api/check.yaml.txt"}

// starterFile is a template and the file that it becomes.
type starterFile struct{ from, to string }

// files returns the files of the kind, the schema first.
func (k starterKind) files(name string) []starterFile {
	all := []starterFile{{path.Join(k.folder, "schema.yaml"), "rpc/" + name + ".rpc.yaml"}}
	for _, from := range k.own {
		all = append(all, starterFile{path.Join(k.folder, from), strings.TrimSuffix(from, ".txt")})
	}
	return all
}

// files lists the files of a new project.
func (p project) files(folder string, kind starterKind) ([]change, error) {
	all, err := p.starters(folder, append(kind.files(p.Name), starterFile{"generate.go.txt", "rpc/generate.go"}))
	if err != nil {
		return nil, err
	}
	if p.API != nil {
		all = append(all, change{path: recordOf(all[0].path), new: p.API.record})
	}
	generated, err := p.generated(all[0])
	if err != nil {
		return nil, err
	}
	for _, f := range generated {
		all = append(all, change{path: filepath.Join(folder, "rpc", f.Name), new: f.Text})
	}
	if p.Root == "" {
		return all, nil
	}
	last := []starterFile{{"go.mod.txt", "go.mod"}} // where there is one, a run after an interrupted one finds a module
	if kind.workflow != "" {                        // the folder becomes a repository of its own
		last = append([]starterFile{{kind.workflow, ".github/workflows/check.yaml"}}, last...)
	}
	rest, err := p.starters(folder, last)
	return append(all, rest...), err
}

// starters fills templates. A README.md that is there stays.
func (p project) starters(folder string, files []starterFile) (all []change, err error) {
	for _, f := range files {
		path := filepath.Join(folder, filepath.FromSlash(f.to))
		if f.to == "README.md" && isThere(path) {
			continue
		}
		text, err := p.text(f)
		if err != nil {
			return nil, err
		}
		all = append(all, change{path: path, new: text})
	}
	return all, nil
}

// text is the text of a file: that of its template, or the schema that was imported.
func (p project) text(f starterFile) ([]byte, error) {
	if p.API != nil && strings.HasSuffix(f.to, ".rpc.yaml") {
		return p.API.schema, nil
	}
	return p.fill(f.from)
}

func (p project) fill(name string) ([]byte, error) {
	t, err := template.ParseFS(starter, "starter/"+name)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err = t.Execute(&text, p); err != nil || !strings.HasSuffix(name, ".go.txt") {
		return text.Bytes(), err
	}
	return format.Source(text.Bytes()) // names of backends and of credentials have any length
}

// generated compiles the new schema, which is not on disk yet.
func (p project) generated(schemaFile change) ([]templates.File, error) {
	loader := schema.Loader{Read: func(string) ([]byte, error) { return schemaFile.new, nil }}
	doc, diags := loader.Load(schemaFile.path)
	if doc == nil {
		return nil, fmt.Errorf("the starter schema has a fault: %v", diags)
	}
	files, diags, err := templates.Generate(doc, templates.Options{})
	if err == nil && diags.HasErrors() {
		err = fmt.Errorf("the starter schema has a fault: %v", diags)
	}
	return files, err
}
