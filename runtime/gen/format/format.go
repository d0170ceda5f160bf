// Package format holds the formats of strings as functions that generated validators call. It is for generated code only, and makes no
// promise of compatibility to other code.
//
//test:sequential
//test:by ./runtime/internal/properties
//test:by ./cmd/rpcgen/command TestEveryFormat
package format

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// URI checks that s is a URI of RFC 3986: a scheme, a colon, and what the grammar there allows after it.
func URI(vs *violation.List, at, s string) {
	check(vs, at, s, isURI(s), "an absolute URI (RFC 3986), such as https://example.com/a")
}

// URITemplate checks that s is a URI template in the syntax of RFC 6570.
func URITemplate(vs *violation.List, at, s string) {
	check(vs, at, s, isURITemplate(s), "a URI template (RFC 6570), such as file:///{path}")
}

// Email checks that s is local@domain in the dot-atom form of RFC 5321 section 4.1.2.
func Email(vs *violation.List, at, s string) {
	check(vs, at, s, isEmail(s), "an e-mail address, such as ann@example.com")
}

// UUID checks that s is a UUID in the form of RFC 9562 section 4: 8-4-4-4-12 hexadecimal digits.
func UUID(vs *violation.List, at, s string) {
	check(vs, at, s, isUUID(s), "a UUID, such as 2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d")
}

// Date checks that s is a full-date of RFC 3339 section 5.6, and that the day exists.
func Date(vs *violation.List, at, s string) {
	check(vs, at, s, wire.IsDate(s), "a date (RFC 3339), such as 2026-07-28")
}

// DateTime checks that s is a date-time of RFC 3339, section 5.6. Second 60 is refused, as everywhere: Go's time cannot hold it.
func DateTime(vs *violation.List, at, s string) {
	check(vs, at, s, wire.IsDateTime(s), "a date and time (RFC 3339), such as 2026-07-28T12:00:00Z")
}

// Duration checks that s is a duration in the syntax of RFC 3339 appendix A.
func Duration(vs *violation.List, at, s string) {
	check(vs, at, s, isDuration(s), "a duration (ISO 8601), such as PT1H30M")
}

// check reports s unless it fits. The compiler inlines it.
func check(vs *violation.List, at, s string, fits bool, expected string) {
	if !fits {
		formatFault(vs, at, s, expected)
	}
}

func formatFault(vs *violation.List, at, s, expected string) {
	if vs.Skips(at) {
		return
	}
	vs.Add(violation.Violation{Pointer: at, Rule: "format", Expected: expected, Got: vs.Quoted("", s)})
}

// A class is a set of ASCII characters as bits. It is a constant, so a program that checks no
// formats has nothing to initialize.
type class [2]uint64

var (
	cAlpha  = class{0, 0x07fffffe07fffffe}                  // letters
	cDigit  = class{0x03ff000000000000, 0}                  // 0-9
	cHex    = class{0x03ff000000000000, 0x0000007e0000007e} // 0-9 a-f A-F
	cScheme = class{0x03ff680000000000, 0x07fffffe07fffffe} // letters, digits, + - .
	cName   = class{0x2bff7fd200000000, 0x47fffffe87fffffe} // reg-name of RFC 3986 except %XX
	cUser   = class{0x2fff7fd200000000, 0x47fffffe87fffffe} // userinfo, the same and :
	cPath   = class{0x2fffffd200000000, 0x47fffffe87ffffff} // pchar of RFC 3986 except %XX, and /
	cQuery  = class{0xafffffd200000000, 0x47fffffe87ffffff} // the same and ?
	cAtom   = class{0xa3ffacfa00000000, 0x7fffffffc7fffffe} // characters of a dot-atom except dots
	cVar    = class{0x03ff000000000000, 0x07fffffe87fffffe} // varchar of RFC 6570 except %XX and dots
)

