package properties_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/runtime/gen/exact"
	"github.com/rpcgen-go/rpcgen/runtime/gen/union"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

var floats = flag.Int("floats", 1_000_000, "how many random floats are compared")

// tester is what *testing.T and *rapid.T share.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// read reads the whole of text, and reports whether it was accepted; the collecting pass must say the same.
func read[T any](t tester, text string, method func(*wire.Reader) T) (v T, ok bool) {
	t.Helper()
	err := wire.Unmarshal([]byte(text), func(r *wire.Reader) { v = method(r) }, nil)
	if wire.Check([]byte(text), wire.MaxDepth) == nil {
		var vs violation.List
		var r wire.Reader
		r.Collect([]byte(text), wire.Space([]byte(text), 0), wire.MaxDepth, &vs)
		if method(&r); (vs.Len() == 0) != (err == nil) {
			t.Fatalf("%s: %v, and then %v", text, err, vs.Err())
		}
	}
	return v, err == nil
}

// TestFloats compares a million floats of many shapes with encoding/json and strconv, both ways.
func TestFloats(t *testing.T) {
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 0.1 + 0.2, 2330591.93, 1e21, 1e20, 999999999999999868928, 1e-6, 9.99e-7, 1e-7, 1e-9, 5e-324, -5e-324,
		2.2250738585072014e-308, 2.225073858507201e-308, math.MaxFloat64, 1 << 53, 1<<53 + 2, 0.5, 0.125, 0.0625, 1e9, 999999999.999, 1e9 - 0.001, 123456.789, 4503599627370497.5, 0.001, 0.0005} {
		sameFloat(t, v)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range *floats / 8 {
		u := random.Uint64()
		sameFloat(t, math.Float64frombits(u))
		sameFloat(t, float64(random.IntN(1e9))/100)
		sameFloat(t, float64(random.Int64N(1e12))/1000)
		sameFloat(t, float64(int64(u))/math.Pow10(random.IntN(18)))
		sameFloat(t, random.NormFloat64())
		sameFloat(t, random.Float64()*math.Pow10(random.IntN(30)-15))
		sameFloat(t, float64(int32(u)))
		sameFloat(t, math.Float64frombits(u>>12)) // subnormal
	}
}

func sameFloat(t *testing.T, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	var buffer [64]byte
	got := wire.AppendFloat(buffer[:0], v)
	want, err := json.Marshal(v)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%b is written %s, by encoding/json %s", v, got, want)
	}
	var r wire.Reader
	r.Reset(got, 0, wire.MaxDepth)
	if back := r.Float64(); r.Failed() || r.Pos() != len(got) || math.Float64bits(back) != math.Float64bits(v) {
		t.Fatalf("%s is read as %b and not %b", got, back, v)
	}
}

// TestFloat64 reads number texts of any shape as strconv does.
func TestFloat64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number")
		want, err := strconv.ParseFloat(text, 64)
		got, ok := read(t, text, (*wire.Reader).Float64)
		if ok != (err == nil) || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s is %v %v, by strconv %v %v", text, got, ok, want, err)
		}
		if n, ok := read(t, text, (*wire.Reader).Number); !ok || string(n) != text {
			t.Fatalf("%s is kept as %s", text, n)
		}
	})
}

// TestNotANumber panics with an error that Marshal returns.
func TestNotANumber(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		err := func() (err error) {
			defer wire.CatchEncodeError(&err)
			wire.AppendFloat(nil, v)
			return nil
		}()
		if err == nil {
			t.Errorf("%v is written", v)
		}
	}
}

