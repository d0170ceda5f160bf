package mcpdynamic

import (
	"context"
	"errors"
	"regexp"
	"strings"

	types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// Resource is a resource that is added to a server (server/resources).
type Resource struct {
	URI         string
	Name        string // for programs; not empty
	Title       string // for people; empty means none
	Description string // empty means none
	MIMEType    string // empty means unknown

	// Members is an object with other members of the entry, see [Tool.Members].
	Members runtime.Raw

	// Read returns the complete result: a [*mcp.ReadResourceResult] or a [Raw]. Its error may be
	// [mcp.ErrNotFound].
	Read func(ctx context.Context, uri string) (runtime.Appender, error)
}

// Template stands for resources whose URIs match a template of level 3 of RFC 6570, of which {name},
// {+name} and {#name} are supported.
type Template struct {
	URITemplate string
	Name        string // for programs; not empty
	Title       string // for people; empty means none
	Description string // empty means none
	MIMEType    string // empty means unknown

	// Members is an object with other members of the entry, see [Tool.Members].
	Members runtime.Raw

	// Read is called for a URI that matches the template, see [Resource.Read]. If a URI matches
	// several templates, the one that comes first in the list is read.
	Read func(ctx context.Context, uri string) (runtime.Appender, error)

	// Complete returns values for a variable, the best ones first. Nil means that there are none.
	Complete func(ctx context.Context, variable string, c mcp.Completing) ([]string, error)
}

// resource is a Resource that was checked.
type resource struct {
	listing.Entry
	read func(ctx context.Context, uri string) (runtime.Appender, error)
}

func (r *resource) definition() listing.Entry { return r.Entry }

// template is a Template that was checked.
type template struct {
	resource
	pattern  *regexp.Regexp
	complete func(ctx context.Context, variable string, c mcp.Completing) ([]string, error)
}

// AddResources adds resources, all or nothing, see [Set.AddTools].
func (s *Set) AddResources(all ...Resource) error { return s.ReplaceResources(nil, all...) }

// RemoveResources removes resources. URIs that were not added are ignored.
func (s *Set) RemoveResources(uris ...string) error { return s.ReplaceResources(uris) }

// ReplaceResources removes resources by their URIs and adds others in one step, see
// [Set.ReplaceTools].
func (s *Set) ReplaceResources(remove []string, add ...Resource) error {
	return replace(s, listing.Resources, remove, add, newResource)
}

// ReplaceTemplates removes resource templates by their URI templates and adds others in one step, see
// [Set.ReplaceTools].
func (s *Set) ReplaceTemplates(remove []string, add ...Template) error {
	return replace(s, listing.Templates, remove, add, newTemplate)
}

// newResource checks a resource.
func newResource(r Resource) (entry, error) {
	made := &resource{read: r.Read}
	b := appendText(nil, "uri", r.URI)
	b = appendText(append(b, appendFields(r.Name, r.Title, r.Description)...), "mimeType", r.MIMEType)
	text, err := withMembers(b, r.Members, &types.Resource{})
	if err == nil && r.Read == nil {
		err = errors.New("it has no Read")
	}
	if err != nil {
		return nil, invalid(listing.Resources, r.URI, err)
	}
	made.Entry = listing.Entry{Key: r.URI, JSON: text}
	return made, checkURI(listing.Resources, r.URI)
}

// newTemplate checks a template.
func newTemplate(t Template) (entry, error) {
	made := &template{resource: resource{read: t.Read}, complete: t.Complete}
	b := appendText(nil, "uriTemplate", t.URITemplate)
	b = appendText(append(b, appendFields(t.Name, t.Title, t.Description)...), "mimeType", t.MIMEType)
	text, err := withMembers(b, t.Members, &types.ResourceTemplate{})
	if err == nil && t.Read == nil {
		err = errors.New("it has no Read")
	}
	if err == nil {
		made.pattern, err = compileTemplate(t.URITemplate)
	}
	if err != nil {
		return nil, invalid(listing.Templates, t.URITemplate, err)
	}
	made.Entry = listing.Entry{Key: t.URITemplate, JSON: text}
	return made, checkURI(listing.Templates, t.URITemplate)
}

// isExpression reports whether a text is what stands between the braces of an expression: the name of a variable,
// with or without + or #.
func isExpression(text string) bool {
	if text != "" && (text[0] == '+' || text[0] == '#') {
		text = text[1:]
	}
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool { return !plain(c) || c == '-' })
}

// compileTemplate returns the pattern of the URIs that a template stands for. It takes time in
// proportion to the URI, whatever the template is.
func compileTemplate(text string) (*regexp.Regexp, error) {
	const unreserved = `(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+`
	const reserved = `(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+`
	var b strings.Builder
	b.WriteString("^")
	for {
		literal, rest, found := strings.Cut(text, "{")
		b.WriteString(regexp.QuoteMeta(literal))
		if !found {
			b.WriteString("$")
			return regexp.Compile(b.String())
		}
		name, rest, closed := strings.Cut(rest, "}")
		switch {
		case !closed || !isExpression(name):
			return nil, errors.New("a template has the expressions {name}, {+name} and {#name} only")
		case name[0] == '#':
			b.WriteString("#" + reserved)
		case name[0] == '+':
			b.WriteString(reserved)
		default:
			b.WriteString(unreserved)
		}
		text = rest
	}
}

// ReadResource implements [mcp.Dynamic]. The schema's own resources come before added templates.
func (s *Set) ReadResource(ctx context.Context, c *mcp.ResourceCall) bool {
	read := s.reader(c.URI())
	if read == nil {
		return false
	}
	result, err := read(ctx, c.URI())
	return give(c, result, err)
}

// reader returns the function that reads a URI, or nil.
func (s *Set) reader(uri string) func(ctx context.Context, uri string) (runtime.Appender, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if r, ok := s.lists[listing.Resources].by[uri].(*resource); ok {
		return r.read
	}
	if t := s.template(uri); t != nil {
		return t.read
	}
	return nil
}

// template returns the template of a URI, or nil. The lock must be held.
func (s *Set) template(uri string) *template {
	if s.own[listing.Resources][uri] || s.lists[listing.Resources].by[uri] != nil {
		return nil
	}
	for _, e := range s.lists[listing.Templates].sorted {
		if t, ok := s.lists[listing.Templates].by[e.Key].(*template); ok && t.pattern.MatchString(uri) {
			return t
		}
	}
	return nil
}

// TemplateOf returns the added template that a URI is read by, unless it is that of a resource.
func (s *Set) TemplateOf(uri string) (uriTemplate string, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if t := s.template(uri); t != nil {
		return t.Key, true
	}
	return "", false
}
