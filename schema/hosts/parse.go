package hosts

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// Parse reads the file of a host. The host is nil if there are errors: a key that is not known is one.
func Parse(file string, text []byte) (*Host, diag.List) {
	root, faults := syntax.Parse(file, text)
	if root == nil {
		return nil, faults
	}
	p := &parser{faults: faults}
	h := p.host(root)
	h.File = file
	if p.faults.HasErrors() {
		return nil, p.faults.Sorted()
	}
	return h, nil
}

type parser struct{ faults diag.List }

func (p *parser) report(code diag.Code, at diag.Span, help, format string, args ...any) {
	p.faults = append(p.faults, diag.Diagnostic{Code: code, Span: at, Message: fmt.Sprintf(format, args...), Help: help})
}

// keys returns the values of a mapping. A key that is not known is an error, and so is a required one that is missing.
func (p *parser) keys(n *syntax.Node, what string, required []string, optional ...string) map[string]*syntax.Node {
	found := map[string]*syntax.Node{}
	if n.Kind != syntax.Mapping {
		p.report(diag.WrongKind, n.Span, "write "+strings.Join(required, ": ..., ")+": ...", "%s is a mapping, not %s", what, n.Kind)
		return found
	}
	known := slices.Concat(required, optional)
	for _, e := range n.Entries {
		if !slices.Contains(known, e.Key.Text) {
			help := cmp.Or(diag.DidYouMean(e.Key.Text, known), "the keys are "+strings.Join(known, ", "))
			p.report(diag.UnknownKey, e.Key.Span, help, "%s has no key %q", what, e.Key.Text)
			continue
		}
		found[e.Key.Text] = e.Value
	}
	for _, key := range required {
		if found[key] == nil {
			p.report(diag.MissingKey, n.Span, "add "+key+":", "%s has no %s", what, key)
		}
	}
	return found
}

// text returns a scalar as it is written; empty if the node is nil.
func (p *parser) text(n *syntax.Node, what string) string {
	if n == nil {
		return ""
	}
	if n.Kind != syntax.Scalar || n.Text == "" {
		p.report(diag.WrongKind, n.Span, "", "%s is text", what)
		return ""
	}
	return n.Text
}

// word returns one of the words given.
func (p *parser) word(n *syntax.Node, what string, words ...string) string {
	text := p.text(n, what)
	if text != "" && !slices.Contains(words, text) {
		p.report(diag.InvalidValue, n.Span, "write "+strings.Join(words, " or "), "%s cannot be %q", what, text)
	}
	return text
}

// texts returns a list of scalars, or one.
func (p *parser) texts(n *syntax.Node, what string) []string {
	switch {
	case n == nil:
		return nil
	case n.Kind == syntax.Scalar:
		return []string{p.text(n, what)}
	case n.Kind != syntax.Sequence || len(n.Items) == 0:
		p.report(diag.WrongKind, n.Span, "write [a, b]", "%s is a list", what)
		return nil
	}
	all := make([]string, len(n.Items))
	for i, item := range n.Items {
		all[i] = p.text(item, what)
	}
	return all
}

func (p *parser) host(n *syntax.Node) *Host {
	found := p.keys(n, "a host", []string{"host", "kind", "limits"}, "title", "clients", "models", "direct", "prefix", "union", "modes")
	h := &Host{
		Name:    p.text(found["host"], "host"),
		API:     p.word(found["kind"], "kind", "host", "api") == "api",
		Title:   p.text(found["title"], "title"),
		Clients: p.texts(found["clients"], "clients"),
		Models:  p.texts(found["models"], "models"),
		Direct:  p.word(found["direct"], "direct", "true") == "true",
		Prefix:  p.text(found["prefix"], "prefix"),
		Union:   p.texts(found["union"], "union"),
		Limits:  p.limits(found["limits"]),
	}
	if strings.ContainsAny(h.Name, ",: ") {
		p.report(diag.InvalidValue, found["host"].Span, "", "the name of a host has no comma, colon or blank")
	}
	if modes := found["modes"]; modes != nil {
		if modes.Kind != syntax.Mapping {
			p.report(diag.WrongKind, modes.Span, "write strict: {...}", "modes is a mapping, not %s", modes.Kind)
		}
		for _, e := range modes.Entries {
			h.Modes = append(h.Modes, Mode{e.Key.Text, p.limits(e.Value)})
		}
	}
	return h
}

func (p *parser) limits(n *syntax.Node) []Limit {
	if n == nil {
		return nil
	}
	if n.Kind != syntax.Mapping {
		p.report(diag.WrongKind, n.Span, "write tools: {value: 80, ...}", "limits are a mapping, not %s", n.Kind)
		return nil
	}
	var all []Limit
	for _, e := range n.Entries {
		check, ok := checkOf(e.Key.Text)
		if !ok {
			var known []string
			for _, c := range slices.Concat(Checks(), serverLimits) {
				known = append(known, string(c.Key))
			}
			help := cmp.Or(diag.DidYouMean(e.Key.Text, known), "the limits are "+strings.Join(known, ", "))
			p.report(diag.UnknownKey, e.Key.Span, help, "there is no limit %q", e.Key.Text)
			continue
		}
		all = append(all, p.limit(check, e))
	}
	return all
}

func (p *parser) limit(check Check, e syntax.Entry) Limit {
	found := p.keys(e.Value, "a limit", []string{"value", "on", "source", "seen", "sure"}, "was")
	l := Limit{
		Check:  check,
		Value:  p.value(check, found["value"]),
		On:     p.word(found["on"], "on", "refuse", "drop", "cut", "group", "warn"),
		Source: p.text(found["source"], "source"),
		Seen:   p.date(found["seen"]),
		Sure:   p.word(found["sure"], "sure", "read", "excerpt", "reported"),
		Pos:    e.Key.Span.Pos,
	}
	if was := found["was"]; was != nil {
		if was.Kind != syntax.Sequence {
			p.report(diag.WrongKind, was.Span, "write [{value: 64, seen: 2026-01-01}]", "was is a list, not %s", was.Kind)
		}
		for _, item := range was.Items {
			past := p.keys(item, "an older value", []string{"value", "seen"}, "source")
			l.Was = append(l.Was, Past{p.value(check, past["value"]), p.date(past["seen"]), p.text(past["source"], "source")})
		}
	}
	return l
}

func (p *parser) date(n *syntax.Node) time.Time {
	text := p.text(n, "seen")
	day, err := time.Parse(time.DateOnly, text)
	if text != "" && err != nil {
		p.report(diag.InvalidValue, n.Span, "write the day as YYYY-MM-DD", "%q is not a day", text)
	}
	return day
}

func (p *parser) value(check Check, n *syntax.Node) (v Value) {
	if n == nil {
		return v
	}
	what := "the value of " + string(check.Key)
	switch check.Form {
	case Number:
		if v.Number = number(p.text(n, what)); v.Number < 1 {
			p.report(diag.InvalidValue, n.Span, "", "%s is a number above zero", what)
		}
	case Pattern:
		expr, err := regexp.Compile(p.text(n, what))
		if err != nil {
			p.report(diag.InvalidPattern, n.Span, "", "%s is a regular expression: %v", what, err)
		}
		v.Pattern = expr
	case Words:
		v.Words = p.texts(n, what)
	default:
		p.word(n, what, "true")
	}
	return v
}

// number reads a decimal number; it is 0 for anything else.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
