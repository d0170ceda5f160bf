//go:build !bootstrap

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/listed"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/hostcheck"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// listing is where a list of tools comes from: a schema, a file with a list, the standard input, or a server.
type listing struct {
	name    string
	url     bool
	command []string // starts a server

	text []byte // of a file that is not a schema
}

// isSchema reports whether the tools are those of a schema.
func (l *listing) isSchema() bool {
	return l.text == nil && !l.url && l.command == nil && l.name != "-"
}

// listings takes schemas, files with lists, - for the standard input, URLs of servers, and the command of one after -- from the arguments.
func listings(c *cobra.Command, args, headers []string) (all []listing, err error) {
	args, command, err := remote.SplitAtDash(c, args)
	if err != nil {
		return nil, usageError{err}
	}
	if args, err = expandNames(args); err != nil {
		return nil, err
	}
	for _, name := range args {
		l, err := listingOf(name)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	if command != nil {
		all = append(all, listing{name: command[0], command: command})
	}
	if len(all) == 0 {
		return nil, usageError{fmt.Errorf("name a schema: %s %s; or a list of tools: a JSON file, - for the standard input, the URL of an MCP server, or -- "+
			"and its command", c.CommandPath(), nearbySchema())}
	}
	if len(headers) > 0 && !slices.ContainsFunc(all, func(l listing) bool { return l.url }) {
		return nil, usageError{errors.New("--header is for URLs")}
	}
	return all, nil
}

// listingOf returns what a name stands for: a schema, a file with a list, - for the standard input, or the URL of a server.
func listingOf(name string) (listing, error) {
	l := listing{name: name, url: isURL(name)}
	if strings.EqualFold(filepath.Ext(name), ".json") && !l.url {
		text, err := file.Read(name)
		if err != nil {
			return l, err
		}
		if !bytes.Contains(text, []byte(`"rpcgen"`)) || bytes.Contains(text, []byte(`"inputSchema"`)) {
			l.text = text
		}
	}
	return l, nil
}

// isURL reports whether an argument is the URL of a server.
func isURL(name string) bool {
	u, err := url.Parse(name)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// read returns the list of tools of a listing that is not a schema.
func (l *listing) read(c *cobra.Command, headers []string) (hostcheck.List, error) {
	text := l.text
	var err error
	switch {
	case text != nil:
	case l.name == "-":
		text, err = file.ReadAll(c.InOrStdin())
	default:
		wait, _ := c.Flags().GetDuration("wait") // both commands have it
		ctx, cancel := withLimit(c.Context(), wait+mostListing)
		defer cancel()
		text, err = listTools(ctx, l.name, l.command, headers, wait, c.ErrOrStderr())
		if cause := context.Cause(ctx); err != nil && cause != nil {
			err = cause
		}
	}
	if err != nil {
		return hostcheck.List{}, fmt.Errorf("%s: %w", l.label(), err)
	}
	list, err := hostcheck.Parse(text)
	if err != nil {
		return list, fmt.Errorf("%s is not a list of tools: %w", l.label(), err)
	}
	return list, nil
}

// label is what messages call a listing.
func (l *listing) label() string {
	switch {
	case l.name == "-":
		return "standard input"
	case l.url:
		return l.name
	}
	return display(l.name)
}

// loadPublished loads a schema, and returns the list of tools that its server has. The document is nil if there are errors.
func loadPublished(loader *schema.Loader, name string) (*ir.Document, hostcheck.List, diag.List, error) {
	doc, faults := loader.Load(name)
	if doc == nil {
		return nil, hostcheck.List{}, faults, nil
	}
	if differs := listed.Check(doc, file.Read, importList); len(differs) > 0 {
		return nil, hostcheck.List{}, append(faults, differs...), nil
	}
	list, err := hostcheck.Of(doc)
	return doc, list, faults, err
}

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
	var document yaml.Node
	return syntax.Decode(out.Text, &document) == nil && document.Decode(&said) == nil && said.Server.Listed == listedFile
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

// dropListed removes entries from the file that a schema names, so that what follows from the schema is published instead. The name * stands for all of them.
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
