package syntax

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/foreign"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

var yamlLine = text.Pattern(`^yaml: (?:line (\d+): )?`)

var unknownAnchor = text.Pattern(`^unknown anchor '(.*)' referenced`)

const aliasHelp = "name the shared part under types and refer to it"

// syntaxError gives a message of the library a position. The library knows the line at best (and not even that on the
// first), so the column comes from the usual suspects on that line.
func (p *parser) syntaxError(err error) {
	message := err.Error()
	prefix := yamlLine().FindStringSubmatch(message)
	number := 1
	if prefix != nil {
		message = message[len(prefix[0]):]
		if n, err := strconv.Atoi(prefix[1]); err == nil {
			number = n
			if strings.HasPrefix(message, "did not find expected") {
				number++ // here the library counts lines from 0
			}
		}
	}
	number = min(max(number, 1), len(p.Lines))
	if alias := unknownAnchor().FindStringSubmatch(message); alias != nil {
		p.alias(alias[1])
		return
	}
	if at, ok := p.tab(number); ok {
		p.report(diag.TabIndent, at, "indent with spaces", "YAML does not allow a tab here")
		return
	}
	for _, l := range []int{number, number + 1, number - 1} {
		if at, help := p.suspect(l); help != "" {
			p.report(diag.YAMLSyntax, at, help, "%s", message)
			return
		}
	}
	number = p.lastWritten(number)
	help := ""
	for part, write := range map[string]string{"',' or '}'": "close the brace that is open here with }",
		"',' or ']'": "close the bracket that is open here with ]", "unexpected end of stream": "close the quote that is open here"} {
		if strings.Contains(message, part) {
			help = write
		}
	}
	if at, of := p.badIndent(); at > 0 && help == "" && (at == number || strings.HasPrefix(message, "did not find expected")) {
		number, message, help = at, "the indentation is not that of a line above", "indent it as "+of
	}
	text := p.line(number)
	indent := len(text) - len(strings.TrimLeft(text, " "))
	p.report(diag.YAMLSyntax, p.at(number, indent, max(1, len(strings.TrimSpace(text)))), help, "%s", message)
}

// badIndent finds the first line whose indentation is that of no line above which may go on there: 0 if there is none. It also says which those are.
func (p *parser) badIndent() (number int, of string) {
	type opened struct {
		indent, number int
		ends           bool // with a value: nothing may be further in
	}
	s := &scanner{spots: map[spot]bool{}}
	var open []opened
	for i, text := range p.Lines {
		content := strings.TrimSpace(text)
		indent := len(text) - len(strings.TrimLeft(text, " "))
		within := len(s.flow) > 0 || s.quote != 0 || s.inner && (content == "" || indent > s.block)
		s.line([]byte(text))
		if within || content == "" || strings.HasPrefix(content, "#") {
			continue
		}
		closed := opened{}
		for len(open) > 0 && open[len(open)-1].indent > indent {
			closed, open = open[len(open)-1], open[:len(open)-1]
		}
		if len(open) > 0 && open[len(open)-1].indent == indent {
			open = open[:len(open)-1]
		} else if len(open) > 0 && closed.number > 0 {
			return i + 1, fmt.Sprintf("line %d, with %d blanks, or as line %d, with %d", closed.number, closed.indent, open[len(open)-1].number,
				open[len(open)-1].indent)
		} else if len(open) > 0 && open[len(open)-1].ends {
			if !strings.Contains(content+" ", ": ") {
				continue // the text goes on
			}
			return i + 1, fmt.Sprintf("line %d, with %d blanks", open[len(open)-1].number, open[len(open)-1].indent)
		}
		open = append(open, opened{indent, i + 1, !strings.HasSuffix(content, ":") && !strings.HasPrefix(content, "- ") && len(s.flow) == 0 &&
			s.quote == 0 && !s.inner && strings.Contains(content, ": ")})
		if item := indentOf([]byte(text)); item > indent {
			open = append(open, opened{item, i + 1, false})
		}
	}
	return 0, ""
}

// alias reports the first use of an anchor that is not there; the library does not say where that is.
func (p *parser) alias(name string) {
	for i, text := range p.Lines {
		if at := strings.Index(text, "*"+name); at >= 0 {
			help := aliasHelp
			if write, ok := foreign.Type("*" + name); ok && foreign.IsType(name) {
				help = "write " + write
			}
			p.report(diag.YAMLAlias, p.at(i+1, at, len(name)+1), help, "a schema may not use YAML aliases")
			return
		}
	}
	p.report(diag.YAMLAlias, p.at(1, 0, 1), aliasHelp, "a schema may not use YAML aliases")
}

// lastWritten returns the last line at or above number that is not blank.
func (p *parser) lastWritten(number int) int {
	for n := number; n > 0; n-- {
		if strings.TrimSpace(p.line(n)) != "" {
			return n
		}
	}
	return number
}

// tab finds a tab in the indentation around a line.
func (p *parser) tab(number int) (diag.Span, bool) {
	for _, l := range []int{number, number - 1, number + 1} {
		text := p.line(l)
		indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
		if i := strings.IndexByte(indent, '\t'); i >= 0 {
			return p.at(l, i, 1), true
		}
	}
	return diag.Span{}, false
}

var (
	flowList     = text.Pattern(`[{,][^{}]*?(\w+\[\])`)
	flowOptional = text.Pattern(`[{,]\s*([\w$]+\?\s*):`)
	backtick     = text.Pattern("(?:: |- )([`@%])")
	braces       = text.Pattern(`\{.*: ([^"'\[{,|>&*!#\s][^"',{}]*\{[^{}]*\}[^,}]*)`)
	foreignType  = text.Pattern(`: ((?:\[\]|"[^"]*"\s*\||'[^']*'\s*\||[A-Za-z_][\w.]*\[)[^{}#]*)`)
	bareScalar   = text.Pattern(`^\s*(?:- )?[\w?$/]+: ([^"'\[{|>&*!#][^"']*: .*)`)
)

// suspect finds what people write that YAML does not take, and says what to write instead.
func (p *parser) suspect(number int) (at diag.Span, help string) {
	text := p.line(number)
	if m := foreignType().FindStringSubmatchIndex(text); m != nil {
		for expression, more := text[m[2]:m[3]], true; more; {
			expression = strings.TrimSpace(expression)
			if write, ok := foreign.Type(expression); ok {
				return p.at(number, m[2], len(expression)), "write " + write
			}
			at := strings.LastIndexByte(expression, ',')
			expression, more = expression[:max(at, 0)], at >= 0
		}
	}
	for _, s := range []struct {
		form func() *regexp.Regexp
		help string
	}{
		{flowList, "inside { } write list<...> instead of ...[]"},
		{flowOptional, "inside { } YAML does not take a key that ends in ?: write one key a line"},
		{backtick, "quote a text that begins with this character"},
		{braces, "quote a text that holds braces"},
		{bareScalar, "quote a text that holds a colon"},
	} {
		if m := s.form().FindStringSubmatchIndex(text); m != nil {
			return p.at(number, m[2], m[3]-m[2]), s.help
		}
	}
	return diag.Span{}, ""
}
