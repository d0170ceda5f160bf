package typescript

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestAmbiguous tells patterns that JavaScript matches in time from those that it may not.
func TestAmbiguous(t *testing.T) {
	for expr, want := range map[string]bool{
		`^[a-z]+(-[a-z]+)*$`: false, `^\d{4}-\d{2}$`: false, `[0-9]`: false, `^0x[0-9a-f]+$`: false, `^a+$`: false, `^(ab|cd)*$`: false, `^x-`: false, `^[a-z]+@[a-z]+$`: false,
		`^(a|a)*$`: false, // its translation is ^a*$
		`^(a+)+$`:  true, `^(a|aa)+$`: true, `a+b`: true, `^a*a*$`: true, `^(.*)\s*$`: true, `(x+x+)+y`: true, `^([a-z]+)*$`: true,
		`^(\p{L}\p{L}|\w){1,30}$`: true, // which many ranges must not make slow
	} {
		if got := newPatterns().ambiguous(expr); got != want {
			t.Errorf("%s: %v", expr, got)
		}
	}
}

// TestScript translates what JavaScript writes otherwise, and leaves the rest.
func TestScript(t *testing.T) {
	for expr, want := range map[string]string{
		`^[a-z]+(-[a-z]+)*$`: `^[a-z]+(-[a-z]+)*$`, `a.b`: `a[^\n]b`, `(?i)k`: `[Kk\u212a]`, `\Aa\z`: `^a$`, `[[:digit:]]`: `\d`, `\s`: `[\t\n\f\r ]`, `(?m)^a`: `(?<![^\n])a`,
		`a{2,3}?`: `a{2,3}?`, `\-\_`: `-_`, `é`: `\u00e9`, `(?s).`: `[^]`, `[^a]`: `[^a]`, `{`: `\{`, `a/b`: `a/b`, `^(a|a)*$`: `^(?:a)*$`, `(?:a*)*b`: `a*b`, `^(ab|cd)$`: `^(ab|cd)$`, `[a-zA-Z]`: `[a-zA-Z]`, `(?P<x>ab)+`: `(?:ab)+`,
	} {
		if got := script(expr); strings.ReplaceAll(got, `\u000c`, `\f`) != strings.ReplaceAll(want, `\r`, `\u000d`) && got != want {
			t.Errorf("%s: %s, not %s", expr, got, want)
		}
	}
}

// TestRangesAreCharged: ranges of characters cost steps, so that the search ends after so much work, however long their lists are.
func TestRangesAreCharged(t *testing.T) {
	p, _ := program(`^(\p{L}\p{L}|\w){1,30}$`)
	g := newTransitions(p, mostSteps)
	letters := g.read[1]
	for _, r := range g.read {
		if len(r) > len(letters) {
			letters = r
		}
	}
	before := g.left
	if both := g.overlap(letters, letters, unicode.MaxRune); !slices.Equal(both, letters) || before-g.left < len(letters)/rangesOfStep {
		t.Errorf("%d ranges in common of %d, for %d steps", len(both), len(letters), before-g.left)
	}
	if both := g.overlap([]rune{1, 5, 9, 9}, []rune{2, 3, 5, 9}, 2); !slices.Equal(both, []rune{2, 3, 5, 5}) {
		t.Errorf("got %v", both)
	}
}

// TestCompared: patterns of JSON Schemas are expressions of JavaScript, or programs where JavaScript might take too long.
func TestCompared(t *testing.T) {
	if got := newPatterns().conformPattern(`^(a+)+$`); got != "*"+steps(`^(a+)+$`) {
		t.Error(got)
	}
	if got := newPatterns().conformPattern(`[[:digit:]]`); got != `\d` {
		t.Error(got)
	}
}

// TestPatternsShareABudget: the patterns of a document are looked at for so many steps in all. Those after that are taken for ambiguous, and each is looked at once.
func TestPatternsShareABudget(t *testing.T) {
	all, n := newPatterns(), 40
	for i := range n {
		all.ambiguous(fmt.Sprintf(`^a{0,%d}[a-z]{0,300}(b|c){0,300}$`, i+1))
	}
	if all.left > mostSteps || all.left < 0 {
		t.Errorf("%d steps are left", all.left)
	}
	before := all.left
	if !all.ambiguous(`^a{0,1}[a-z]{0,300}(b|c){0,300}$`) || all.left != before || newPatterns().ambiguous(`^[a-z]{1,20}$`) {
		t.Errorf("%d steps are left of %d", all.left, before)
	}
}
