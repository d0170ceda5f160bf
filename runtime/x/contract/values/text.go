package values

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	lazy "github.com/rpcgen-go/rpcgen/schema/text"
)

// Words of which texts are made.
var (
	calmWords  = []string{"a", "b", "tea", "green", "hello", "test", "value 1", "item-2", "North Sea", "x_y", "10", "Z9", "naïve café", "日本", "🙂 ok"}
	asciiWords = calmWords[:12]
	pageWords  = []string{"text", "green", "hello", "tea", "North Sea", "item-2", "TEXT", "1", "Z9"}
	hardWords  = []string{"", "\x01", "a\tb", "\u202eabc", "\u200b", "'; --", "<b>&amp;</b>", "${x} {{y}} %s", "../..", "\U0001F468\u200D\U0001F469",
		strings.Repeat("long ", 2000), "\u0000", "e\u0301", "ß"}
)

// text draws a text of a node.
func (d *drawing) text(n *node) string {
	if d.Profile == Page && !d.Chance(2) {
		if calm := n.calmTexts(); len(calm) > 0 {
			return calm[d.Below(len(calm))]
		}
	}
	var s string
	switch {
	case len(n.patterns) > 0:
		s = d.match(n.patterns[d.Below(len(n.patterns))])
		for range 8 {
			if n.spans(s) {
				return s
			}
			s = d.match(n.patterns[0])
		}
	case len(formats[n.format]) > 0:
		s = formats[n.format][d.Below(len(formats[n.format]))]
	default:
		from := calmWords
		switch d.Profile {
		case Page:
			from = pageWords
		case ASCII:
			from = asciiWords
		case Hard:
			from = append(slices.Clone(calmWords), hardWords...)
		}
		s = from[d.Below(len(from))]
		if d.Chance(3) {
			s += " " + from[d.Below(len(from))]
		}
	}
	return resize(s, n.shortest, n.longest)
}

// spans reports whether a text is as long as it has to be.
func (n *node) spans(s string) bool {
	length := utf8.RuneCountInString(s)
	return length >= n.shortest && (n.longest < 0 || length <= n.longest)
}

// calmTexts returns the texts for readers that fit: of the format, or words.
func (n *node) calmTexts() (fit []string) {
	from := formats[n.format]
	switch {
	case n.format == "byte":
		from = append(slices.Clone(from), strings.Repeat("AAAA", (min(n.shortest, mostMade)+3)/4))
	case len(from) == 0:
		from = pageWords
	}
	for _, s := range append(slices.Clip(from), resize(from[0], n.shortest, n.longest)) {
		if n.spans(s) && !slices.ContainsFunc(n.patterns, func(re *regexp.Regexp) bool { return !re.MatchString(s) }) {
			fit = append(fit, s)
		}
	}
	return fit
}

// resize makes a text as long as it has to be, up to mostMade letters.
func resize(s string, shortest, longest int) string {
	length := utf8.RuneCountInString(s)
	if missing := min(shortest, mostMade) - length; missing > 0 {
		s += strings.Repeat("text", missing/4+2)[length%4:][:missing]
		length += missing
	}
	if longest >= 0 && length > longest {
		return string([]rune(s)[:longest])
	}
	return s
}

// match draws a text that matches an expression. Assertions are left to luck: the value is judged.
func (d *drawing) match(re *regexp.Regexp) string {
	parsed, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	d.writeMatch(&b, parsed)
	return b.String()
}

// longestMatch limits texts of expressions, in bytes.
const longestMatch = 4 << 10

