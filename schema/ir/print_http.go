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
	p.line("http", h.Verb, h.Path, labelled("of", h.Backend.Name), labelled("body", h.Body), labelled("auth", h.Auth.String()), labelled("key", h.RetryKey), labelled("redirect", h.Redirect), at(h.Pos))
	p.within(func() {
		p.constants("query", h.Query)
		p.constants("header", h.Headers)
		for _, m := range h.Members {
			p.line("member", m.Path, m.Value.String(), at(m.Pos))
		}
		p.paging(h.Page)
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
