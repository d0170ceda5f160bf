package check

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// methodChecker lowers methods and notifications.
type methodChecker struct {
	d      *draft
	doc    *ir.Document
	types  *typeChecker
	errors *errorChecker
	byName map[string]*ir.Method

	defaults ir.Items // how streams send their items where they say nothing else; without a type
}

func (c *methodChecker) methodsKey(section syntax.Entry) {
	for _, e := range c.d.entries(section, "write name: {params: ..., result: ...}") {
		if !c.d.wireName(e.Key, e.Key.Text, "a method") || !c.fresh(e.Key) {
			continue
		}
		m := c.method(e, section.Key.Text == "notifications")
		c.byName[m.Name] = m
		c.doc.Methods = append(c.doc.Methods, m)
	}
}

// fresh reports a name that is taken or may not be used again.
func (c *methodChecker) fresh(key *syntax.Node) bool {
	if slices.Contains(c.doc.Reserved.Methods, key.Text) {
		c.d.report(diag.ReservedName, key.Span, "choose another name", "%q is reserved and may not be declared again", key.Text)
		return false
	}
	if first := c.byName[key.Text]; first != nil {
		c.d.collide(diag.DuplicateMethod, key.Span, "methods and notifications share their names",
			"the method "+quote(key.Text)+" is already there", point(first.Pos, len(first.Name)), "other declaration of "+quote(key.Text))
		return false
	}
	return true
}

func (c *methodChecker) method(entry syntax.Entry, notification bool) *ir.Method {
	m := &ir.Method{Name: entry.Key.Text, Notification: notification, Meta: c.d.meta(entry.Value, entry.Key.Span.Pos)}
	if entry.Value.IsEmpty() || !c.d.mapping(entry, "write {params: ..., result: ...}") {
		return m
	}
	c.d.keys(entry.Value, "a method", grammar.Method())
	for _, e := range entry.Value.Entries {
		switch e.Key.Text {
		case "from":
			m.From = ir.Side(c.d.choice(e, grammar.Method().Value("from")))
		case "params", "params?":
			c.params(m, e)
		case "unknown":
			params := cmp.Or(entry.Value.Entry("params"), entry.Value.Entry("params?"))
			c.types.readUnknown(e, params, func() ir.Type { return m.Params }, map[string]ir.Additional{"refuse": ir.AdditionalRejected})
		case "paramsBy":
			c.paramsBy(m, e)
		case "result":
			c.result(m, e)
		case "items":
			c.items(m, e)
		case "errors":
			c.errors.resolveErrors(m, e)
		case "timeout":
			m.Timeout = c.d.duration(e, "timeout")
		case "rate":
			m.Rate = c.d.rate(e)
		case "scopes":
			c.scopes(m, e)
		case "ordered":
			c.checkOrder(m, e)
		case "idempotent":
			c.idempotent(m, e)
		case "codec":
			m.Fast = c.d.codecOfCall(c.doc, e, func() []ir.Type { return []ir.Type{m.Params, m.Result} })
		default:
			c.protocolKey(m, e)
		}
	}
	return m
}

func (c *methodChecker) result(m *ir.Method, e syntax.Entry) {
	if m.Notification {
		c.d.report(diag.NotificationResult, e.Key.Span, "declare it under methods, or remove the result", "a notification has no result")
		return
	}
	m.Result = c.types.payload(e)
}

func (c *methodChecker) checkOrder(m *ir.Method, e syntax.Entry) {
	m.Ordered = c.d.boolean(e)
	if !m.Notification {
		c.d.report(diag.NotificationResult, e.Key.Span, "remove it: requests run side by side, and each is answered", "only a notification is ordered")
	}
}

// methodCache reads whether clients may keep the answer, or how long the server keeps it.
func (c *methodChecker) methodCache(m *ir.Method, e syntax.Entry) {
	switch {
	case e.Value.Kind != syntax.Mapping:
		m.Cache = c.d.boolean(e)
	case m.Notification:
		c.d.report(diag.NotificationResult, e.Key.Span, "remove it: a notification has no result", "only the results of a method are kept")
	default:
		m.Keep = c.d.keep(e, func() ir.Type { return m.Params })
	}
}

func (c *methodChecker) idempotent(m *ir.Method, e syntax.Entry) {
	m.Idempotent = c.d.boolean(e)
	if m.Notification {
		c.d.report(diag.NotificationResult, e.Key.Span, "remove it: a notification has no answer that a client could miss, and is sent once",
			"only a method is idempotent")
	}
}