func (d *drawing) writeMatch(b *strings.Builder, e *syntax.Regexp) {
	if b.Len() > longestMatch {
		return
	}
	switch e.Op {
	case syntax.OpLiteral:
		b.WriteString(string(e.Rune))
	case syntax.OpCharClass:
		b.WriteRune(d.letter(e.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte("abcxyz019"[d.Below(9)])
	case syntax.OpAlternate:
		d.writeMatch(b, e.Sub[d.Below(len(e.Sub))])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		low, high := 0, 6
		switch e.Op {
		case syntax.OpPlus:
			low = 1
		case syntax.OpQuest:
			high = 1
		case syntax.OpRepeat:
			low, high = e.Min, e.Max
			if high < 0 || high > low+8 {
				high = low + 4
			}
		}
		if d.Profile == Page {
			low = max(low, min(high, 3))
		}
		for range low + d.Below(high-low+1) {
			d.writeMatch(b, e.Sub[0])
		}
	default:
		for _, part := range e.Sub {
			d.writeMatch(b, part)
		}
	}
}

// letter draws a letter of a class, which is given as ranges: one that can be read, where there is one.
func (d *drawing) letter(class []rune) rune {
	const readable = "aAb1xZ09-_. /"
	var fit []rune
	for _, r := range readable {
		if inClass(class, r) {
			fit = append(fit, r)
		}
	}
	for i := 0; i+1 < len(class) && d.Profile != ASCII && d.Profile != Page; i += 2 {
		if class[i] < 0x3000 || len(fit) == 0 {
			fit = append(fit, class[i], min(class[i+1], class[i]+30))
		}
	}
	fit = slices.DeleteFunc(fit, func(r rune) bool { return r < ' ' && d.Profile != Hard || 0xD800 <= r && r < 0xE000 })
	if len(fit) == 0 {
		return 'a'
	}
	return fit[d.Below(len(fit))]
}

func inClass(class []rune, r rune) bool {
	for i := 0; i+1 < len(class); i += 2 {
		if class[i] <= r && r <= class[i+1] {
			return true
		}
	}
	return false
}

// formats are texts of the formats of JSON Schema, those that every reader takes first.
var formats = map[string][]string{
	"date-time":     {"2024-05-17T12:30:00Z", "2023-01-02T03:04:05Z", "2024-02-29T23:59:59Z", "2024-05-17T12:30:00.25Z", "2024-05-17T12:30:00+02:00"},
	"date":          {"2024-05-17", "2023-01-02", "2024-02-29", "1999-12-31"},
	"time":          {"12:30:00Z", "23:59:59Z", "12:30:00.5+02:00"},
	"duration":      {"PT1H", "P1D", "P1Y2M3DT4H5M6S"},
	"email":         {"ann@example.com", "a.b+c@example.org", "x@sub.example.com"},
	"idn-email":     {"ann@example.com"},
	"hostname":      {"example.com", "localhost", "a-b.example.org"},
	"idn-hostname":  {"example.com"},
	"ipv4":          {"192.0.2.1", "127.0.0.1", "255.255.255.255"},
	"ipv6":          {"2001:db8::1", "::1", "2001:db8:0:0:1:2:3:4"},
	"uri":           {"https://example.com/a", "http://example.com", "https://example.com:8443/a/b?c=d#e", "urn:isbn:0451450523"},
	"uri-template":  {"https://example.com/{id}", "/books/{+path}", "{?q,page*}", "plain"},
	"url":           {"https://example.com/a", "http://example.com"},
	"uri-reference": {"https://example.com/a", "/a/b?c=d"},
	"iri":           {"https://example.com/a"},
	"uuid":          {"123e4567-e89b-12d3-a456-426614174000", "00000000-0000-4000-8000-000000000000", "F47AC10B-58CC-4372-A567-0E02B2C3D479"},
	"regex":         {"a+", "^[a-z]*$"},
	"json-pointer":  {"/a/b", "", "/a~1b"},
	"byte":          {"aGVsbG8=", "YQ=="},
}

// shapes are what texts of a format look like: what does not match is certainly no text of it.
var shapes = map[string]func() *regexp.Regexp{
	"date-time":    lazy.Pattern(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$`),
	"date":         lazy.Pattern(`^\d{4}-\d\d-\d\d$`),
	"time":         lazy.Pattern(`^\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$`),
	"duration":     lazy.Pattern(`^P[0-9YMWDTHS.,]+$`),
	"email":        lazy.Pattern(`^[^@ ]+@[^@ ]+$`),
	"ipv4":         lazy.Pattern(`^(\d{1,3}\.){3}\d{1,3}$`),
	"ipv6":         lazy.Pattern(`^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$`),
	"uri":          lazy.Pattern(`^[A-Za-z][A-Za-z0-9+.-]*:[^ ]*$`),
	"uri-template": lazy.Pattern(`^[^ ]*$`),
	"uuid":         lazy.Pattern(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`),
}

// formats visits the texts that do not have the format of their place.
func (s *Schema) formats(n *node, v *jsontree.Value, path []jsontree.Step, visit func([]jsontree.Step, *node, *jsontree.Value)) {
	s.places(n, v, path, func(p place) {
		if shape := shapes[p.node.format]; shape != nil && p.value.Is(jsontree.Text) && !shape().MatchString(p.value.Text) {
			visit(p.path, p.node, p.value)
		}
	})
}
