package judge

import (
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Formats are the formats that are checked.
//
//   - uri: URI of RFC 3986, appendix A. The zone of an IPv6 address (%25eth0) is not part of it.
//   - uri-template: the syntax of RFC 6570, all levels; the operators it reserves for the future are allowed.
//   - email: local@domain in ASCII: dot-separated atoms without quoting or comments, dot-separated host labels; at
//     most 64 characters before the @ and 255 after it.
//   - uuid: hex digits in groups of 8-4-4-4-12, either case, any version.
//   - date: RFC 3339 full-date, such as 2026-02-28, a day that the calendar has.
//   - duration: RFC 3339 appendix A, such as P1DT12H or P3W: no fractions, no sign, weeks alone, no unit left out between two.
//
// A date-time (the type ir.Time, and the format of a text with further rules) is RFC 3339: a T between date and time in either case, optional fraction after a
// dot, Z or an offset up to 23:59. Second 60 is not accepted, because Go's time cannot hold it.
var Formats = []string{"uri", "uri-template", "email", "uuid", "date", "date-time", "duration"}

var (
	uriForm = text.Pattern(`^[A-Za-z][A-Za-z0-9+.-]*:(?://` + authority + `(?:/` + pchar + `*)*|/(?:` + pchar + `+(?:/` + pchar + `*)*)?|` +
		pchar + `+(?:/` + pchar + `*)*|)(?:\?(?:` + pchar + `|[/?])*)?(?:#(?:` + pchar + `|[/?])*)?$`)
	emailForm    = text.Pattern("^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@" + label + `(?:\.` + label + `)*$`)
	uuidForm     = text.Pattern(`^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)
	dateForm     = text.Pattern(`^\d{4}-\d{2}-\d{2}$`)
	clockForm    = text.Pattern(`^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$`)
	durationForm = text.Pattern(`^P(?:\d+W|(?:\d+D|\d+M(?:\d+D)?|\d+Y(?:\d+M(?:\d+D)?)?)(?:` + clockSpan + `)?|` + clockSpan + `)$`)
	templateText = text.Pattern(`^(?:[^\x00-\x20"'%<>\\^` + "`" + `{|}\x7f]|%[0-9A-Fa-f]{2})*$`)
	templateExpr = text.Pattern(`^[+#./;?&=,!@|]?` + variable + `(?:,` + variable + `)*$`)
)

// The rules of RFC 3986, appendix A.
const (
	escape    = `%[0-9A-Fa-f]{2}`
	plain     = `A-Za-z0-9._~!$&'()*+,;=\-` // unreserved and sub-delims
	pchar     = `(?:[` + plain + `:@]|` + escape + `)`
	authority = `(?:(?:[` + plain + `:]|` + escape + `)*@)?(?:\[(?:` + ipv6 + `|[Vv][0-9A-Fa-f]+\.[` + plain + `:]+)\]|(?:[` + plain + `]|` + escape + `)*)(?::[0-9]*)?`
	octet     = `(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])`
	h16       = `[0-9A-Fa-f]{1,4}`
	ls32      = `(?:` + h16 + `:` + h16 + `|` + octet + `(?:\.` + octet + `){3})`
	ipv6      = `(?:(?:` + h16 + `:){6}` + ls32 +
		`|::(?:` + h16 + `:){5}` + ls32 +
		`|(?:` + h16 + `)?::(?:` + h16 + `:){4}` + ls32 +
		`|(?:(?:` + h16 + `:){0,1}` + h16 + `)?::(?:` + h16 + `:){3}` + ls32 +
		`|(?:(?:` + h16 + `:){0,2}` + h16 + `)?::(?:` + h16 + `:){2}` + ls32 +
		`|(?:(?:` + h16 + `:){0,3}` + h16 + `)?::` + h16 + `:` + ls32 +
		`|(?:(?:` + h16 + `:){0,4}` + h16 + `)?::` + ls32 +
		`|(?:(?:` + h16 + `:){0,5}` + h16 + `)?::` + h16 +
		`|(?:(?:` + h16 + `:){0,6}` + h16 + `)?::)`
)

const (
	label     = `[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`
	clockSpan = `T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)`
	character = `(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})`
	variable  = character + `(?:\.?` + character + `)*(?:\*|:[1-9]\d{0,3})?`
)

// HasFormat reports whether text has a format; a format that is not checked is had by all texts.
func HasFormat(name, text string) bool {
	switch name {
	case "uri":
		return uriForm().MatchString(text)
	case "uri-template":
		return isTemplate(text)
	case "email":
		at := strings.LastIndexByte(text, '@')
		return emailForm().MatchString(text) && at <= 64 && len(text)-at-1 <= 255
	case "uuid":
		return uuidForm().MatchString(text)
	case "date":
		return isDate(text)
	case "date-time":
		return isDateTime(text)
	case "duration":
		return durationForm().MatchString(text)
	}
	return true
}

func isDate(text string) bool {
	if !dateForm().MatchString(text) {
		return false
	}
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

func isDateTime(text string) bool {
	const date = len("2006-01-02")
	return len(text) > date && isDate(text[:date]) && (text[date] == 'T' || text[date] == 't') && clockForm().MatchString(text[date+1:])
}

// isTemplate takes the expressions out and asks each and the rest.
func isTemplate(text string) bool {
	for {
		literal, rest, found := strings.Cut(text, "{")
		if !templateText().MatchString(literal) {
			return false
		}
		if !found {
			return true
		}
		expression, after, closed := strings.Cut(rest, "}")
		if !closed || !templateExpr().MatchString(expression) {
			return false
		}
		text = after
	}
}