// TestIntegers reads integers at and beyond every bound, in every spelling.
func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		text                      string
		int32, uint32, int64, u64 bool
	}{
		{"0", true, true, true, true}, {"-0", true, true, true, true}, {"-1", true, false, true, false}, {"1.0", true, true, true, true}, {"1e2", true, true, true, true},
		{"100e-2", true, true, true, true}, {"1.5", false, false, false, false}, {"15e-1", false, false, false, false}, {"1e-1", false, false, false, false},
		{"2147483647", true, true, true, true}, {"2147483648", false, true, true, true}, {"-2147483648", true, false, true, false}, {"-2147483649", false, false, true, false},
		{"4294967295", false, true, true, true}, {"4294967296", false, false, true, true}, {"9223372036854775807", false, false, true, true},
		{"9223372036854775808", false, false, false, true}, {"-9223372036854775808", false, false, true, false}, {"-9223372036854775809", false, false, false, false},
		{"18446744073709551615", false, false, false, true}, {"18446744073709551616", false, false, false, false}, {"1.8446744073709551615e19", false, false, false, true},
		{"9223372036854775807.0", false, false, true, true}, {"999999999999999999", false, false, true, true}, {"1000000000000000000", false, false, true, true},
		{"1e18", false, false, true, true}, {"1e19", false, false, false, true}, {"1e20", false, false, false, false}, {"1e999999999999", false, false, false, false},
		{"0e999999999999", true, true, true, true}, {"1e-999999999999", false, false, false, false}, {"0.000", true, true, true, true}, {"1" + strings.Repeat("0", 60) + "e-60", true, true, true, true},
		{"01", false, false, false, false}, {`"1"`, false, false, false, false}, {"null", false, false, false, false}, {"true", false, false, false, false},
	} {
		value, _ := strconv.ParseFloat(c.text, 64)
		a, ok32 := read(t, c.text, (*wire.Reader).Int32)
		b, okU32 := read(t, c.text, (*wire.Reader).Uint32)
		d, ok64 := read(t, c.text, (*wire.Reader).Int64)
		e, okU64 := read(t, c.text, (*wire.Reader).Uint64)
		if ok32 != c.int32 || okU32 != c.uint32 || ok64 != c.int64 || okU64 != c.u64 {
			t.Errorf("%s: int32 %v, uint32 %v, int64 %v, uint64 %v", c.text, ok32, okU32, ok64, okU64)
		}
		if ok32 && float64(a) != value || okU32 && float64(b) != value || ok64 && float64(d) != value || okU64 && float64(e) != value {
			t.Errorf("%s: %d %d %d %d", c.text, a, b, d, e)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v, u := rapid.Int64().Draw(t, "v"), rapid.Uint64().Draw(t, "u")
		if got, ok := read(t, string(wire.AppendInt(nil, v)), (*wire.Reader).Int64); !ok || got != v {
			t.Fatal(v, got)
		}
		if got, ok := read(t, string(wire.AppendUint(nil, u)), (*wire.Reader).Uint64); !ok || got != u {
			t.Fatal(u, got)
		}
	})
}

// TestStrings decodes valid strings as encoding/json does, and refuses what is none.
func TestStrings(t *testing.T) {
	for _, text := range texts {
		if len(text) > 0 && text[0] == '"' {
			sameString(t, text)
		}
	}
	pieces := []string{"a", strings.Repeat("b", 9), strings.Repeat("c", 40), "\u00e9", "\u4e16", "\U0001F600", `\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0041`, `\u00e9`,
		`\u0000`, `\uD83D\uDE00`, `\ud83d\ude00`, `\ud800`, `\udc00`, `\ud83dx`, `\u12`, `\x`, "\x00", "\x1f", "\x7f", "\xff", "\xc3", "\xe4\xb8", "\xed\xa0\x80", " ", "/"}
	rapid.Check(t, func(t *rapid.T) {
		sameString(t, `"`+strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "pieces"), "")+`"`)
	})
}

func sameString(t tester, text string) {
	t.Helper()
	got, ok := read(t, text, (*wire.Reader).String)
	if valid := jsontext.Value(text).IsValid(); ok != valid {
		t.Fatalf("%q: jsontext %v, the reader %v", text, valid, ok)
	}
	if !ok {
		return
	}
	var want string
	if err := json.Unmarshal([]byte(text), &want); err != nil || got != want {
		t.Fatalf("%q is %q, by encoding/json %q %v", text, got, want, err)
	}
}

// TestAppendString writes any text, and reads it again; what is not UTF-8 becomes U+FFFD.
func TestAppendString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "text") {
			s = rapid.String().Draw(t, "s")
		}
		out := wire.AppendString([]byte("x"), s)[1:]
		if !jsontext.Value(out).IsValid() || bytes.ContainsAny(out, "\n\r") {
			t.Fatalf("%q is written %q", s, out)
		}
		want := strings.Map(func(r rune) rune { return r }, s)
		if got, ok := read(t, string(out), (*wire.Reader).String); !ok || got != want || utf8.ValidString(s) && got != s {
			t.Fatalf("%q is written %q and read %q", s, out, got)
		}
	})
}

