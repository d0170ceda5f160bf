package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// pieces are what random texts are made of: each once, and at every place in a word.
var pieces = []string{
	"a", " ", "~", "\x7f", "plain text", "exactly8", "a line of forty bytes, to reach the rounds.", `"`, `\`, "\n", "\x00", "\x1f", "é", "ß", "\u07ff",
	"ࠀ", "東京", "\ud7ff", "\ue000", "\uffff", "\u0e01ก", "퟿", "𝄞", "\U0010ffff",
	"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xe6\x9d", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xff",
}

var random = rand.New(rand.NewPCG(1, 2))

func randomText() string {
	var s strings.Builder
	for range random.IntN(12) {
		p := pieces[random.IntN(len(pieces))]
		s.WriteString(strings.Repeat(p, 1+random.IntN(4)))
	}
	return s.String()
}

// TestWords holds what walks in words against what walks in bytes.
func TestWords(t *testing.T) {
	for range 50_000 {
		p := []byte(randomText())
		i := random.IntN(len(p) + 1)
		want := i
		for want < len(p) && p[want] >= 0x20 && p[want] < 0x80 && p[want] != '"' && p[want] != '\\' {
			want++
		}
		if got := plain(p, i); got != want {
			t.Fatalf("plain(%q, %d) = %d, want %d", p, i, got, want)
		}
		if got := near(p, i); got < i || got > i+8 || got != want && plain(p, got) != want {
			t.Fatalf("near(%q, %d) = %d, want %d or an index before it", p, i, got, want)
		}
		wide := i
		for wide < len(p) && p[wide] >= 0x80 {
			_, n := utf8.DecodeRune(p[wide:])
			if n == 1 {
				break
			}
			wide += n
		}
		if got := multibyte(p, i); got != wide {
			t.Fatalf("multibyte(%q, %d) = %d, want %d", p, i, got, wide)
		}
	}
}

// TestWideText looks at texts of characters of three bytes, most of which hold something that only looks like one.
func TestWideText(t *testing.T) {
	for range 100_000 {
		var p []byte
		for range 8 + random.IntN(16) {
			p = append(p, 0xe0|byte(random.IntN(16)), 0x80|byte(random.IntN(64)), 0x80|byte(random.IntN(64)))
			if random.IntN(2) == 0 {
				p = p[:len(p)-3]
				p = utf8.AppendRune(p, rune(0x800+random.IntN(0xd000)))
			}
		}
		if random.IntN(2) == 0 {
			p[random.IntN(len(p))] = byte(random.IntN(256))
		}
		want := 0
		for want < len(p) && p[want] >= 0x80 {
			_, n := utf8.DecodeRune(p[want:])
			if n == 1 {
				break
			}
			want += n
		}
		if got := multibyte(p, 0); got != want {
			t.Fatalf("multibyte(%q) = %d, want %d", p, got, want)
		}
		if wideText(p[:24]) != (utf8.Valid(p[:24]) && wideByShape(p[:24])) {
			t.Fatalf("wideText(%q) = %t", p[:24], wideText(p[:24]))
		}
	}
}

// wideByShape reports whether the first bytes of eight characters are of those that wideText knows.
func wideByShape(p []byte) bool {
	for i := 0; i < len(p); i += 3 {
		if p[i]>>4 != 0xe || p[i] == 0xe0 || p[i] == 0xed {
			return false
		}
	}
	return true
}

// TestTextRoundTrip writes and reads texts, and lets encoding/json do both as well.
func TestTextRoundTrip(t *testing.T) {
	room := make([]byte, 0, 4096)
	for range 50_000 {
		text := randomText()
		got := AppendString(nil, text)
		if again := AppendString(room, text); !bytes.Equal(again, got) {
			t.Fatalf("%q is %q with room and %q without", text, again, got)
		}
		if member := AppendMemberString(room[:0:random.IntN(50)], `"a":`, text); string(member) != `"a":`+string(got) {
			t.Fatalf("%q is the member %q", text, member)
		}
		var back string
		if err := json.Unmarshal(got, &back); err != nil || back != strings.ToValidUTF8(each(text), "\ufffd") {
			t.Fatalf("%q is written as %q: %v", text, got, err)
		}
		for _, form := range [][]byte{got, must(json.Marshal(text))} {
			s, end := Str(append(form, "tail"...), 0)
			if end != len(form) || s != back {
				t.Fatalf("%q is read as %q to %d", form, s, end)
			}
		}
		if s, end := Str([]byte(`"`+text+`"`), 0); end > 0 && (!utf8.ValidString(s) || !json.Valid([]byte(`"` + text + `"`)[:end])) {
			t.Fatalf("%q is accepted as %q", text, s)
		}
	}
}

// each makes every byte that is not UTF-8 a U+FFFD of its own, as encoding/json does.
func each(s string) string {
	var out strings.Builder
	for _, r := range s {
		out.WriteRune(r)
	}
	return out.String()
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// TestLongUnescape reads texts that outgrow the first memory, at every length around its ends.
func TestLongUnescape(t *testing.T) {
	for n := range 700 {
		for _, piece := range []string{"a", "é", "東", "𝄞", `\n`} {
			form := `"\t` + strings.Repeat(piece, n) + `"`
			var want string
			if err := json.Unmarshal([]byte(form), &want); err != nil {
				t.Fatal(err)
			}
			if got, end := Str([]byte(form), 0); got != want || end != len(form) {
				t.Fatalf("%q is read as %q to %d", form, got, end)
			}
		}
	}
}

// TestNumberTexts compares the texts of numbers with those of encoding/json and strconv.
func TestNumberTexts(t *testing.T) {
	floats := []float64{
		0, math.Copysign(0, -1), 2330591.93, 0.1 + 0.2, 1e21, 1e-7, 1e-6, 999999999.999999, 0.000001, 0.0000015, 5e-324, 1 << 53, 0.5, 100, 1e9, 123456.789012,
	}
	for range 150_000 {
		scale := math.Pow10(random.IntN(9))
		floats = append(floats[:16], math.Float64frombits(random.Uint64()), math.Round(random.Float64()*1e10)/scale, random.NormFloat64(),
			-float64(random.Int64N(1<<53)), float64(random.IntN(1e6))/1e3, math.Nextafter(float64(random.IntN(1e6))/1e3, 0))
		for _, v := range floats[random.IntN(16):] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			if got, want := string(AppendFloat(nil, v)), string(must(json.Marshal(v))); got != want {
				t.Fatalf("%b is written as %s, want %s", v, got, want)
			}
		}
		n := random.Uint64() >> random.IntN(64)
		if got, want := string(AppendUint(nil, n)), strconv.FormatUint(n, 10); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		if got, want := string(AppendInt(nil, -int64(n))), strconv.FormatInt(-int64(n), 10); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

// TestQuotes holds the masks of words against their bytes, and escaped text against encoding/json.
func TestQuotes(t *testing.T) {
	alphabet := []byte("\"\\\"\\a #![]^~ \x7f\x1f\x00\n\x80\xa2\xdc\xff")
	for range 300_000 {
		p, most := make([]byte, 8), len(alphabet)
		if random.IntN(2) == 0 {
			most = 14 // text alone
		}
		text, marks := true, uint64(0)
		for i := range p {
			p[i] = alphabet[random.IntN(most)]
			if p[i] == '"' || p[i] == '\\' {
				marks |= 0x80 << (8 * i)
			}
			text = text && p[i] >= ' ' && p[i] < 0x80
		}
		w := load(p, 0)
		if got := quotes(w); got != marks {
			t.Fatalf("quotes(%q) = %x, want %x", p, got, marks)
		}
		if got := hasOnlyText(w); got != text {
			t.Fatalf("hasOnlyText(%q) = %v", p, got)
		}
	}
}

// FuzzQuoted compares escaped text with what encoding/json reads from it and writes, at every room in
// the buffer.
func FuzzQuoted(f *testing.F) {
	f.Add(`{"city":"San Francisco","unit":"celsius","list":["a\\b","\"\"\"\"\"\"\"\"\"\""]}`, 3)
	f.Add(`\\\\\\\\\\\\\\\\""""""""""""""""`+"\n\x00é\u2028\xff", 70)
	f.Fuzz(func(t *testing.T, s string, room int) {
		b := append(make([]byte, 0, 1+min(max(room, 0), 1<<12)), '[')
		got := AppendQuoted(b, []byte(s))[1:]
		var back string
		if err := json.Unmarshal(got, &back); err != nil || back != strings.ToValidUTF8(s, "") && utf8.ValidString(s) {
			t.Fatalf("%q becomes %q, which is read as %q, %v", s, got, back, err)
		}
		if want := slowQuoted(s); string(got) != want {
			t.Fatalf("%q becomes %q, want %q", s, got, want)
		}
	})
}

// slowQuoted escapes byte by byte.
func slowQuoted(s string) string {
	b := []byte{'"'}
	for _, c := range s { // a byte of invalid UTF-8 is U+FFFD
		switch e := byte(0); {
		case c < utf8.RuneSelf && escapes[c] != 0:
			e = escapes[c]
			b = append(b, '\\', e)
		case c < ' ':
			b = append(b, `\u00`...)
			b = append(b, hexDigits[c>>4], hexDigits[c&15])
		default:
			b = utf8.AppendRune(b, c)
		}
	}
	return string(append(b, '"'))
}
