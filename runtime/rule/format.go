package rule

import "strings"

// URI checks that s is an absolute URI: a scheme, a colon, and characters that RFC 3986 allows.
func URI(vs *Violations, at, s string) {
	if !isURI(s) {
		malformed(vs, at, s, "an absolute URI (RFC 3986), such as https://example.com/a")
	}
}

// URITemplate checks that s is a URI template in the syntax of RFC 6570.
func URITemplate(vs *Violations, at, s string) {
	if !isURITemplate(s) {
		malformed(vs, at, s, "a URI template (RFC 6570), such as file:///{path}")
	}
}

// Email checks that s is local@domain in the dot-atom form of RFC 5321 section 4.1.2.
func Email(vs *Violations, at, s string) {
	if !isEmail(s) {
		malformed(vs, at, s, "an e-mail address, such as ann@example.com")
	}
}

// UUID checks that s is a UUID in the form of RFC 9562 section 4: 8-4-4-4-12 hexadecimal digits.
func UUID(vs *Violations, at, s string) {
	if !isUUID(s) {
		malformed(vs, at, s, "a UUID, such as 2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d")
	}
}

// Date checks that s is a full-date of RFC 3339 section 5.6, and that the day exists.
func Date(vs *Violations, at, s string) {
	if !isDate(s) {
		malformed(vs, at, s, "a date (RFC 3339), such as 2026-07-28")
	}
}

// DateTime checks that s is a date-time of RFC 3339, section 5.6. Second 60 is refused, as everywhere: Go's time cannot hold it.
func DateTime(vs *Violations, at, s string) {
	if !isDateTime(s) {
		malformed(vs, at, s, "a date and time (RFC 3339), such as 2026-07-28T12:00:00Z")
	}
}

// Duration checks that s is a duration in the syntax of RFC 3339 appendix A.
func Duration(vs *Violations, at, s string) {
	if !isDuration(s) {
		malformed(vs, at, s, "a duration (ISO 8601), such as PT1H30M")
	}
}

func malformed(vs *Violations, at, s, expected string) {
	if vs.skips(at) {
		return
	}
	vs.Add(Violation{Pointer: at, Rule: "format", Expected: expected, Got: vs.Quoted("", s)})
}

// A class is a set of ASCII characters as bits. It is a constant, so a program that checks no
// formats has nothing to initialize.
type class [2]uint64

var (
	cAlpha  = class{0, 0x07fffffe07fffffe}                  // letters
	cDigit  = class{0x03ff000000000000, 0}                  // 0-9
	cHex    = class{0x03ff000000000000, 0x0000007e0000007e} // 0-9 a-f A-F
	cScheme = class{0x03ff680000000000, 0x07fffffe07fffffe} // letters, digits, + - .
	cURI    = class{0xafffffda00000000, 0x47fffffeafffffff} // characters of a URI except %XX
	cAtom   = class{0xa3ffacfa00000000, 0x7fffffffc7fffffe} // characters of a dot-atom except dots
	cVar    = class{0x03ff000000000000, 0x07fffffe87fffffe} // varchar of RFC 6570 except %XX and dots
)

func is(c byte, in class) bool { return c < 0x80 && in[c>>6]>>(c&63)&1 != 0 }

func isURI(s string) bool {
	i := 0
	for i < len(s) && is(s[i], cScheme) {
		i++
	}
	if i == 0 || i == len(s) || s[i] != ':' || !is(s[0], cAlpha) {
		return false
	}
	hash := false
	for i++; i < len(s); i++ {
		switch c := s[i]; {
		case c == '%':
			if !percent(s, i) {
				return false
			}
			i += 2
		case !is(c, cURI), c == '#' && hash:
			return false
		case c == '#':
			hash = true
		}
	}
	return brackets(s)
}

// brackets reports whether [ and ] occur only around the host of an authority (RFC 3986 section
// 3.2.2).
func brackets(s string) bool {
	open := strings.IndexByte(s, '[')
	if open < 0 {
		return strings.IndexByte(s, ']') < 0
	}
	slashes := strings.Index(s, "://")
	if slashes < 0 || slashes != strings.IndexByte(s, ':') { // an authority follows the scheme
		return false
	}
	authority := s[slashes+3:]
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		if strings.ContainsAny(authority[end:], "[]") {
			return false
		}
		authority = authority[:end]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		if strings.ContainsAny(authority[:at], "[]") {
			return false
		}
		authority = authority[at+1:]
	}
	end := strings.IndexByte(authority, ']')
	return strings.HasPrefix(authority, "[") && end > 1 && strings.LastIndexByte(authority, '[') == 0 &&
		strings.LastIndexByte(authority, ']') == end && (end+1 == len(authority) || authority[end+1] == ':') &&
		strings.Count(s[:slashes], "[") == 0
}

