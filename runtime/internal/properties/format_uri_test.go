package properties_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/runtime/gen/format"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

func isURI(s string) bool {
	var vs violation.List
	format.URI(&vs, "", s)
	return vs.Err() == nil
}

// TestFormatURI: texts at the edges of the grammar of RFC 3986.
func TestFormatURI(t *testing.T) {
	for text, want := range map[string]bool{
		"a:": true, "a:b": true, "a:/": true, "a://": true, "a:///b": true, "a:b//c": true, "a:?": true, "a:#": true, "a:?#": true, "a:?a?b/c:@#d?e/f": true,
		"": false, ":": false, ":a": false, "1:a": false, "a": false, "a b:c": false, "a:b c": false, "a:%": false, "a:%4": false, "a:%4g": false, "a:%41": true, "a:#b#c": false,
		"a:[b]": false, "a:b?[c]": false, "a:b#[c]": false, "a:/l[::1]:80/x": false, "\u00e9:a": false, "a:\u00e9": false, "a:\x00": false, "a:<b>": false, "a:{b}": false,
		"http://u:p@h:80/x": true, "http://u:p:q@h": true, "http://u@p@h": false, "http://u%40p@h": true, "http://u[@h": false, "http://:@:": true, "http://@": true,
		"http://h:": true, "http://h:0000000000000000080/x": true, "http://h:80,80/x": false, "http://h:-0/": false, "http://h:8a": false, "http://h:80:80": false, "http://h:%38": false,
		"https://u@example.com:-0/": false, "http://h%5B/": true, "http://h[/": false, "http://h]/": false, "http://1.2.3.4.5:6": true, "http://256.0.0.1": true,
		"http://[::1]:80/x": true, "http://[::1]:80,80/x": false, "http://[::1]80": false, "http://[::1": false, "http://::1]": false, "http://[]": false, "http://[:1]:80/x": false,
		"http://[::]": true, "http://[1::]": true, "http://[1:2:3:4:5:6:7:8]": true, "http://[1:2:3:4:5:6:7]": false, "http://[1:2:3:4:5:6:7:8:9]": false,
		"http://[1:2:3:4:5:6:7::]": true, "http://[::2:3:4:5:6:7:8]": true, "http://[1:2:3:4::5:6:7:8]": false, "http://[1:2:3::5:6:7:8]": true, "http://[1::2::3]": false,
		"http://[:::1]": false, "http://[1:::2]": false, "http://[::12345]": false, "http://[::g]": false, "http://[::FFFF:1.2.3.4]": true, "http://[1:2:3:4:5:6:1.2.3.4]": true,
		"http://[1:2:3:4:5:6:7:1.2.3.4]": false, "http://[1.2.3.4::]": false, "http://[::1.2.3.4:5]": false, "http://[::1.2.3]": false, "http://[::1.2.3.04]": false,
		"http://[::1.2.3.256]": false, "http://[::255.249.199.99]": true, "http://[1.2.3.4]": false, "http://[fe80::1%25eth0]": false, "http://[fe80::1%eth0]": false,
		"http://[v1.a:b]": true, "http://[VaF.~]:1": true, "http://[v.a]": false, "http://[v1.]": false, "http://[vg.a]": false, "http://[v1a]": false, "http://[v1.a@b]": false,
		"http://[v1.%41]": false, "http://u@[::1]": true, "http://[::1]@h": false, "http://[::1]x": false, "urn:isbn:1": true, "mailto:a@b": true, "data:,x%20y": true,
	} {
		if isURI(text) != want || judge.HasFormat("uri", text) != want {
			t.Errorf("%q: rule says %v, judge %v, want %v", text, isURI(text), judge.HasFormat("uri", text), want)
		}
	}
}

// uris draws derivations of the rule URI of RFC 3986, appendix A.
type uris struct{ *rapid.T }

func (g uris) number(low, high int) int     { return rapid.IntRange(low, high).Draw(g.T, "number") }
func (g uris) one(alternatives string) byte { return alternatives[g.number(0, len(alternatives)-1)] }

// many joins parts.
func (g uris) many(low, high int, part func() string) string {
	var b strings.Builder
	for range g.number(low, high) {
		b.WriteString(part())
	}
	return b.String()
}

const (
	letters    = "abcxyzABCXYZ"
	digits     = "0123456789"
	hexes      = "0123456789abcdefABCDEF"
	unreserved = letters + digits + "-._~"
	delims     = "!$&'()*+,;="
)

