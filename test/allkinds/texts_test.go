package allkinds_test

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// TestTexts puts texts of scalars that peers may write, and values rarely have, into texts of every type. The decoder accepts what the
// interpreter accepts, and what it accepts can be written again and read as the same value.
func TestTexts(t *testing.T) {
	accepted := map[string]bool{}
	for _, c := range codecs {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				typ := definitions()[c.name]
				text := respell(t, spell(t, fitting(t, typ)))
				v, err := ir.ParseJSON(text)
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				if boundDisagrees(typ, v) {
					return
				}
				first, err := decoded(c, text)
				if faults := judge.Judge(typ, v); (err == nil) != (len(faults) == 0) {
					t.Fatalf("%s\ngenerated code says %v\nthe interpreter %v", text, err, faults)
				}
				if err != nil {
					return
				}
				accepted[c.name] = true
				out := first.Append(nil)
				second, err := decoded(c, out)
				if err != nil {
					t.Fatalf("%s\nis written as %s\nwhich is refused: %v", text, out, err)
				}
				if again := second.Append(nil); !same(first.Value(), second.Value()) || !bytes.Equal(again, out) {
					t.Fatalf("%s\nis %+v\nwritten as %s\nwhich is %+v\nwritten as %s", text, first.Value(), out, second.Value(), again)
				}
				written, err := ir.ParseJSON(out)
				if err != nil {
					t.Fatalf("%s: %v", out, err)
				}
				if faults := judge.Judge(typ, written); len(faults) > 0 {
					t.Fatalf("%s\nis written as %s\nwhich the interpreter refuses: %v", text, out, faults)
				}
			})
		})
		if !accepted[c.name] { // few texts were tried, and all of them had another scalar
			plain := rapid.Custom(func(t *rapid.T) []byte { return spell(t, fitting(t, definitions()[c.name])) }).Example(1)
			if _, err := decoded(c, plain); err != nil {
				t.Errorf("%s: no text is accepted: %s: %v", c.name, plain, err)
			}
		}
	}
}

// respell replaces some scalars of a text by others, mostly of the same kind.
func respell(t *rapid.T, text []byte) []byte {
	g := generator{t: t}
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	type span struct{ from, to int }
	var scalars []span
	for {
		before := d.InputOffset()
		kind := d.PeekKind()
		name := false
		if _, n := d.StackIndex(d.StackDepth()); d.StackDepth() > 0 {
			k, _ := d.StackIndex(d.StackDepth())
			name = k == '{' && n%2 == 0
		}
		token, err := d.ReadToken()
		if err != nil {
			break
		}
		if !name && (kind == '"' || kind == '0') && token.Kind() == kind {
			end := int(d.InputOffset())
			raw := text[before:end]
			start := int(before) + len(raw) - len(bytes.TrimLeft(raw, " \t\r\n,:"))
			scalars = append(scalars, span{start, end})
		}
	}
	out := bytes.Clone(text)
	left := 1 + g.pick(3)
	for i := len(scalars) - 1; i >= 0 && left > 0; i-- {
		if g.chance(1 + len(scalars)/3) {
			left--
			s := scalars[i]
			out = append(out[:s.from], append([]byte(scalarText(&g, out[s.from] == '"')), out[s.to:]...)...)
		}
	}
	return out
}

// scalarText draws the text of a scalar.
func scalarText(g *generator, isText bool) string {
	if g.chance(12) {
		isText = !isText
	}
	switch {
	case !isText && g.chance(2):
		return choose(g, "0", "-0", "-0.0", "0e7", "1.0", "1e2", "100E-2", "1e400", "1e-400", "-1e-400", "184467440737095516160.5", "-9223372036854775807.5",
			"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1e20",
			"2147483647", "2147483648", "-2147483649", "4294967295", "4294967296", "9007199254740993", "100.00000000000000001", "2.0000000000000000001", "0.1000000000000000055",
			"-999944294967295.625", "0.30000000000000004", "1e9223372036854775807", "5e-324", "1.7976931348623157e308", "0.3", "0.125", "3", "99.99")
	case !isText:
		text := strconv.FormatInt(rapid.Int64().Draw(g.t, "digits")>>g.pick(63), 10)
		if g.chance(2) {
			text += "." + strconv.Itoa(g.pick(1_000_000))
		}
		if g.chance(4) {
			text += choose(g, "e", "E", "e+", "E-") + strconv.Itoa(g.pick(30))
		}
		return text
	case g.chance(2):
		return string(wire.AppendString(nil, nearMoment(g)))
	}
	return choose(g, `""`, `"low"`, `"\u006cow"`, `"LOW"`, `"AQID"`, `"AQIDBA=="`, `"AQIDBB=="`, `"AQ\nID"`, `"A"`, `"P1Y"`, `"PT1H30M"`, `"2026-02-29"`, `"2024-02-29"`, `"\ud83d\ude00"`,
		`"123e4567-e89b-12d3-a456-426614174000"`, `"123E4567-E89B-12D3-A456-426614174000"`, `"https://example.org/a?b#c"`, `"ann@example.org"`, `"1"`, `"null"`, `"a\u0000b"`)
}

// nearMoment draws a date-time, or nearly one.
func nearMoment(g *generator) string {
	text := choose(g, "2026", "0000", "9999", "0001", "2024") + "-" + choose(g, "01", "02", "12", "13", "1") + "-" + choose(g, "01", "28", "29", "30", "31", "00") +
		choose(g, "T", "T", "T", "t", " ") + choose(g, "00", "12", "23", "24") + ":" + choose(g, "00", "59", "60") + ":" + choose(g, "00", "59", "60")
	text += choose(g, "", "", ".5", ",5", ".", ".123456789", ".1234567891", ".000000000")
	return text + choose(g, "Z", "Z", "z", "+00:00", "-00:00", "+23:59", "-23:59", "+24:00", "+23:60", "-24:59", "+05:30", "+0530", "")
}
