package check

import (
	"cmp"
	"io/fs"
	"math"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// serverChecker lowers what a server of MCP declares: itself, tools, resources and prompts.
type serverChecker struct {
	d      *draft
	doc    *ir.Document
	types  *typeChecker
	errors *errorChecker
}

// revisions are the published revisions of MCP, oldest first.
func revisions() []string { return grammar.Document().Value("server").Value("revisions").Words }

// serverKey lowers `server`.
func (c *serverChecker) serverKey(section syntax.Entry) {
	if !c.d.mapping(section, "write {name: ..., version: ...}") {
		return
	}
	s := &ir.Server{Meta: c.d.meta(section.Value, section.Key.Span.Pos), Revisions: revisions()}
	c.doc.Server = s
	c.d.keys(section.Value, "server", grammar.Document().Value("server"))
	c.d.needs(section.Value, section.Key.Span, "the server", "name", "version")
	for _, e := range section.Value.Entries {
		switch e.Key.Text {
		case "websiteUrl":
			s.Website = c.website(e)
		case "instructions":
			s.Instructions = strings.TrimSpace(c.d.text(e))
		case "revisions":
			s.Revisions = c.revisions(e)
		case "cache":
			c.cache(s, e)
		case "icons":
			s.Icons = c.icons(e)
		case "listed":
			s.Listed = c.readListed(e)
		case "profiles":
			s.Profiles = some(c.d, e, grammar.Document().Value("server").Value("profiles").Words, diag.InvalidValue, "profile", "there is no profile %q")
		case "budget":
			c.budget(&s.Budget, e)
		default:
			c.d.plain(e, map[string]any{"name": &s.Name, "version": &s.Version})
		}
	}
}

// website reads the address of a page.
func (c *serverChecker) website(e syntax.Entry) string {
	address := c.d.text(e)
	if u, err := url.Parse(address); address != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "") {
		c.d.report(diag.InvalidURI, e.Value.Span, "write the address of a page, such as https://example.com", "%q is not the URL of a page", address)
		return ""
	}
	return address
}

// readListed reads the name of a file.
func (c *serverChecker) readListed(e syntax.Entry) *ir.Listed {
	name := c.d.text(e)
	if name == "" {
		return nil
	}
	if !fs.ValidPath(name) || path.Ext(name) != ".json" {
		c.d.report(diag.InvalidValue, e.Value.Span, "write a path below the folder of the schema, such as listed.json",
			"%q is not the name of a JSON file below the folder of the schema", name)
		return nil
	}
	return &ir.Listed{File: name, Span: e.Value.Span}
}

// revisions reads which revisions are served, in whatever order.
func (c *serverChecker) revisions(e syntax.Entry) []string {
	served := some(c.d, e, revisions(), diag.UnknownRevision, "revision", "MCP has no revision %q")
	if len(served) == 0 {
		return revisions()
	}
	slices.Sort(served)
	return served
}

// some reads words of those that are known, each once.
func some(d *draft, e syntax.Entry, known []string, code diag.Code, what, unknown string) (all []string) {
	for _, word := range d.words(e) {
		switch {
		case !slices.Contains(known, word.Text):
			help := cmp.Or(diag.DidYouMean(word.Text, known), "the "+what+"s are "+orList(known))
			d.report(code, word.Span, help, unknown, word.Text)
		case slices.Contains(all, word.Text):
			d.report(diag.InvalidValue, word.Span, "remove it", "the "+what+" %s is there already", word.Text)
		default:
			all = append(all, word.Text)
		}
	}
	return all
}

// cache reads for how long, and between whom, clients may keep what they were told.
func (c *serverChecker) cache(s *ir.Server, e syntax.Entry) {
	place := grammar.Document().Value("server").Value("cache")
	for _, e := range c.d.keyedEntries(e, "write {ttlMs: 300000, scope: public}", "cache", place) {
		switch e.Key.Text {
		case "ttlMs":
			ttl, _ := c.d.integer(e, 0, math.MaxInt32, diag.InvalidValue)
			s.TTLMillis = int64(ttl)
		case "scope":
			s.Scope = c.d.word(e, place.Value("scope").Words...)
		}
	}
}

// budget reads how many tokens the tools may take, and how many bytes a result.
func (c *serverChecker) budget(b *ir.Budget, e syntax.Entry) {
	for _, e := range c.d.keyedEntries(e, "write {tokens: 20000, tool: 800, result: 24k}", "budget", grammar.Document().Value("server").Value("budget")) {
		switch e.Key.Text {
		case "tokens":
			b.Tokens = c.tokens(e)
		case "tool":
			b.Tool = c.tokens(e)
		case "result":
			b.Result = c.d.size(e)
		}
	}
}

// tokens reads a number of tokens.
func (c *serverChecker) tokens(e syntax.Entry) ir.Amount {
	n, _ := c.d.integer(e, 1, math.MaxInt32, diag.InvalidValue)
	return ir.Amount{Pos: e.Key.Span.Pos, Tokens: n}
}

// icons reads a list of icons, each a URI or a mapping.
func (c *serverChecker) icons(e syntax.Entry) []ir.Icon {
	if !c.d.sequence(e, "write [{src: https://..., mimeType: image/png}]") {
		return nil
	}
	var all []ir.Icon
	for _, item := range e.Value.Items {
		icon := ir.Icon{Pos: item.Span.Pos}
		if item.Kind == syntax.Mapping {
			c.icon(&icon, item)
		} else {
			icon.Src = c.iconSource(syntax.Entry{Key: e.Key, Value: item})
		}
		all = append(all, icon)
	}
	return all
}

func (c *serverChecker) icon(icon *ir.Icon, n *syntax.Node) {
	c.d.keys(n, "an icon", grammar.Tool().Value("icons").Items)
	if n.Get("src") == nil {
		c.d.report(diag.MissingKey, n.Span, "add src: and a URI", "the icon has no src")
	}
	for _, e := range n.Entries {
		switch e.Key.Text {
		case "src":
			icon.Src = c.iconSource(e)
		case "mimeType":
			icon.MIMEType = c.d.text(e)
		case "sizes":
			icon.Sizes = texts(c.d.words(e))
		case "theme":
			icon.Theme = c.d.word(e, "light", "dark")
		}
	}
}

// iconSource reads where an icon is: clients take no other schemes than these.
func (c *serverChecker) iconSource(e syntax.Entry) string {
	text := c.d.text(e)
	if text == "" {
		return ""
	}
	if u, err := url.Parse(text); err != nil || !slices.Contains([]string{"https", "http", "data"}, u.Scheme) {
		c.d.report(diag.InvalidURI, e.Value.Span, "write an https: or data: URI", "%q is not a source of an icon", text)
	}
	return text
}
