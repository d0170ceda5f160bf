//go:build !bootstrap

package command

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/handlers"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// program is where the program of --handlers is written: the folder above that of the schema.
func (f *importFlags) program(from origin) (*handlers.Program, error) {
	if f.mount && from.command == nil && !from.url {
		return nil, usageError{errors.New("--mount passes calls on to a server: name it, with --tools and its URL, or with -- and its command")}
	}
	rpc, err := filepath.Abs(filepath.Dir(f.out))
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(rpc)
	module, root, _ := enclosingModule(folder)
	if module == "" {
		return nil, usageError{errors.New("--handlers writes a program of a Go module, and there is no go.mod: run go mod init first, and give --out a folder of its own below it, such as rpc/office.rpc.yaml")}
	}
	below, err := filepath.Rel(root, rpc)
	if err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(filepath.Base(f.out), ".")
	p := &handlers.Program{Folder: folder, Name: name, Import: path.Join(module, filepath.ToSlash(below)), Runtime: modulePath(), Command: from.command, Mount: f.mount}
	if from.url {
		p.URL = from.name
	}
	return p, p.Check()
}

// writeHandlers writes the program around the schema that was imported.
func (f *importFlags) writeHandlers(c *cobra.Command, p *handlers.Program) error {
	doc, err := load(c, f.out)
	if err != nil {
		return err
	}
	files, err := p.Files(doc)
	if err != nil {
		return err
	}
	for _, file := range files {
		name := filepath.Join(p.Folder, file.Name)
		if err := write(c, name, file.Text); err != nil {
			return err
		}
		fmt.Fprintf(c.ErrOrStderr(), "wrote %s: %s\n", display(name), file.Note)
	}
	var tasks []string
	for _, t := range doc.Tools {
		if p.Mount && t.Task != ir.TaskNever {
			tasks = append(tasks, t.Name)
		}
	}
	if len(tasks) > 0 {
		fmt.Fprintln(c.ErrOrStderr(), "what runs as a task is not passed on to the old server: write the handlers of "+strings.Join(tasks, ", ")+" first")
	}
	if len(files) == 0 {
		fmt.Fprintln(c.ErrOrStderr(), "the program is there, and has all handlers")
	}
	_, err = fmt.Fprintf(c.ErrOrStderr(), "Next: go tool rpcgen generate %s && go mod tidy && go test .\n", display(f.out))
	return err
}
