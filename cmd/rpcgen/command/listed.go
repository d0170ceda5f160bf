//go:build !bootstrap

package command

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/listed"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/file"
)

// listedFile is the file next to a schema that has the entries of tools word for word.
const listedFile = "listed.json"

// listsExactly reports whether a schema that is there already says that entries are published word for word.
func listsExactly(out *importer.Source) bool {
	if out == nil {
		return false
	}
	var said struct {
		Server struct {
			Listed string `yaml:"listed"`
		} `yaml:"server"`
	}
	return yaml.Unmarshal(out.Text, &said) == nil && said.Server.Listed == listedFile
}

// exactList is what is published word for word of a source.
type exactList struct {
	file    string
	entries []listed.Entry
}

// newExactList reads the entries of a source. Of entries of the same name the first is published, which is the one that is imported.
func newExactList(source importer.Source, out string) (*exactList, error) {
	all, err := listed.Read(source.Text)
	if err != nil {
		return nil, fmt.Errorf("%s: --exact and --handlers take a list of tools, and this is not one: %w", source.Name, err)
	}
	seen := make(map[string]bool) // as the importer does, which has the first of the same name
	entries := slices.DeleteFunc(all, func(e listed.Entry) bool {
		key := e.List + " " + e.Name
		if e.List == "resourceTemplates" {
			key = "resources " + e.Name // resources and templates share their names in a schema
		}
		repeated := seen[key]
		seen[key] = true
		return repeated
	})
	return &exactList{filepath.Join(filepath.Dir(out), listedFile), entries}, nil
}

// write writes the entries of the tools that a schema has and that mean what it says. The others are published as they follow from the schema.
func (e *exactList) write(c *cobra.Command, text []byte) error {
	loader := schema.Loader{Read: func(string) ([]byte, error) { return text, nil }}
	doc, faults := loader.Load("imported.rpc.yaml")
	if doc == nil {
		return fmt.Errorf("the schema that was imported cannot be read: %v", faults)
	}
	imported := slices.DeleteFunc(e.entries, func(one listed.Entry) bool { return !listed.Has(doc, one) })
	meaning, err := listed.Understand(e.file, imported, importList)
	if err != nil {
		return err
	}
	var others []string
	for _, d := range meaning.Apply(doc) {
		others = append(others, d.Name)
		imported = slices.DeleteFunc(imported, func(one listed.Entry) bool { return one == d.Entry })
	}
	if err := write(c, e.file, listed.Format(imported)); err != nil {
		return err
	}
	said := fmt.Sprintf("%s: %d of %d entries are published word for word", display(e.file), len(imported), len(doc.Tools)+len(doc.Resources)+len(doc.Prompts))
	if len(others) > 0 {
		said += "; the schema says something else of " + strings.Join(others, ", ")
	}
	_, err = fmt.Fprintln(c.ErrOrStderr(), said)
	return err
}

// dropListed removes entries from the file that a schema names, so that what follows from the schema is published instead. The name * stands
// for all of them.
func dropListed(c *cobra.Command, name string, tools []string) error {
	doc, err := load(c, name)
	if err != nil {
		return err
	}
	if doc.Server == nil || doc.Server.Listed == nil {
		return usageError{fmt.Errorf("%s says no listed, so there is nothing to drop", display(name))}
	}
	path := filepath.Join(filepath.Dir(name), filepath.FromSlash(doc.Server.Listed.File))
	content, err := file.Read(path)
	if err != nil {
		return err
	}
	entries, err := listed.Parse(content)
	if err != nil {
		return fmt.Errorf("%s is not a list of tools: %w", display(path), err)
	}
	known := ir.Each(entries, func(e listed.Entry) string { return e.Name })
	for _, tool := range tools {
		if tool != "*" && !slices.Contains(known, tool) {
			return usageError{fmt.Errorf("%s does not list %q%s", display(path), tool, nearest(tool, known))}
		}
	}
	kept := slices.DeleteFunc(slices.Clone(entries), func(e listed.Entry) bool { return slices.Contains(tools, "*") || slices.Contains(tools, e.Name) })
	if err := write(c, path, listed.Format(kept)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %d of %d entries are left\n", display(path), len(kept), len(entries))
	return err
}

func nearest(name string, known []string) string {
	if near := diag.Closest(name, known); len(near) > 0 {
		return ": it lists " + strings.Join(near, ", ")
	}
	return ""
}
