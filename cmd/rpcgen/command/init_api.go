//go:build !bootstrap

package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/sample"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// startingAPI is the description of an HTTP API that a new project starts from.
type startingAPI struct {
	file  string
	flags importFlags
}

// calledAPI is what the starter files say of the HTTP API that tools call.
type calledAPI struct {
	Names []string // of the options of the backends, in Go
	URLs  []string // the environment variables with their URLs, in the same order
	Keys  []key    // of the credentials
	Tool  string   // the name of a tool
	Call  string   // of the tool, with samples of the arguments that it requires, for a shell

	schema, record []byte
}

// key is an environment variable that holds the credential of a scheme.
type key struct{ Scheme, Variable, Kind string }

// read imports the description.
func (s *startingAPI) read(c *cobra.Command, folder string, p *project) error {
	f := &s.flags
	f.report, f.out = "text", filepath.Join(folder, "rpc", p.Name+".rpc.yaml")
	from := origin{name: s.file}
	source, options, err := f.read(c, from, nil)
	if err != nil {
		return usageError{err}
	}
	if options.API, err = f.api.options(); err != nil {
		return err
	}
	options.API.Name = p.Name
	options.Generate, options.APIOnly = f.generate, []string{"--openapi"}
	options.Out, options.Last = nil, nil // a run that was interrupted is repeated
	result, err := f.imported(c, from, *source, options)
	if err != nil {
		return err
	}
	if err := f.print(c.ErrOrStderr(), result.Report); err != nil {
		return err
	}
	if p.API = called(result.Text, result.Last, p.Name); p.API == nil {
		fmt.Fprintf(c.ErrOrStderr(), "%s:1:1: no operation became a tool: the report says why\n", s.file)
		return errFindings
	}
	return nil
}

// called finds the backends and their credentials in an imported schema; nil if it has no tools.
func called(text, record []byte, service string) *calledAPI {
	loader := schema.Loader{Read: func(string) ([]byte, error) { return text, nil }}
	doc, _ := loader.Load(service + ".rpc.yaml")
	if doc == nil || len(doc.Backends) == 0 || len(doc.Tools) == 0 {
		return nil
	}
	names, _ := templates.NewNames(doc)
	a := &calledAPI{Names: names.Backends(), Tool: doc.Tools[0].Name, Call: callOf(doc.Tools[0]), schema: text, record: record}
	for _, b := range doc.Backends {
		url := service + "_url"
		if len(doc.Backends) > 1 {
			url = service + "_" + b.Name + "_url"
		}
		a.URLs = append(a.URLs, variableOf(url))
		for _, s := range b.Schemes {
			k := key{s.Name, variableOf(service + "_" + s.Name), s.Kind}
			if !slices.ContainsFunc(a.Keys, func(other key) bool { return other.Scheme == k.Scheme }) {
				a.Keys = append(a.Keys, k)
			}
		}
	}
	return a
}

// callOf is a call of a tool for a shell, with samples of the arguments that it requires.
func callOf(t *ir.Tool) string {
	line := t.Name
	input, isObject := ir.Underlying(t.Input).(*ir.Struct)
	if !isObject {
		return line
	}
	samples, _ := sample.Of(t.Input)
	for _, m := range samples.Fields {
		if f := input.Field(m.Name); f == nil || f.Optional {
			continue
		}
		value := m.Value.String()
		if m.Value.Kind == ir.Text {
			value = m.Value.Text
		}
		line += " " + contract.ShellWord(m.Name+"="+value)
	}
	return line
}

// variableOf is the name of an environment variable.
func variableOf(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}
