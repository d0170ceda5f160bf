package properties_test

import (
	"encoding/json"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/runtime/gen/distinct"
	"github.com/rpcgen-go/rpcgen/runtime/gen/exact"
	"github.com/rpcgen-go/rpcgen/runtime/gen/format"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// broken lists "pointer rule" of what a check found.
func broken(check func(vs *rule.Violations)) string {
	var vs rule.Violations
	check(&vs)
	var all []string
	for _, v := range vs.All() {
		all = append(all, strings.TrimSpace(v.Pointer+" "+v.Rule))
	}
	return strings.Join(all, ", ")
}

// numbers draws the texts of JSON numbers of moderate size.
var numbers = rapid.StringMatching(`-?(0|[1-9][0-9]{0,22})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,2})?`)

func rational(t *rapid.T, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%s", text)
	}
	return r
}

// TestDecimals compares exact comparison and division with big.Rat.
func TestDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := numbers.Draw(t, "a"), numbers.Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = a + rapid.SampledFrom([]string{"", "0", "1", "e0", "e1"}).Draw(t, "more")
			if _, ok := new(big.Rat).SetString(b); !ok {
				b = a
			}
		}
		x, y := rational(t, a), rational(t, b)
		if got := wire.CompareDecimal(a, b); (got > 0) != (x.Cmp(y) > 0) || (got < 0) != (x.Cmp(y) < 0) {
			t.Fatalf("%s and %s: %d", a, b, got)
		}
		if same := wire.CanonicalNumber(a) == wire.CanonicalNumber(b); same != (x.Cmp(y) == 0) {
			t.Fatalf("%s is %s, %s is %s", a, wire.CanonicalNumber(a), b, wire.CanonicalNumber(b))
		}
		if y.Sign() <= 0 {
			return
		}
		got := broken(func(vs *rule.Violations) { exact.DecimalMultipleOf(vs, "", a, b) }) == ""
		if want := new(big.Rat).Quo(x, y).IsInt(); got != want {
			t.Fatalf("%s is a multiple of %s: %v", a, b, got)
		}
	})
	for _, c := range []struct {
		a, b string
		want int
	}{{"0", "-0", 0}, {"0.0", "0e5", 0}, {"1e999999999999", "2", 1}, {"-1e999999999999", "2", -1}, {"1e-999999999999", "0", 1}, {"10", "1e1", 0}, {"-1", "-2", 1}} {
		if got := wire.CompareDecimal(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %d", c.a, c.b, got)
		}
	}
	if got := broken(func(vs *rule.Violations) { exact.DecimalMultipleOf(vs, "", "1e999999999", "0.01") }); got != "" {
		t.Error(got)
	}
}

// TestMultiples compares integers and floats, the latter as the decimals that people write for them.
func TestMultiples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step, places := rapid.Uint64Range(1, 1000).Draw(t, "step"), rapid.IntRange(0, 6).Draw(t, "places")
		v := float64(rapid.Int64Range(-1e9, 1e9).Draw(t, "v")) / rapid.SampledFrom([]float64{1, 10, 100, 1e4, 1e6}).Draw(t, "by")
		if rapid.Bool().Draw(t, "multiple") {
			text := new(big.Rat).SetFrac64(rapid.Int64Range(-1e6, 1e6).Draw(t, "n")*int64(step), int64(power(places))).FloatString(places)
			v, _ = strconv.ParseFloat(text, 64)
		}
		x := rational(t, strconv.FormatFloat(v, 'g', -1, 64))
		of := new(big.Rat).SetFrac64(int64(step), int64(power(places)))
		want := x.Quo(x, of).IsInt()
		if got := broken(func(vs *rule.Violations) { exact.MultipleOfFloat(vs, "", v, step, places) }) == ""; got != want {
			t.Fatalf("%v is a multiple of %d/10^%d: %v", v, step, places, got)
		}
		i, n := rapid.Int64().Draw(t, "i"), rapid.Int64Range(1, 1<<62).Draw(t, "of")
		if got := broken(func(vs *rule.Violations) { rule.MultipleOf(vs, "", i, n) }) == ""; got != (i%n == 0) {
			t.Fatal(i, n, got)
		}
		if got := broken(func(vs *rule.Violations) { exact.MultipleOfText(vs, "", i, strconv.FormatInt(n, 10)) }) == ""; got != (i%n == 0) {
			t.Fatal(i, n, got)
		}
	})
}

func power(places int) uint64 {
	n := uint64(1)
	for range places {
		n *= 10
	}
	return n
}

