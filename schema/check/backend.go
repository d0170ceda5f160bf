package check

import (
	"cmp"
	"math"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// backendName is the form of the names of backends and of schemes.
var backendName = text.Pattern(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

func (c *serverChecker) backendsKey(section syntax.Entry) {
	for _, e := range c.d.entries(section, "write name: {server: https://...}") {
		if !backendName().MatchString(e.Key.Text) {
			c.d.report(diag.InvalidName, e.Key.Span, "use letters, digits, _ and -, and begin with a letter", "%q cannot name a backend", e.Key.Text)
			continue
		}
		if c.d.mapping(e, "write {server: https://...}") {
			c.doc.Backends = append(c.doc.Backends, c.backend(e))
		}
	}
}

func (c *serverChecker) backend(entry syntax.Entry) *ir.Backend {
	b := &ir.Backend{Name: entry.Key.Text, Meta: c.d.meta(entry.Value, entry.Key.Span.Pos)}
	place := grammar.Backend()
	c.d.keys(entry.Value, "a backend", place)
	if entry.Value.Get("server") == nil {
		c.d.report(diag.MissingKey, entry.Key.Span, "add server: and a URL", "the backend %s has no server", b.Name)
	}
	for _, e := range entry.Value.Entries {
		switch e.Key.Text {
		case "server":
			b.Server = c.d.text(e)
		case "variables":
			b.Variables = c.serverVariables(e)
		case "headers":
			b.Headers = c.constants(e)
			c.allowedHeaders(b.Headers)
		case "schemes":
			b.Schemes = c.schemes(e)
		case "error":
			if c.d.mapping(e, "write {message: message}") {
				c.d.keys(e.Value, "error", place.Value("error"))
				b.Message, b.Details = c.pathKey(e.Value, "message"), c.pathKey(e.Value, "details")
			}
		case "timeout":
			b.Timeout = c.d.duration(e, "timeout")
		case "page":
			b.Page = c.paging(e)
		}
	}
	if e := entry.Value.Entry("server"); e != nil && b.Server != "" {
		c.serverURL(b, e.Value)
	}
	if e := entry.Value.Entry("auth"); e != nil {
		b.Auth = c.auth(b, *e)
	}
	return b
}

var serverVariable = text.Pattern(`\{[^{}]*\}`)

// serverURL checks where a backend is: requests carry credentials, and may go to no other place.
func (c *serverChecker) serverURL(b *ir.Backend, at *syntax.Node) {
	text, bad := b.Server, false
	used := map[string]bool{}
	for _, name := range serverVariable().FindAllString(b.Server, -1) {
		i := slices.IndexFunc(b.Variables, func(v ir.ServerVariable) bool { return "{"+v.Name+"}" == name })
		if i < 0 {
			c.d.report(diag.ServerField, at.Within(strings.Index(at.Text, name), len(name)), "add it under variables, with a default",
				"the server is never made of input: %s must be a variable of the backend", name)
			bad = true
			continue
		}
		used[name] = true
		text = strings.ReplaceAll(text, name, b.Variables[i].Default)
	}
	for _, v := range b.Variables {
		if !used["{"+v.Name+"}"] && !bad {
			c.d.report(diag.ServerField, point(v.Pos, len(v.Name)), "write {"+v.Name+"} into server, or remove it", "the server has no variable {%s}", v.Name)
		}
	}
	u, err := url.Parse(text)
	if !bad && (err != nil || !allowedServer(u)) {
		c.d.report(diag.ServerURL, at.Span, "write a URL such as https://api.example.com/v1",
			"server must be an https URL without user, query or fragment; http is for localhost")
	}
}

func allowedServer(u *url.URL) bool {
	ip, _ := netip.ParseAddr(u.Hostname())
	local := u.Hostname() == "localhost" || ip.IsLoopback()
	return (u.Scheme == "https" || u.Scheme == "http" && local) && u.Host != "" && u.Hostname() != "" && u.User == nil && u.RawQuery == "" &&
		!u.ForceQuery && u.Fragment == "" && u.Opaque == ""
}

func (c *serverChecker) serverVariables(e syntax.Entry) []ir.ServerVariable {
	var all []ir.ServerVariable
	for _, e := range c.d.entries(e, "write name: {default: ..., enum: [...]}") {
		v := ir.ServerVariable{Pos: e.Key.Span.Pos, Name: e.Key.Text}
		if !c.d.mapping(e, "write {default: ..., enum: [...]}") {
			continue
		}
		c.d.keys(e.Value, "a variable of a server", grammar.Backend().Value("variables").Each)
		for _, e := range e.Value.Entries {
			if !c.d.plain(e, map[string]any{"default": &v.Default, "pattern": &v.Pattern}) && e.Key.Text == "enum" {
				v.Values = texts(c.d.words(e))
			}
		}
		c.variable(v, e)
		all = append(all, v)
	}
	return all
}

// variable checks that a variable is bounded, and that its default is within the bounds.
func (c *serverChecker) variable(v ir.ServerVariable, e syntax.Entry) {
	whole, err := regexp.Compile(`^(?:` + v.Pattern + `)$`)
	switch {
	case e.Value.Get("default") == nil:
		c.d.report(diag.MissingKey, e.Key.Span, "add default:", "the variable %s has no default", v.Name)
	case (e.Value.Get("enum") == nil) == (e.Value.Get("pattern") == nil):
		c.d.report(diag.MissingKey, e.Key.Span, "add enum: [...], or pattern:", "the variable %s needs an enum or a pattern, which says what it may be", v.Name)
	case err != nil:
		c.d.report(diag.InvalidPattern, e.Value.Entry("pattern").Value.Span, "write a regular expression of RE2", "%q is not a regular expression", v.Pattern)
	case v.Values != nil && !slices.Contains(v.Values, v.Default), v.Values == nil && !whole.MatchString(v.Default):
		c.d.report(diag.InvalidDefault, e.Value.Entry("default").Value.Span, "write a value that the variable may have",
			"the default %q is not one of the values of %s", v.Default, v.Name)
	}
}

// constants reads names with constant text.
func (c *serverChecker) constants(e syntax.Entry) []ir.Constant {
	var all []ir.Constant
	for _, e := range c.d.entries(e, "write name: value") {
		if e.Value.Kind != syntax.Scalar || e.Value.IsEmpty() && e.Value.Style == syntax.Plain {
			c.d.report(diag.WrongKind, e.Key.Span, "", "%s must be text, not %s", e.Key.Text, describe(e.Value))
			continue
		}
		all = append(all, ir.Constant{Pos: e.Key.Span.Pos, Name: e.Key.Text, Value: e.Value.Text})
	}
	return all
}

// ownHeaders are the headers that belong to schemes, to the body or to the connection.
var ownHeaders = []string{"authorization", "proxy-authorization", "host", "cookie", "connection", "content-length", "content-type",
	"transfer-encoding", "te", "trailer", "upgrade", "keep-alive", "expect", "accept-encoding"}

func ownHeader(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains(ownHeaders, name) || strings.HasPrefix(name, "proxy-")
}

// allowedHeaders reports headers that no schema sets, and what no header can hold.
func (c *serverChecker) allowedHeaders(headers []ir.Constant) {
	for _, h := range headers {
		switch {
		case c.allowedHeader(h.Name, point(h.Pos, len(h.Name))):
		case strings.ContainsFunc(h.Value, func(r rune) bool { return r < ' ' || r > '~' }):
			c.d.report(diag.InvalidHeader, point(h.Pos, len(h.Name)), "use printable ASCII characters", "the header %s cannot hold %q", h.Name, h.Value)
		}
	}
}

// allowedHeader reports a header that no schema sets. It returns whether it did.
func (c *serverChecker) allowedHeader(name string, at diag.Span) bool {
	switch {
	case !headerName().MatchString(name):
		c.d.report(diag.InvalidHeader, at, "use letters, digits and -", "%q cannot name a header", name)
	case ownHeader(name) && strings.EqualFold(name, "content-type"):
		c.d.report(diag.ForbiddenHeader, at, "write body: and the media type under http", "%s follows from the body", name)
	case ownHeader(name):
		c.d.report(diag.ForbiddenHeader, at, "declare a scheme if it is a credential", "%s is set by schemes and by the connection alone", name)
	default:
		return false
	}
	return true
}

func (c *serverChecker) schemes(e syntax.Entry) []*ir.Scheme {
	var all []*ir.Scheme
	for _, e := range c.d.entries(e, "write name: {kind: bearer}") {
		if !backendName().MatchString(e.Key.Text) || e.Key.Text == "none" {
			c.d.report(diag.InvalidName, e.Key.Span, "use letters, digits, _ and -, and begin with a letter; none means no scheme", "%q cannot name a scheme",
				e.Key.Text)
			continue
		}
		if c.d.mapping(e, "write {kind: bearer}") {
			all = append(all, c.scheme(e))
		}
	}
	return all
}

func (c *serverChecker) scheme(entry syntax.Entry) *ir.Scheme {
	s := &ir.Scheme{Name: entry.Key.Text, Meta: c.d.meta(entry.Value, entry.Key.Span.Pos)}
	place := grammar.Backend().Value("schemes").Each
	c.d.keys(entry.Value, "a scheme", place)
	if entry.Value.Get("kind") == nil {
		c.d.report(diag.MissingKey, entry.Key.Span, "add kind: bearer, basic, key or oauth", "the scheme %s has no kind", s.Name)
		return s
	}
	places := 0
	for _, e := range entry.Value.Entries {
		switch e.Key.Text {
		case "kind":
			s.Kind = c.d.word(e, place.Value("kind").Words...)
		case "header", "query", "cookie":
			s.In, s.Param = e.Key.Text, c.d.text(e)
			places++
			if s.Param != "" && s.In != "query" && !headerName().MatchString(s.Param) {
				c.d.report(diag.InvalidHeader, e.Value.Span, "use letters, digits and -", "%q cannot name a %s", s.Param, s.In)
			}
		case "authorize":
			s.Authorize = c.tokenURL(e)
		case "token":
			s.Token = c.tokenURL(e)
		case "scopes":
			s.Scopes = texts(c.d.words(e))
		}
	}
	switch {
	case s.Kind == "key" && places != 1:
		c.d.report(diag.MissingKey, entry.Key.Span, "add one of header:, query: and cookie:, with its name", "the key %s must lie in one place", s.Name)
	case s.Kind != "key" && places > 0:
		c.d.report(diag.ConflictingKeys, entry.Key.Span, "remove "+s.In+":, or write kind: key",
			"a scheme of the kind %s is sent in the header Authorization", s.Kind)
	case s.Kind != "oauth" && (s.Authorize != "" || s.Token != "" || s.Scopes != nil):
		c.d.report(diag.ConflictingKeys, entry.Key.Span, "write kind: oauth, or remove authorize:, token: and scopes:",
			"a scheme of the kind %s has no login", s.Kind)
	}
	return s
}

func (c *serverChecker) tokenURL(e syntax.Entry) string {
	text := c.d.text(e)
	if u, err := url.Parse(text); text != "" && (err != nil || !allowedServer(&url.URL{Scheme: u.Scheme, Host: u.Host, User: u.User, Opaque: u.Opaque})) {
		c.d.report(diag.ServerURL, e.Value.Span, "write a URL such as https://login.example.com/token",
			"%s must be an https URL without user; http is for localhost", e.Key.Text)
	}
	return text
}

// auth reads which schemes requests carry.
func (c *serverChecker) auth(b *ir.Backend, e syntax.Entry) ir.Auth {
	together := func(words []*syntax.Node) []string {
		for _, word := range words {
			if b.Scheme(word.Text) == nil {
				known := ir.Each(b.Schemes, func(s *ir.Scheme) string { return s.Name })
				help := cmp.Or(c.d.suggest(word.Text, func() []string { return known }), "declare it under schemes of the backend "+b.Name)
				c.d.report(diag.UnknownScheme, word.Span, help, "unknown scheme %q", word.Text)
			}
		}
		return texts(words)
	}
	switch e.Value.Kind {
	case syntax.Scalar:
		if e.Value.Text == "none" {
			return ir.Auth{}
		}
		return ir.Auth{together(c.d.words(e))}
	case syntax.Sequence:
		return ir.Auth{together(c.d.words(e))}
	}
	c.d.keys(e.Value, "auth", grammar.Backend().Value("auth"))
	alternatives := e.Value.Entry("any")
	if alternatives == nil || !c.d.sequence(*alternatives, "write {any: [a, [b, c]]}") {
		if alternatives == nil {
			c.d.report(diag.MissingKey, e.Key.Span, "write the name of a scheme, a list of names, or {any: [a, [b, c]]}", "auth names no scheme")
		}
		return nil
	}
	all := ir.Auth{}
	for _, item := range alternatives.Value.Items {
		all = append(all, together(c.d.words(syntax.Entry{Key: alternatives.Key, Value: item})))
	}
	if len(all) == 0 {
		c.d.report(diag.InvalidValue, alternatives.Key.Span, "name schemes, or write auth: none", "any lists nothing")
	}
	return all
}

// paging reads how lists are continued.
func (c *serverChecker) paging(e syntax.Entry) *ir.Paging {
	if !c.d.mapping(e, "write {by: link}") {
		return nil
	}
	place := grammar.Backend().Value("page")
	c.d.keys(e.Value, "page", place)
	p := &ir.Paging{Pos: e.Key.Span.Pos}
	if e.Value.Get("by") == nil {
		c.d.report(diag.MissingKey, e.Key.Span, "add by: link, cursor, offset or page", "page does not say how lists are continued")
		return nil
	}
	first := false
	for _, e := range e.Value.Entries {
		switch e.Key.Text {
		case "by":
			p.By = c.d.word(e, place.Value("by").Words...)
		case "first":
			p.First, first = c.d.integer(e, 0, math.MaxInt32, diag.InvalidValue)
		default:
			c.d.plain(e, map[string]any{"param": &p.Param, "size": &p.Size})
		}
	}
	p.From, p.More = c.pathKey(e.Value, "from"), c.pathKey(e.Value, "more")
	if p.By == "page" && !first {
		p.First = 1
	}
	c.pagingKeys(p, e)
	return p
}

// pagingKeys checks that the keys of page fit each other.
func (c *serverChecker) pagingKeys(p *ir.Paging, e syntax.Entry) {
	counts := p.By == "offset" || p.By == "page"
	for _, key := range []struct {
		name             string
		needed, excluded bool
	}{
		{"param", p.By != "link", p.By == "link"},
		{"from", p.By == "cursor", counts},
		{"more", false, p.By == "link"},
		{"first", false, !counts},
	} {
		switch present := e.Value.Get(key.name) != nil; {
		case key.needed && !present:
			c.d.report(diag.MissingKey, e.Key.Span, "add "+key.name+":", "page by %s needs %s", p.By, key.name)
		case key.excluded && present:
			c.d.report(diag.ConflictingKeys, e.Value.Entry(key.name).Key.Span, "remove it", "page by %s has no %s", p.By, key.name)
		}
	}
}

// answerPath is the form of a path into an answer: a.b[0].c, [-1] for the last element, ["a.b"] for a name with other characters.
var answerPath = text.Pattern(`^(?:[^\s.\[\]"]+|\[(?:-1|[0-9]{1,6})\]|\["[^"\\]+"\])(?:\.[^\s.\[\]"]+|\[(?:-1|[0-9]{1,6})\]|\["[^"\\]+"\])*$`)

// pathKey reads a path into an answer.
func (c *serverChecker) pathKey(n *syntax.Node, key string) string {
	e := n.Entry(key)
	if e == nil {
		return ""
	}
	text := c.d.text(*e)
	if text != "" && !answerPath().MatchString(text) {
		c.d.report(diag.AnswerPath, e.Value.Span, `write names with dots between them, [0] for an element, [-1] for the last one, and ["a.b"] for a name with dots`, "%q is not a path", text)
		return ""
	}
	return text
}
