package openapi

import (
	"cmp"
	"html"
	"strings"
	"unicode/utf8"

	lazy "github.com/rpcgen-go/rpcgen/schema/text"
)

// Greatest lengths of texts, in characters.
const (
	longestTool  = 300
	longestField = 200
	longestFull  = 2048
)

var (
	htmlTag      = lazy.Pattern(`</?[A-Za-z][^<>]*>|<!--.*?-->`)
	markdownLink = lazy.Pattern(`!?\[([^\[\]]*)\]\([^()\s]*(\s+"[^"]*")?\)`)
	bareLink     = lazy.Pattern(`\(?\bhttps?://[^\s<>"')]+\)?`)
	spaces       = lazy.Pattern(`\s+`)
	sentenceEnd  = lazy.Pattern(`[.!?]["')\]]?(\s|$)`)
	notAnEnd     = lazy.Pattern(`(?i)(\b(e\.g|i\.e|etc|vs|cf|approx|no|incl|resp|dr|mr|st)\.|\b[A-Z]\.)$`)
	emphasis     = lazy.Pattern(`\*\*|__`)
	remark       = lazy.Pattern(`(?i)^\W*((please )?note that\b|(note|n\.?b\.?|important|warning|caution|attention|tip|hint)\W*[:!\]])`)
	heading      = lazy.Pattern(`(?m)^\s*#+\s+.*$`)
)

// mostText bounds what is looked at of a text.
const mostText = 32 << 10

// plain is a text without HTML, links and line breaks.
func plain(s string) string {
	s = heading().ReplaceAllString(strings.ToValidUTF8(s[:min(len(s), mostText)], ""), "") // no part of a character
	s = htmlTag().ReplaceAllString(s, " ")
	s = html.UnescapeString(s)
	s = markdownLink().ReplaceAllString(s, "$1")
	s = bareLink().ReplaceAllString(s, "")
	s = emphasis().ReplaceAllString(s, "")
	return strings.TrimSpace(spaces().ReplaceAllString(s, " "))
}

// sentence is the first sentence of a text.
func sentence(s string) string {
	for from := 0; ; {
		at := sentenceEnd().FindStringIndex(s[from:])
		if at == nil {
			return s
		}
		end := strings.TrimSpace(s[:from+at[1]])
		if !notAnEnd().MatchString(end) {
			return end
		}
		from += at[1]
	}
}

// shorten is what is kept of a description: without FullText its first sentence that is not a remark, such as "Note: ...", if there is one.
func (o Options) shorten(s string, longest int) string {
	if o.FullText {
		return cutText(strings.TrimSpace(s), longestFull)
	}
	text := plain(s)
	first := sentence(text)
	for next, rest := first, text; next != ""; next = sentence(rest) {
		if !remark().MatchString(next) {
			return cutText(next, longest)
		}
		rest = strings.TrimSpace(rest[len(next):])
	}
	return cutText(first, longest)
}

// toldOf is what is kept of the description of a tool, or of its summary, if the description is nothing but remarks.
func (o Options) toldOf(description, summary string) string {
	said := o.shorten(description, longestTool)
	if said == "" || !o.FullText && remark().MatchString(said) {
		return cmp.Or(o.shorten(summary, longestTool), said)
	}
	return said
}

// cutText cuts a text at a word.
func cutText(s string, longest int) string {
	if utf8.RuneCountInString(s) <= longest {
		return s
	}
	s = string([]rune(s)[:longest-3])
	if at := strings.LastIndexAny(s, " \n"); at > len(s)/2 {
		s = s[:at]
	}
	return strings.TrimRight(s, " ,;:-\n") + "..."
}