func (g uris) of(chars string) func() string { return func() string { return string(g.one(chars)) } }

// escaped draws a character, or %XX.
func (g uris) escaped(chars string) func() string {
	return func() string {
		if g.number(0, 5) == 0 {
			return "%" + g.many(2, 2, g.of(hexes))
		}
		return string(g.one(chars))
	}
}

func (g uris) uri() string {
	s := string(g.one(letters)) + g.many(0, 4, g.of(letters+digits+"+-.")) + ":" + g.hierarchy()
	if g.number(0, 1) == 0 {
		s += "?" + g.many(0, 4, g.escaped(unreserved+delims+":@/?"))
	}
	if g.number(0, 1) == 0 {
		s += "#" + g.many(0, 4, g.escaped(unreserved+delims+":@/?"))
	}
	return s
}

func (g uris) hierarchy() string {
	segment := func() string { return "/" + g.many(0, 3, g.escaped(unreserved+delims+":@")) }
	first := func() string { return g.many(1, 3, g.escaped(unreserved+delims+":@")) }
	switch g.number(0, 5) {
	case 0:
		return ""
	case 1:
		return first() + g.many(0, 3, segment)
	case 2:
		return "/" + g.many(0, 1, func() string { return first() + g.many(0, 3, segment) })
	}
	s := "//"
	if g.number(0, 2) == 0 {
		s += g.many(0, 4, g.escaped(unreserved+delims+":")) + "@"
	}
	s += g.host()
	if g.number(0, 2) == 0 {
		s += ":" + g.many(0, 6, g.of(digits))
	}
	return s + g.many(0, 3, segment)
}

func (g uris) host() string {
	switch g.number(0, 4) {
	case 0:
		return g.many(0, 6, g.escaped(unreserved+delims))
	case 1:
		return g.ipv4()
	case 2:
		return "[" + string(g.one("vV")) + g.many(1, 3, g.of(hexes)) + "." + g.many(1, 4, g.of(unreserved+delims+":")) + "]"
	}
	return "[" + g.ipv6() + "]"
}

func (g uris) ipv4() string {
	return fmt.Sprintf("%d.%d.%d.%d", g.number(0, 255), g.number(0, 255), g.number(0, 255), g.number(0, 255))
}

func (g uris) h16() string { return g.many(1, 4, g.of(hexes)) }

func (g uris) ls32() string {
	if g.number(0, 1) == 0 {
		return g.ipv4()
	}
	return g.h16() + ":" + g.h16()
}

// ipv6 draws one of the nine forms of an IPv6 address.
func (g uris) ipv6() string {
	colon := func() string { return g.h16() + ":" }
	left := func(most int) string { // [ *most( h16 ":" ) h16 ]
		if g.number(0, 2) == 0 {
			return ""
		}
		return g.many(0, most, colon) + g.h16()
	}
	switch form := g.number(0, 8); form {
	case 0:
		return g.many(6, 6, colon) + g.ls32()
	case 1:
		return "::" + g.many(5, 5, colon) + g.ls32()
	case 2, 3, 4, 5, 6:
		return left(form-2) + "::" + g.many(6-form, 6-form, colon) + g.ls32()
	case 7:
		return left(5) + "::" + g.h16()
	}
	return left(6) + "::"
}

// TestFormatURIGrammar: every derivation of the grammar is a URI, and of texts that differ from one in a few characters the check and the judge,
// which is written from the grammar as a regular expression, say the same.
func TestFormatURIGrammar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := uris{t}
		text := g.uri()
		if !isURI(text) || !judge.HasFormat("uri", text) {
			t.Fatalf("%q is a URI: the rule says %v, the judge %v", text, isURI(text), judge.HasFormat("uri", text))
		}
		for range g.number(1, 3) {
			at, char := g.number(0, len(text)), string(g.one(unreserved+delims+":/?#[]@%:[]@ \"<>\\^`{|}\x7f\xc3"))
			switch end := min(at+g.number(0, 2), len(text)); g.number(0, 2) {
			case 0:
				text = text[:at] + char + text[at:]
			case 1:
				text = text[:at] + text[end:]
			default:
				text = text[:at] + char + text[end:]
			}
		}
		if isURI(text) != judge.HasFormat("uri", text) {
			t.Fatalf("%q: the rule says %v, the judge %v", text, isURI(text), judge.HasFormat("uri", text))
		}
	})
}
