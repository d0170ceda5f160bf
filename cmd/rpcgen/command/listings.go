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

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/listed"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/work/hostcheck"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/ir"
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
	args, command, err := remote.Dashed(c, args)
	if err != nil {
		return nil, usageError{err}
	}
	if args, err = expanded(args); err != nil {
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
		return nil, usageError{fmt.Errorf("name a schema: %s %s; or a list of tools: a JSON file, - for the standard input, the URL of an MCP server, or -- and its command", c.CommandPath(), nearbySchema())}
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
		ctx, cancel := limited(c.Context(), wait+mostListing)
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

// published loads a schema, and returns the list of tools that its server has. The document is nil if there are errors.
func published(loader *schema.Loader, name string) (*ir.Document, hostcheck.List, diag.List, error) {
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