func is(c byte, in class) bool { return c < 0x80 && in[c>>6]>>(c&63)&1 != 0 }

// isURI follows RFC 3986 section 3, and appendix A.
func isURI(s string) bool {
	scheme, rest, colon := strings.Cut(s, ":")
	if !colon || scheme == "" || !is(scheme[0], cAlpha) || !all(scheme, cScheme) {
		return false
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	path, query, _ := strings.Cut(rest, "?")
	if authority, ok := strings.CutPrefix(path, "//"); ok {
		end := strings.IndexByte(authority, '/')
		if end < 0 {
			end = len(authority)
		}
		if !isAuthority(authority[:end]) {
			return false
		}
		path = authority[end:]
	}
	return isEncoded(path, cPath) && isEncoded(query, cQuery) && isEncoded(fragment, cQuery)
}

// isAuthority reports whether s is [ userinfo "@" ] host [ ":" port ].
func isAuthority(s string) bool {
	if at := strings.IndexByte(s, '@'); at >= 0 {
		if !isEncoded(s[:at], cUser) {
			return false
		}
		s = s[at+1:]
	}
	if literal, ok := strings.CutPrefix(s, "["); ok {
		literal, port, ok := strings.Cut(literal, "]")
		return ok && (isIPv6(literal) || isIPFuture(literal)) && (port == "" || port[0] == ':' && all(port[1:], cDigit))
	}
	host, port, _ := strings.Cut(s, ":")
	return isEncoded(host, cName) && all(port, cDigit)
}

// isIPFuture reports whether s is the address of a version of the Internet Protocol that is yet to come.
func isIPFuture(s string) bool {
	version, address, ok := strings.Cut(s, ".")
	return ok && len(version) > 1 && (version[0] == 'v' || version[0] == 'V') && all(version[1:], cHex) && address != "" && all(address, cUser)
}

// isIPv6 reports whether s is eight groups of hexadecimal digits, the last two of which may be an IPv4 address; two colons stand for one group
// or more.
func isIPv6(s string) bool {
	left, right, short := strings.Cut(s, "::")
	n, ok := groups(left, !short)
	if !short {
		return ok && n == 8
	}
	m, ok2 := groups(right, true)
	return ok && ok2 && n+m <= 7
}

// groups counts the groups of a part of an IPv6 address, which may be empty. An IPv4 address stands for two at its end, if that is the end of all.
func groups(s string, last bool) (n int, ok bool) {
	if s == "" {
		return 0, true
	}
	for {
		group, rest, more := strings.Cut(s, ":")
		switch {
		case group != "" && len(group) <= 4 && all(group, cHex):
			n++
		case last && !more && isIPv4(group):
			n += 2
		default:
			return 0, false
		}
		if !more {
			return n, true
		}
		s = rest
	}
}

// isIPv4 reports whether s is four numbers up to 255, without further zeros.
func isIPv4(s string) bool {
	n := 0
	return joins(s, ".", func(octet string) bool {
		n++
		return octet != "" && len(octet) <= 3 && all(octet, cDigit) && (octet[0] != '0' || octet == "0") && (len(octet) < 3 || octet <= "255")
	}) && n == 4
}

// isEncoded reports whether s consists of characters of a class and of %XX.
func isEncoded(s string, in class) bool {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '%' && percent(s, i):
			i += 2
		case !is(s[i], in):
			return false
		}
	}
	return true
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
	return joins(s, ",", varspec)
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
	return at >= 1 && at <= 64 && len(s)-at-1 <= 255 && joins(s[:at], ".", func(s string) bool { return s != "" && all(s, cAtom) }) && joins(s[at+1:], ".", label)
}

// joins reports whether s consists of parts that are joined by a separator.
func joins(s, separator string, part func(string) bool) bool {
	for {
		head, rest, more := strings.Cut(s, separator)
		if !part(head) {
			return false
		}
		if !more {
			return true
		}
		s = rest
	}
}

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