// TestChecks has a value on either side of each limit.
func TestChecks(t *testing.T) {
	for _, c := range []struct {
		name  string
		check func(vs *rule.Violations)
		want  string
	}{
		{"empty", func(vs *rule.Violations) { rule.Length(vs, "/a", "", 0, 0) }, ""},
		{"short", func(vs *rule.Violations) { rule.Length(vs, "/a", "\u4e16", 2, -1) }, "/a minLength"},
		{"code points", func(vs *rule.Violations) { rule.Length(vs, "/a", "\U0001F600\U0001F600", 2, 2) }, ""},
		{"long", func(vs *rule.Violations) { rule.Length(vs, "/a", "abc", 0, 2) }, "/a maxLength"},
		{"base64", func(vs *rule.Violations) { rule.Encoded(vs, "/a", 3, 4, 4) }, ""},
		{"long base64", func(vs *rule.Violations) { rule.Encoded(vs, "/a", 4, 4, 4) }, "/a maxLength"},
		{"no base64", func(vs *rule.Violations) { rule.Encoded(vs, "/a", 0, 1, -1) }, "/a minLength"},
		{"few", func(vs *rule.Violations) { rule.Items(vs, "/a", 0, 1, -1) }, "/a minItems"},
		{"many", func(vs *rule.Violations) { rule.Properties(vs, "/a", 3, 0, 2) }, "/a maxProperties"},
		{"any number", func(vs *rule.Violations) { rule.Items(vs, "/a", 1<<40, 0, -1) }, ""},
		{"least", func(vs *rule.Violations) { rule.Min(vs, "", int32(1), 1) }, ""},
		{"less", func(vs *rule.Violations) { rule.Min(vs, "", int32(0), 1) }, "minimum"},
		{"most", func(vs *rule.Violations) { rule.Max(vs, "", uint64(1<<63), 1<<63) }, ""},
		{"more", func(vs *rule.Violations) { rule.Max(vs, "", 1.1, 1) }, "maximum"},
		{"above", func(vs *rule.Violations) { rule.Above(vs, "", 0.5, 0.5) }, "exclusiveMinimum"},
		{"below", func(vs *rule.Violations) { rule.Below(vs, "", 0.5, 0.5) }, "exclusiveMaximum"},
		{"decimal", func(vs *rule.Violations) { exact.DecimalMin(vs, "", "0.10", "0.1", false) }, ""},
		{"decimal above", func(vs *rule.Violations) { exact.DecimalMin(vs, "", "0.10", "0.1", true) }, "exclusiveMinimum"},
		{"decimal most", func(vs *rule.Violations) { exact.DecimalMax(vs, "", "1e3", "999.9", false) }, "maximum"},
		{"decimal below", func(vs *rule.Violations) { exact.DecimalMax(vs, "", "1e3", "1000", true) }, "exclusiveMaximum"},
		{"any", func(vs *rule.Violations) { rule.RequireAny(vs, false, "a | b") }, "require"},
		{"one", func(vs *rule.Violations) { rule.RequireOne(vs, rule.Count(true, false, true), "a ^ b") }, "require"},
		{"with", func(vs *rule.Violations) { rule.RequireWith(vs, true, false, "a -> b") }, "require"},
		{"without", func(vs *rule.Violations) { rule.RequireWith(vs, false, false, "a -> b") }, ""},
		{"enum", func(vs *rule.Violations) { rule.Enum(vs, "/u", "celsuis", "celsius\nfahrenheit") }, "/u enum"},
		{"unique", func(vs *rule.Violations) { distinct.Unique(vs, "/l", []string{"a", "b", "a"}) }, "/l uniqueItems"},
		{"unique floats", func(vs *rule.Violations) { distinct.Unique(vs, "/l", []float64{0, 1, -1, 0.5}) }, ""},
		{"unique many", func(vs *rule.Violations) {
			all := make([]int64, 40)
			for i := range all {
				all[i] = int64(i % 39)
			}
			distinct.Unique(vs, "/l", all)
		}, "/l uniqueItems"},
	} {
		if got := broken(c.check); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestFormats compares with the regular expressions of package judge: on texts that are one edit away from a good one.
func TestFormats(t *testing.T) {
	checks := map[string]func(*rule.Violations, string, string){
		"uri": format.URI, "uri-template": format.URITemplate, "email": format.Email, "uuid": format.UUID, "date": format.Date, "date-time": format.DateTime, "duration": format.Duration,
	}
	text, err := os.ReadFile("../../../schema/judge/testdata/formats.json")
	var all map[string]struct{ Good []string }
	if err != nil || json.Unmarshal(text, &all) != nil || len(all) == 0 {
		t.Fatal("formats.json cannot be read")
	}
	for format, texts := range all {
		if checks[format] == nil {
			t.Fatalf("add %s to checks", format)
		}
		for _, text := range texts.Good {
			if got := broken(func(vs *rule.Violations) { checks[format](vs, "", text) }); got != "" {
				t.Errorf("%s refuses %q", format, text)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom(judge.Formats).Draw(t, "format")
		text := []rune(rapid.SampledFrom(all[format].Good).Draw(t, "text"))
		for range rapid.IntRange(0, 3).Draw(t, "edits") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			switch rapid.IntRange(0, 2).Draw(t, "edit") {
			case 0:
				text = append(text[:at:at], append([]rune{rapid.SampledFrom([]rune("aAzgG019:/?#[]@!%.-_{}+*,|~ TPWYMDHS\u00e9\x00\x7f\"")).Draw(t, "rune")}, text[at:]...)...)
			case 1:
				if at < len(text) {
					text = append(text[:at:at], text[at+1:]...)
				}
			default:
				if at+1 < len(text) {
					text[at], text[at+1] = text[at+1], text[at]
				}
			}
		}
		got := broken(func(vs *rule.Violations) { checks[format](vs, "", string(text)) }) == ""
		if want := judge.HasFormat(format, string(text)); got != want {
			t.Fatalf("%s %q: %v, by the interpreter %v", format, string(text), got, want)
		}
	})
}

// TestClosest suggests what was probably meant, and nothing else.
func TestClosest(t *testing.T) {
	names := []string{"celsius", "fahrenheit", "max_size", "id", "city"}
	for text, want := range map[string]string{"celsuis": "celsius", "Celsius": "celsius", "maxSize": "max_size", "MAX-SIZE": "max_size", "celsus": "celsius", "farenheit": "fahrenheit",
		"ix": "", "cty": "city", "kelvin": "", "": "", "celsius": "", strings.Repeat("c", 100): ""} {
		if got := violation.Closest(text, names); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestScopes puts the pointer of a part before what was found in it.
func TestScopes(t *testing.T) {
	var vs rule.Violations
	outer := vs.Enter()
	inner := vs.Enter()
	rule.Length(&vs, "/name", "", 1, -1)
	vs.Leave(inner, "/"+violation.EscapePointer("a/b~c"))
	rule.Min(&vs, "/n", int64(0), 1)
	vs.Leave(outer, "/x")
	secret := vs.Enter()
	rule.Enum(&vs, "", "red", "rad\nblue")
	vs.LeaveSensitive(secret, "/secret")
	rule.EachMember(&vs, "/map", map[string]string{"b/": "", "a": "", "~": "", "ok": "x"}, func(vs *rule.Violations, s string) { rule.Length(vs, "", s, 1, -1) })
	rule.EachValue(&vs, "/list", []string{"x", ""}, func(vs *rule.Violations, s string) { rule.Length(vs, "/deep", s, 1, -1) })
	got := broken(func(all *rule.Violations) { *all = vs })
	const want = "/x/a~1b~0c/name minLength, /x/n minimum, /secret enum, /map/a minLength, /map/b~1 minLength, /map/~0 minLength, /list/1/deep minLength"
	if got != want {
		t.Errorf("%s", got)
	}
	for _, v := range vs.All() {
		if v.Pointer == "/secret" && (v.Got != "" || v.Closest != "") {
			t.Errorf("%v gives the value away", v)
		}
	}
}

// TestUnusable leaves out what follows from a value that could not be read.
func TestUnusable(t *testing.T) {
	var vs rule.Violations
	vs.AddUnusable(rule.Violation{Pointer: "/a", Rule: "type"})
	vs.Add(rule.Violation{Pointer: "/a/b", Rule: "minLength"})
	vs.Add(rule.Violation{Pointer: "/a", Rule: "enum"})
	vs.Add(rule.Violation{Pointer: "/ab", Rule: "enum"})
	in := vs.Enter()
	vs.Add(rule.Violation{Pointer: "/b", Rule: "minimum"})
	vs.Leave(in, "/a")
	if got := broken(func(all *rule.Violations) { *all = vs }); got != "/a type, /ab enum" {
		t.Error(got)
	}
}

// TestCap counts what is beyond the limit.
func TestCap(t *testing.T) {
	var vs rule.Violations
	for i := range violation.MaxViolations + 10 {
		vs.Add(rule.Violation{Pointer: "/" + strconv.Itoa(i), Rule: "x"})
	}
	if vs.Len() != violation.MaxViolations || vs.Dropped() != 10 || !strings.HasSuffix(vs.Err().Error(), "; and 10 more") {
		t.Errorf("%d held, %d dropped", vs.Len(), vs.Dropped())
	}
	if vs.Reset(); vs.Err() != nil {
		t.Error("something is left")
	}
}
