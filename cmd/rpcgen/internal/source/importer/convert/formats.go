package convert

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// formatPatterns are regular expressions for formats of text. A schema that is kept says a format so, since format is an annotation in it.
var formatPatterns = map[string]string{
	"uri":           `^[A-Za-z][A-Za-z0-9+.-]*:` + uriChars + `$`,
	"uri-reference": `^` + uriChars + `$`,
	"uri-template":  `^([^\x00-\x20"'%<>\\^` + "`" + `{|}\x7f]|%[0-9A-Fa-f]{2}|\{[+#./;?&=,!@|]?[A-Za-z0-9_%.,*:]+\})*$`,
	"email":         "^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@" + hostChars + "$",
	"hostname":      `^` + hostChars + `$`,
	"ipv4":          `^` + octets + `$`,
	"ipv6":          `^[0-9A-Fa-f]*:[0-9A-Fa-f:]*(:` + octets + `)?$`,
	"uuid":          `^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`,
	"date":          `^` + dateDigits + `$`,
	"time":          `^` + timeDigits + `$`,
	"date-time":     `^` + dateDigits + `[Tt]` + timeDigits + `$`,
	"duration":      `^P(\d+W|(\d+[YMD])+(T(\d+[HMS])+)?|T(\d+[HMS])+)$`,
	"json-pointer":  `^(/([^/~]|~[01])*)*$`,
}

const (
	uriChars   = `([A-Za-z0-9._~!$&'()*+,;=:@/?#\[\]-]|%[0-9A-Fa-f]{2})*`
	hostChars  = `[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*`
	octets     = `(25[0-5]|2[0-4]\d|1\d{2}|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d{2}|[1-9]?\d)){3}`
	dateDigits = `\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`
	timeDigits = `([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)`
)

// alternatives are the branches of a union that is kept. Where several of them take text, the formats of these tell them apart: they become
// patterns. Of oneOf, a format without a pattern leaves anyOf, since a text that has it cannot be told from one that has not.
func (b *bundle) alternatives(s source.Cursor, k source.Member) (keyword string, list ir.Value, reason string) {
	keyword = k.Name
	if list, reason = b.list(k.Cursor); reason != "" {
		return keyword, list, reason
	}
	branches := k.Elements()
	if keyword == "oneOf" && !s.Has("anyOf") && b.strict == 0 && b.c.overlap(branches) {
		b.c.Report.Weaken(s.Pointer, "each value that a branch of oneOf describes fits another one as well, so that none would be taken: oneOf is read as anyOf")
		keyword = "anyOf"
	}
	texts := slices.DeleteFunc(slices.Clone(branches), func(s source.Cursor) bool {
		kinds := b.c.Resolver.KindsOf(s)
		return kinds != nil && !slices.Contains(kinds, "string")
	})
	if len(texts) < 2 {
		return keyword, list, ""
	}
	for at, branch := range branches {
		target := b.c.Resolver.Target(branch)
		format := target.TextOf("format")
		if format == "" || target.TextOf("type") != "string" {
			continue
		}
		pattern, known := formatPatterns[format]
		switch {
		case known:
			list.Items[at] = withPattern(list.Items[at], pattern)
		case keyword == "oneOf" && !s.Has("anyOf"):
			keyword = "anyOf"
			b.c.Report.Weaken(k.Pointer, "the format "+source.Quote(format)+" is not checked, so that a value may fit several branches")
		}
	}
	return keyword, list, ""
}

// withPattern is a schema that asks for a match of a regular expression as well.
func withPattern(s ir.Value, expr string) ir.Value {
	pattern := ir.Member{Name: "pattern", Value: ir.Value{Kind: ir.Text, Text: expr}}
	if (source.Cursor{Value: s}).Has("pattern") {
		both := ir.Value{Kind: ir.Array, Items: []ir.Value{s, {Kind: ir.Object, Fields: []ir.Member{pattern}}}}
		return ir.Value{Pos: s.Pos, Kind: ir.Object, Fields: []ir.Member{{Name: "allOf", Value: both}}}
	}
	s.Fields = append(slices.Clone(s.Fields), pattern)
	return s
}