// resolveErrors resolves the errors that a method may return.
func (c *errorChecker) resolveErrors(m *ir.Method, e syntax.Entry) {
	words := c.d.words(e)
	c.d.settle(func() {
		for _, word := range words {
			if err := c.byName[word.Text]; err != nil {
				m.Errors = append(m.Errors, err)
				continue
			}
			c.d.report(diag.UnknownError, word.Span, c.d.suggest(word.Text, c.errorNames), "unknown error %q", word.Text)
		}
	})
}

func (c *errorChecker) errorNames() []string {
	return ir.Each(c.doc.Errors, func(e *ir.Error) string { return e.Name })
}

// duration reads a positive duration; what says what it is.
func (c *reader) duration(e syntax.Entry, what string) time.Duration {
	text := c.text(e)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		c.report(diag.InvalidTimeout, e.Value.Span, "write a duration such as 30s, 500ms or 1m30s", "%q is not a %s", text, what)
		return 0
	}
	return d
}

// protocolKey reads what protocol authors add to a method.
func (c *methodChecker) protocolKey(m *ir.Method, e syntax.Entry) {
	switch e.Key.Text {
	case "cache":
		c.methodCache(m, e)
	case "stream":
		c.stream(m, e)
	case "page":
		m.Page = c.d.text(e)
		c.d.settle(func() { c.page(m, e) })
	case "header":
		c.methodHeaders(m, e)
	case "wire":
		if c.d.wireName(e.Value, e.Value.Text, "a method") {
			m.Wire = e.Value.Text
		}
	default:
		c.d.plain(e, map[string]any{"capability": &m.Capability, "requires": &m.Requires, "embedded": &m.Embedded})
	}
}

// stream resolves the notifications that a long-lived request may emit.
func (c *methodChecker) stream(m *ir.Method, e syntax.Entry) {
	words := c.d.words(e)
	c.d.settle(func() {
		for _, word := range words {
			if n := c.byName[word.Text]; n != nil && n.Notification {
				m.Stream = append(m.Stream, n)
				continue
			}
			c.d.report(diag.UnknownMethod, word.Span, c.d.suggest(word.Text, c.notificationNames), "unknown notification %q", word.Text)
		}
	})
}

func (c *methodChecker) notificationNames() []string {
	notifications := ir.Where(c.doc.Methods, func(m *ir.Method) bool { return m.Notification })
	return ir.Each(notifications, func(m *ir.Method) string { return m.Name })
}

// page checks that the iterator's field is a list of the result.
func (c *methodChecker) page(m *ir.Method, e syntax.Entry) {
	isList := func(s *ir.Struct) bool { f := s.Field(m.Page); return f != nil && ir.Is[*ir.List](f.Type) }
	if !slices.ContainsFunc(structsOf(m.Result), isList) {
		c.d.report(diag.InvalidPath, valueSpan(e), "page names the list that an iterator walks", "the result has no list %q", m.Page)
	}
}

// structsOf returns the objects that a type may be.
func structsOf(t ir.Type) []*ir.Struct {
	if t == nil {
		return nil
	}
	t = ir.Underlying(t)
	if s, ok := t.(*ir.Struct); ok {
		return []*ir.Struct{s}
	}
	var all []*ir.Struct
	for _, l := range leavesOf(t) {
		if s, ok := l.shape.(*ir.Struct); ok {
			all = append(all, s)
		}
	}
	return all
}

func (c *methodChecker) methodHeaders(m *ir.Method, e syntax.Entry) {
	for _, e := range c.d.entries(e, "write Mcp-Name: params.name") {
		path := c.d.text(e)
		if !headerName().MatchString(e.Key.Text) {
			c.d.report(diag.InvalidHeader, e.Key.Span, "use letters, digits and -", "%q cannot name a header", e.Key.Text)
			continue
		}
		m.Header = append(m.Header, ir.Header{Name: e.Key.Text, Path: path})
		c.d.settle(func() {
			if path != "" && !resolves(m.Params, path) {
				c.d.report(diag.InvalidPath, e.Value.Span, "write params. and the name of a field", "%q is not part of the params", path)
			}
		})
	}
}

// resolves follows a path such as params.ref.name.
func resolves(t ir.Type, path string) bool {
	names := strings.Split(path, ".")
	if names[0] != "params" || len(names) < 2 {
		return false
	}
	for _, name := range names[1:] {
		i := slices.IndexFunc(structsOf(t), func(s *ir.Struct) bool { return s.Field(name) != nil })
		if i < 0 {
			return false
		}
		t = structsOf(t)[i].Field(name).Type
	}
	return true
}
