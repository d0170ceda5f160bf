package ir

import (
	"fmt"
	"strconv"
	"strings"
)

func (p *printer) backend(b *Backend) {
	p.line("backend", b.Name, b.Server, labelled("auth", b.Auth.String()), labelled("message", b.Message), labelled("details", b.Details), timeout(b.Timeout), at(b.Pos))
	p.meta(b.Meta)
	p.within(func() {
		for _, v := range b.Variables {
			p.line("variable", v.Name, strconv.Quote(v.Default), labelled("enum", strings.Join(v.Values, ",")), labelled("pattern", v.Pattern), at(v.Pos))
		}
		p.constants("header", b.Headers)
		for _, s := range b.Schemes {
			p.line("scheme", s.Name, s.Kind, s.In, s.Param, labelled("authorize", s.Authorize), labelled("token", s.Token), labelled("scopes", strings.Join(s.Scopes, ",")), at(s.Pos))
			p.meta(s.Meta)
		}
		p.paging(b.Page)
	})
}

func (p *printer) constants(what string, all []Constant) {
	for _, c := range all {
		p.line(what, c.Name, strconv.Quote(c.Value), at(c.Pos))
	}
}

func (p *printer) paging(o *Paging) {
	if o != nil {
		p.line("page by", o.By, labelled("param", o.Param), labelled("from", o.From), labelled("more", o.More), labelled("size", o.Size), labelled("first", strconv.Itoa(o.First)), at(o.Pos))
	}
}

func (p *printer) http(h *HTTP) {
	p.line("http", h.Verb, h.Path, labelled("of", h.Backend.Name), labelled("body", h.BodyText()), labelled("auth", h.Auth.String()), labelled("key", h.RetryKey), labelled("redirect", h.Redirect), at(h.Pos))
	p.within(func() {
		p.constants("query", h.Query)
		p.constants("header", h.Headers)
		for _, m := range h.Members {
			p.line("member", m.Path, m.Value.String(), at(m.Pos))
		}
		p.paging(h.Page)
		if h.Wait != nil {
			p.line("wait", h.Wait.String(), at(h.Wait.Pos))
		}
		for _, f := range h.Sent {
			p.line("sent", f.Field.Name, f.Place.String())
		}
		for _, f := range h.Read {
			p.line("read", f.Field.Name, f.Place.String())
		}
	})
}

// statuses writes ranges of statuses as they are written in a schema.
func statuses(all []Statuses) string {
	var words []string
	for _, s := range all {
		if s.Low < s.High {
			words = append(words, fmt.Sprintf("%dxx", s.Low/100))
		} else {
			words = append(words, strconv.Itoa(s.Low))
		}
	}
	return strings.Join(words, ",")
}

// String is the request on one line. A nil one is empty.
func (h *HTTP) String() string {
	if h == nil {
		return ""
	}
	parts := []string{h.Verb + " " + h.Path + " of " + h.Backend.Name}
	add := func(words ...string) { parts = append(parts, strings.Join(words, " ")) }
	for _, one := range [][2]string{{"body", h.BodyText()}, {"auth", h.Auth.String()}, {"retry", h.RetryKey}, {"redirect", h.Redirect}} {
		if one[1] != "" {
			add(one[0], one[1])
		}
	}
	for _, c := range h.Query {
		add("query", c.Name+"="+c.Value)
	}
	for _, c := range h.Headers {
		add("header", c.Name+": "+c.Value)
	}
	for _, m := range h.Members {
		add("member", m.Path, m.Value.String())
	}
	if p := h.Page; p != nil {
		add("page", p.String())
	}
	if h.Wait != nil {
		add("wait", h.Wait.String())
	}
	for _, f := range h.Sent {
		add(f.Field.Name, "in", f.Place.String())
	}
	for _, f := range h.Read {
		add(f.Field.Name, "from", f.Place.String())
	}
	return strings.Join(parts, ", ")
}

// String says on one line how a list is continued.
func (p *Paging) String() string {
	return strings.Join(strings.Fields(strings.Join([]string{p.By, p.Param, p.From, p.More, p.Size, strconv.Itoa(p.First)}, " ")), " ")
}

// String is the backend on one line: where it is, and what requests to it carry.
func (b *Backend) String() string {
	parts := []string{b.Name + " at " + b.Server}
	for _, v := range b.Variables {
		parts = append(parts, v.Name+" "+v.Default+" of "+strings.Join(v.Values, "|")+v.Pattern)
	}
	for _, h := range b.Headers {
		parts = append(parts, h.Name+": "+h.Value)
	}
	for _, s := range b.Schemes {
		parts = append(parts, strings.Join(strings.Fields(strings.Join([]string{"scheme", s.Name, s.Kind, s.In, s.Param, s.Authorize, s.Token, strings.Join(s.Scopes, " ")}, " ")), " "))
	}
	if b.Auth != nil {
		parts = append(parts, "auth "+b.Auth.String())
	}
	return strings.Join(parts, ", ")
}