func percent(s string, i int) bool { return i+2 < len(s) && is(s[i+1], cHex) && is(s[i+2], cHex) }

func isURITemplate(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '{':
			end := strings.IndexByte(s[i:], '}')
			if end < 0 || !expression(s[i+1:i+end]) {
				return false
			}
			i += end
		case c == '%':
			if !percent(s, i) {
				return false
			}
			i += 2
		case c <= ' ', c == 0x7f, strings.IndexByte("\"'<>\\^`|}", c) >= 0:
			return false
		}
	}
	return true
}

// expression checks the text between braces: an operator and variables (RFC 6570 section 2.2).
func expression(s string) bool {
	if s != "" && strings.IndexByte("+#./;?&=,!@|", s[0]) >= 0 {
		s = s[1:]
	}
	for {
		name, rest, more := strings.Cut(s, ",")
		if !varspec(name) {
			return false
		}
		if !more {
			return true
		}
		s = rest
	}
}

func varspec(s string) bool {
	if name, ok := strings.CutSuffix(s, "*"); ok {
		s = name
	} else if name, most, ok := strings.Cut(s, ":"); ok {
		if len(most) < 1 || len(most) > 4 || most[0] == '0' || !all(most, cDigit) {
			return false
		}
		s = name
	}
	if s == "" || s[0] == '.' || s[len(s)-1] == '.' || strings.Contains(s, "..") {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '%':
			if !percent(s, i) {
				return false
			}
			i += 2
		case c != '.' && !is(c, cVar):
			return false
		}
	}
	return true
}

func all(s string, in class) bool {
	for i := range len(s) {
		if !is(s[i], in) {
			return false
		}
	}
	return true
}

func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s)-at-1 > 255 {
		return false
	}
	return dotted(s[:at], atom) && dotted(s[at+1:], label)
}

// dotted reports whether s consists of parts that are joined by dots.
func dotted(s string, part func(string) bool) bool {
	for {
		head, rest, more := strings.Cut(s, ".")
		if !part(head) {
			return false
		}
		if !more {
			return true
		}
		s = rest
	}
}

func atom(s string) bool { return s != "" && all(s, cAtom) }

func label(s string) bool {
	if s == "" || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		if !is(s[i], cAlpha) && !is(s[i], cDigit) && s[i] != '-' {
			return false
		}
	}
	return true
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !is(s[i], cHex) {
				return false
			}
		}
	}
	return true
}

func isDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' || !all(s[:4], cDigit) || !all(s[5:7], cDigit) || !all(s[8:], cDigit) {
		return false
	}
	year := int(s[0]-'0')*1000 + int(s[1]-'0')*100 + int(s[2]-'0')*10 + int(s[3]-'0')
	month := int(s[5]-'0')*10 + int(s[6]-'0')
	day := int(s[8]-'0')*10 + int(s[9]-'0')
	return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

func isDateTime(s string) bool {
	return len(s) > 10 && isDate(s[:10]) && (s[10] == 'T' || s[10] == 't') && isFullTime(s[11:])
}

// isFullTime reports whether s is a time of day with an offset: 12:00:00.5Z or 12:00:00+01:00.
func isFullTime(s string) bool {
	if len(s) < 9 || !isClock(s[:5]) || s[5] != ':' || s[6] > '5' || !all(s[6:8], cDigit) {
		return false
	}
	s = s[8:]
	if s[0] == '.' {
		n := 1
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == 1 {
			return false
		}
		s = s[n:]
	}
	return s == "Z" || s == "z" || len(s) == 6 && (s[0] == '+' || s[0] == '-') && isClock(s[1:])
}

// isClock reports whether s is hours and minutes: 23:59.
func isClock(s string) bool {
	return len(s) == 5 && s[2] == ':' && all(s[:2], cDigit) && all(s[3:], cDigit) && s[:2] <= "23" && s[3] <= '5'
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

func isDuration(s string) bool {
	rest, ok := strings.CutPrefix(s, "P")
	if !ok || rest == "" {
		return false
	}
	date, clock, hasClock := strings.Cut(rest, "T")
	if hasClock {
		return (date == "" || units(date, "YMD")) && clock != "" && units(clock, "HMS")
	}
	return units(date, "YMD") || units(date, "W")
}

// units reports whether s consists of numbers that are each followed by a letter of letters. The
// letters must be neighbours there and in that order: appendix A does not allow years followed by
// days.
func units(s, letters string) bool {
	next := -1
	for s != "" {
		i := 0
		for i < len(s) && is(s[i], cDigit) {
			i++
		}
		if i == 0 || i == len(s) {
			return false
		}
		at := strings.IndexByte(letters, s[i])
		if at < 0 || next >= 0 && at != next {
			return false
		}
		next, s = at+1, s[i+1:]
	}
	return next > 0
}
