package jsonschema_test

import (
	"regexp"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// TestRE2 tries patterns of ECMA 262 that RE2 writes in another way: each has a text that matches and one that does not, and one of RE2's own stays.
func TestRE2(t *testing.T) {
	for _, p := range []struct{ ecma, matches, other string }{
		{`^\u0041BC$`, "ABC", "\u41bcC"},
		{`^\u{1F600}[\u{41}-\u{43}]$`, "😀B", "😀D"},
		{`^\ud83d\uDE00$`, "😀", "\ufffd"},
		{`^\cJ\ci$`, "\n\t", "cJci"},
		{`^[\b]$`, "\b", "b"},
		{`\bx\u0021\b[\b]|\bx$`, "x", "xx"},
		{`^[^]$`, "\n", ""},
		{`^a$|[]`, "a", "]"},
		{`^[]$|^b$`, "b", "]$|^b"},
		{`^\p{Script=Greek}$`, "λ", "l"},
		{`^\P{sc=Grek}$`, "l", "λ"},
		{`^[\p{sc=Grek}\p{Script=Cyrillic}]$`, "ж", "l"},
		{`^\p{sc=Qaai}$`, "\u0301", "l"},
		{`^\p{General_Category=Uppercase_Letter}\p{gc=Nd}\p{gc=punct}$`, "A1!", "a1!"},
		{`^\p{L}\p{Letter}$`, "aλ", "a1"},
		{`^\\u0041\[]\p{sc=Latn}$`, `\u0041[]a`, `A[]a`},
		{`^[]\u0041]$`, "", "A"},
	} {
		re, err := regexp.Compile(jsonschema.RE2(p.ecma))
		if err != nil {
			t.Errorf("%s: %v", p.ecma, err)
			continue
		}
		if !re.MatchString(p.matches) && p.matches != "" || re.MatchString(p.other) {
			t.Errorf("%s is %s: of %q and %q, the first one alone should match", p.ecma, re, p.matches, p.other)
		}
	}
	for _, opaque := range []string{`\p{scx=Greek}`, `\p{sc=Nowhere}`, `\p{gc=Greek}`, `\p{Script=L}`, `^\ud83d$`, `\c1`, `(?<=a)b`} {
		if _, err := regexp.Compile(jsonschema.RE2(opaque)); err == nil {
			t.Errorf("%s became %s, which says something else", opaque, jsonschema.RE2(opaque))
		}
	}
	if is := jsonschema.RE2(`^[^]]\p{Greek}$`); is != `^[^]]\p{Greek}$` {
		t.Errorf("a pattern of RE2 became %s", is)
	}
}

// TestECMA writes patterns of RE2 as ECMA 262 has them, and reads them back: they match the same texts.
func TestECMA(t *testing.T) {
	for _, p := range []struct{ re2, ecma, matches, other string }{
		{`^\p{Greek}\pL\PN$`, `^\p{Script=Greek}\p{L}\P{N}$`, "λax", "lax"},
		{`^[\p{Han}\x{4e00}]\x{1f600}\x41$`, `^[\p{Script=Han}\u4e00]\u{1f600}\x41$`, "漢😀A", "x😀A"},
		{`\Aa\z`, `^a$`, "a", "ab"},
		{`^(?P<n>a)(?:b)\a$`, `^(?<n>a)(?:b)\x07$`, "ab\a", "aba"},
		{`^\\x{2}\\p{1}$`, `^\\x{2}\\p{1}$`, `\xx\p`, `\x{2}`},
		{`^\s.\S\w$`, `^\s.\S\w$`, "\taab", "aaab"},
		{`^(?i:k)[[:alpha:]]$`, `^(?i:k)[[:alpha:]]$`, "Ka", "k1"},
	} {
		is := jsonschema.ECMA(p.re2)
		if is != p.ecma {
			t.Errorf("%s became %s, and not %s", p.re2, is, p.ecma)
		}
		for _, expr := range []string{p.re2, jsonschema.RE2(is)} {
			if re, err := regexp.Compile(expr); err != nil || !re.MatchString(p.matches) || re.MatchString(p.other) {
				t.Errorf("%s is %s: of %q and %q, the first one alone should match; %v", p.re2, expr, p.matches, p.other, err)
			}
		}
	}
}