// TestConst compares by value: spelling makes no difference, kind and case do.
func TestConst(t *testing.T) {
	for _, c := range []struct {
		text, fixed string
		ok          bool
	}{
		{`"a"`, `"a"`, true}, {`"\u0061"`, `"a"`, true}, {`"A"`, `"a"`, false}, {`"ab"`, `"a"`, false}, {`1`, `1`, true}, {`1.0`, `1`, true}, {`10e-1`, `1`, true}, {`12`, `1`, false}, {`1e1`, `1`, false},
		{`-0`, `0`, true}, {`true`, `true`, true}, {`false`, `true`, false}, {`null`, `null`, true}, {`"1"`, `1`, false}, {`[1]`, `1`, false}, {`{}`, `"a"`, false},
		{`0.50`, `0.5`, true}, {`1e999999999`, `1`, false}, {`"\"\\\n"`, `"\"\\\n"`, true}, {`null`, `"null"`, false},
	} {
		_, ok := read(t, c.text, func(r *wire.Reader) struct{} { r.Const(c.fixed); return struct{}{} })
		if ok != c.ok {
			t.Errorf("%s as %s: %v", c.text, c.fixed, ok)
		}
	}
}

// TestBytes takes padded base64 without line breaks and without bits that say nothing.
func TestBytes(t *testing.T) {
	for text, ok := range map[string]bool{`""`: true, `"aGk="`: true, `"aGkh"`: true, `"aGk"`: false, `"aGl="`: false, `"aG\nk="`: false, `"aG\rk="`: false, `"a-_="`: false, `"===="`: false, `1`: false} {
		if _, got := read(t, text, func(r *wire.Reader) []byte { return r.Bytes(nil) }); got != ok {
			t.Errorf("%s: %v", text, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Byte()).Draw(t, "p")
		out := wire.AppendBytes(nil, p)
		if got, ok := read(t, string(out), func(r *wire.Reader) []byte { return r.Bytes(nil) }); !ok || !bytes.Equal(got, p) || string(out) != `"`+base64.StdEncoding.EncodeToString(p)+`"` {
			t.Fatalf("%x is written %s and read %x", p, out, got)
		}
	})
}

// TestTimes writes moments and reads them again.
func TestTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := time.FixedZone("", 60*rapid.IntRange(-23*60, 23*60).Draw(t, "zone"))
		m := time.Unix(rapid.Int64Range(-62135596800+86400, 253402300799-86400).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns")).In(zone)
		out := wire.AppendTime(nil, m)
		if got, ok := read(t, string(out), (*wire.Reader).Time); !ok || !got.Equal(m) {
			t.Fatalf("%v is written %s and read %v", m, out, got)
		}
	})
}

// TestID keeps ids to the byte.
func TestID(t *testing.T) {
	for text, ok := range map[string]bool{`1`: true, `-1`: true, `"a"`: true, `"\u0061"`: true, `""`: true, `123456789012345678901234567890`: true, `1.0`: true, `1e2`: true,
		`1.5`: false, `null`: false, `true`: false, `[]`: false} {
		id, got := read(t, text, (*wire.Reader).ID)
		if got != ok || ok && string(wire.AppendID(nil, id)) != text {
			t.Errorf("%s: %v %v", text, id, got)
		}
	}
}

// TestUnique compares elements as JSON values; elements that cannot be written are not its affair.
func TestUnique(t *testing.T) {
	raws := func(texts ...string) (all []wire.Raw) {
		for _, text := range texts {
			raw, err := wire.ParseRaw([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, raw)
		}
		return all
	}
	for _, c := range []struct {
		all    []wire.Raw
		differ bool
	}{
		{raws(`1`, `1.0`), false}, {raws(`{"a":1,"b":[2]}`, `{"b":[2e0],"a":1}`), false}, {raws(`"a"`, `"\u0061"`), false}, {raws(`-0`, `0`), false},
		{raws(`1`, `"1"`, `true`, `[1]`, `{"a":1}`, `null`), true}, {raws(`[1,2]`, `[2,1]`), true}, {raws(`12345678901234567890`, `12345678901234567891`), true},
	} {
		var vs violation.List
		exact.Unique(&vs, "/x", c.all, wire.AppendRaw)
		if (vs.Len() == 0) != c.differ {
			t.Errorf("%v: %v", c.all, vs.Err())
		}
	}
	var vs violation.List
	exact.Unique(&vs, "", []float64{math.NaN()}, wire.AppendFloat)
	if vs.Len() != 0 {
		t.Error(vs.Err())
	}
}

// TestAppendTagged puts a tag before the members of an object.
func TestAppendTagged(t *testing.T) {
	for body, want := range map[string]string{`{}`: `x{"t":"a"}`, `{"b":1}`: `x{"t":"a","b":1}`} {
		got := union.AppendTagged([]byte("x"), `"t":"a"`, func(b []byte) []byte { return append(b, body...) })
		if string(got) != want {
			t.Errorf("%s: %s", body, got)
		}
	}
}
