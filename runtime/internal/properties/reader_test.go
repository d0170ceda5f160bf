package properties_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Random inputs are the same in each run, so that what fails has failed by a change; -rapid.seed=0 draws others.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

// texts are JSON, nearly JSON, and what other parsers have been wrong about.
var texts = []string{
	`{"a":[1,2.5e-3,"x\u00e9\ud83d\ude00",true,false,null],"b":{}}`, ` [ ] `, `0`, `-0`, `-0.0e+10`, `1E400`, `""`, "\t{\r\n}",
	``, ` `, `{`, `[`, `"`, `[1,]`, `{"a":1,}`, `{,}`, `[,]`, `{"a"}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `[1 2]`, `01`, `-`, `+1`, `.5`, `1.`, `1e`,
	`1e+`, `0x1`, `NaN`, `Infinity`, `tru`, `truee`, `nul`, `[tru]`, `"\x"`, `"\u12g4"`, `"\ud800"`, `"\udc00"`, `"\ud800\u0041"`, `"\ud800\ud800"`,
	"\"\x00\"", "\"\n\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\u2028\"",
	"\ufeff{}", `{}{}`, `[]]`, `[}`, `{]`, `{"a":1}x`, `{"a":1,"a":2}`, `{"a":{"b":1},"c":[{"b":1,"d":{},"b":2}]}`, `{"a":1,"\u0061":2}`, `{"":1,"":2}`, `{"a":{"a":{"a":1}},"b":{"a":1}}`,
	`"a` + strings.Repeat("b", 100) + `"`, `[[[[[[[[[[]]]]]]]]]]`, `1 `, "1\v", "1\u00a0", `'a'`, `/**/1`,
}

// TestCheck compares Check and Skip with jsontext on every text, and on every text that lacks one byte.
func TestCheck(t *testing.T) {
	for _, text := range texts {
		compare(t, []byte(text))
		for i := range text {
			compare(t, []byte(text[:i]+text[i+1:]))
			compare(t, []byte(text[:i]))
		}
	}
}

// failer is a test, a fuzz target or a property.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// compare asks jsontext and the runtime whether b is JSON.
func compare(t failer, b []byte) {
	t.Helper()
	before := bytes.Clone(b)
	valid := jsontext.Value(b).IsValid(jsontext.AllowDuplicateNames(true))
	err := wire.Check(b, wire.MaxDepth)
	var deep *wire.DepthError
	var syntax *wire.SyntaxError
	switch {
	case errors.As(err, &deep):
		if !valid || b[deep.Offset] != '[' && b[deep.Offset] != '{' {
			t.Fatalf("%q: %v, and valid: %v", b, err, valid)
		}
		return
	case (err == nil) != valid:
		t.Fatalf("%q: jsontext: %v, Check: %v", b, valid, err)
	case errors.As(err, &syntax) && (syntax.Offset < 0 || syntax.Offset > len(b) || syntax.What == ""):
		t.Fatalf("%q: %v", b, err)
	}
	end := wire.Skip(b, wire.Space(b, 0), wire.MaxDepth)
	if whole := end >= 0 && wire.Space(b, end) == len(b); whole != valid {
		t.Fatalf("%q: jsontext: %v, Skip ends at %d of %d", b, valid, end, len(b))
	}
	once := jsontext.Value(b).IsValid() // no object has a member twice
	raw, err := wire.ParseRaw(b)
	if (err == nil) != once {
		t.Fatalf("%q: jsontext: %v, ParseRaw: %v", b, once, err)
	}
	if broken, ok := errors.AsType[*violation.Error](err); ok != (valid && !once) || ok && broken.Violations[0].Rule != "duplicate" {
		t.Fatalf("%q: %v", b, err)
	}
	var r wire.Reader
	r.Reset(b, 0, wire.MaxDepth)
	if read := r.Raw(); !r.Failed() && wire.Space(b, r.Pos()) == len(b) != once || once && read != raw {
		t.Fatalf("%q: Raw reads %s, and failed: %v", b, read, r.Failed())
	}
	if once {
		compacted := jsontext.Value(bytes.Clone(b))
		if err := compacted.Compact(); err != nil || raw.String() != string(compacted) {
			t.Fatalf("%q: compact is %s, ParseRaw gives %s", b, compacted, raw)
		}
	}
	if !bytes.Equal(before, b) {
		t.Fatalf("%q was changed to %q", before, b)
	}
}

// FuzzCheck compares with jsontext on whatever the fuzzer finds.
func FuzzCheck(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) { compare(t, b) })
}

// TestOnce compares ParseRaw with jsontext on objects with few and many members, nested in each other, some of which are there twice.
func TestOnce(t *testing.T) {
	var text func(t *rapid.T, depth int) string
	name := func(t *rapid.T) string {
		n := strconv.Itoa(rapid.IntRange(0, 300).Draw(t, "name"))
		if rapid.IntRange(0, 9).Draw(t, "escaped") == 0 {
			return fmt.Sprintf(`"\u00%x%s"`, n[0], n[1:])
		}
		return `"` + n + `"`
	}
	text = func(t *rapid.T, depth int) string {
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		if depth == 4 || kind == 0 {
			return "1"
		}
		n := rapid.SampledFrom([]int{0, 1, 2, 3, 17, 23, 24, 25, 60}).Draw(t, "members")
		if depth > 1 {
			n %= 4
		}
		if kind == 1 {
			var all []string
			for range n % 5 {
				all = append(all, text(t, depth+1))
			}
			return "[" + strings.Join(all, ",") + "]"
		}
		var all []string
		for i := range n {
			value := "1"
			if i%8 == 0 {
				value = text(t, depth+1)
			}
			at := `"m` + strconv.Itoa(i) + `"`
			if rapid.IntRange(0, 20).Draw(t, "random") == 0 {
				at = name(t)
			}
			all = append(all, at+":"+value)
		}
		return "{" + strings.Join(all, ",") + "}"
	}
	duplicates := 0
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(text(t, 0))
		compare(t, b)
		if !jsontext.Value(b).IsValid() {
			duplicates++
			_, err := wire.ParseRaw(b)
			found, _ := errors.AsType[*violation.Error](err)
			for _, v := range found.Violations {
				if jsontext.Pointer(v.Pointer).IsValid() && v.Pointer != "" {
					continue
				}
				t.Fatalf("%s: %v", b, v)
			}
		}
	})
	if duplicates == 0 {
		t.Error("no text had a member twice")
	}
}

// thing is decoded by hand as generated code decodes.
type thing struct {
	name  string
	count int64
	ratio float64
	tags  []string
	inner *thing
	extra map[string]wire.Raw
}

const thingKeys = "name\ncount\nratio\ntags\ninner"

func (v *thing) decode(r *wire.Reader) {
	*v = thing{}
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if r.Key(&o, 0, `"name":`) {
			v.name = r.String()
		}
		if r.Key(&o, 1, `"count":`) {
			v.count = r.Int64()
		}
		if r.Key(&o, 2, `"ratio":`) {
			v.ratio = r.Float64()
		}
		if r.Key(&o, 3, `"tags":`) {
			v.tags = wire.Strings(r, v.tags)
		}
		if r.Key(&o, 4, `"inner":`) {
			v.inner = new(thing)
			v.inner.decode(r)
		}
		v.extra = wire.Other(r, &o, v.extra, (*wire.Reader).Raw)
	}
	r.Need(&o, 0b1, thingKeys)
}

// passes decodes b in both passes: they must agree, and neither reads past a fault of the syntax. It reports whether b was accepted.
func passes(t testing.TB, b []byte) bool {
	t.Helper()
	start := wire.Space(b, 0)
	var fast, slow thing
	var r wire.Reader
	r.Reset(b, start, wire.MaxDepth)
	fast.decode(&r)
	accepted := !r.Failed() && wire.Space(b, r.Pos()) == len(b)
	var vs violation.List
	r.Collect(b, start, wire.MaxDepth, &vs)
	slow.decode(&r)
	if wire.Check(b, wire.MaxDepth) != nil {
		if end := r.Pos(); !r.Failed() && wire.Check(b[:end], wire.MaxDepth) != nil {
			t.Fatalf("%q: read to %d", b, end)
		}
		return false
	}
	if r.Failed() || wire.Space(b, r.Pos()) != len(b) || accepted != (vs.Len() == 0) {
		t.Fatalf("%q: fast %v, collecting %v, at %d of %d", b, accepted, vs.Err(), r.Pos(), len(b))
	}
	return accepted
}

// FuzzReader decodes whatever the fuzzer finds: nothing panics, and both passes agree.
func FuzzReader(f *testing.F) {
	for _, text := range append(texts, `{"name":"a","count":1e2,"ratio":0.5,"tags":["x"],"inner":{"name":""},"more":[1]}`, `{"count":1}`, `{"name":1,"name":2}`,
		`{ "tags" : [ ] , "name" : "\u0061" , "\u0063ount" : 1 }`, `{"name":"a","more":1,"more":2}`) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		passes(t, b)
		var v thing
		err := wire.Unmarshal(bytes.Clone(b), v.decode, nil)
		if valid := jsontext.Value(b).IsValid(jsontext.AllowDuplicateNames(true)); err == nil && !valid {
			t.Fatalf("%q is accepted", b)
		}
	})
}

// TestReader decodes objects in any order and spacing, with members that are unknown, twice there, missing or of another kind.
func TestReader(t *testing.T) {
	for text, accepted := range map[string]bool{
		`{"name":"a"}`: true, ` { "name" : "a" } `: true, `{"name":"a","count":3,"ratio":1,"tags":[],"inner":{"name":"b"}}`: true,
		`{"inner":{"name":"b"},"tags":["x","y"],"name":"a"}`: true, `{"n\u0061me":"a"}`: true, `{"name":"a","x":{"y":[1]},"z":2}`: true,
		`{}`: false, `{"Name":"a"}`: false, `{"name":1}`: false, `{"name":"a","name":"b"}`: false, `{"name":"a","n\u0061me":"b"}`: false,
		`{"name":"a","x":1,"x":2}`: false, `{"name":"a","count":1.5}`: false, `{"name":"a","tags":["x",1]}`: false, `{"name":"a","inner":{}}`: false,
		`[]`: false, `null`: false, `{"name":"a","tags":null}`: false, `{"name":"a","ratio":1e400}`: false,
	} {
		if got := passes(t, []byte(text)); got != accepted {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestReaderAnyOrder draws objects and writes their members in any order.
func TestReaderAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.Permutation([]string{`"name":"a"`, `"count":12`, `"ratio":0.25`, `"tags":["p","q"]`, `"inner":{"name":"i"}`, `"more":{"x":[1]}`}).Draw(t, "members")
		between := rapid.SampledFrom([]string{",", " , ", ",\n"}).Draw(t, "between")
		var v thing
		if err := wire.Unmarshal([]byte("{"+strings.Join(members, between)+"}"), v.decode, nil); err != nil {
			t.Fatal(err)
		}
		if v.name != "a" || v.count != 12 || v.ratio != 0.25 || len(v.tags) != 2 || v.inner == nil || v.inner.name != "i" || v.extra["more"].String() != `{"x":[1]}` {
			t.Fatalf("%+v", v)
		}
	})
}

// TestDepth nests as deep as is allowed, and one deeper.
func TestDepth(t *testing.T) {
	nested := func(n int, open, end string) []byte { return []byte(strings.Repeat(open, n) + strings.Repeat(end, n)) }
	for _, limit := range []int{1, 2, 10, wire.MaxDepth} {
		for _, pair := range [][2]string{{"[", "]"}, {"[{\"a\":[", "]}]"}} {
			per := len(strings.NewReplacer("\"a\":", "").Replace(pair[0]))
			if limit%per != 0 {
				continue
			}
			if err := wire.Check(nested(limit/per, pair[0], pair[1]), limit); err != nil {
				t.Errorf("%d deep: %v", limit, err)
			}
		}
		var deep *wire.DepthError
		if err := wire.Check(nested(limit+1, "[", "]"), limit); !errors.As(err, &deep) || deep.Offset != limit || deep.Max != limit {
			t.Errorf("%d deep of %d: %v", limit+1, limit, err)
		}
	}
	if err := wire.Check(append(nested(100, "[", ""), 'x'), 64); errors.As(err, new(*wire.DepthError)) {
		t.Error("a text that is not JSON is called deep")
	}
}

// many decodes n numbered members.
func many(n int) func(r *wire.Reader) []int64 {
	names := make([]string, n)
	for i := range names {
		names[i] = "m" + string(rune('A'+i/26)) + string(rune('a'+i%26))
	}
	keys := strings.Join(names, "\n")
	return func(r *wire.Reader) []int64 {
		values := make([]int64, n)
		var o wire.Members
		for r.Object(&o); r.More(&o); {
			for i, name := range names {
				if r.Key(&o, i, `"`+name+`":`) {
					values[i] = r.Int64()
				}
			}
			r.Reject(&o, keys)
		}
		r.Need(&o, ^uint64(0)>>max(0, 64-n), keys)
		for word := 1; word*64 < n; word++ {
			r.NeedMore(&o, word, ^uint64(0)>>max(0, 64*(word+1)-n), keys)
		}
		return values
	}
}

// TestManyMembers reads objects with more members than a word has bits, and than two have: missing ones and duplicates are
// found in each word.
func TestManyMembers(t *testing.T) {
	for _, n := range []int{63, 64, 65, 127, 128, 129, 200} {
		decode := many(n)
		members := make([]string, n)
		for i := range members {
			members[i] = `"m` + string(rune('A'+i/26)) + string(rune('a'+i%26)) + `":` + string(rune('0'+i%10))
		}
		var values []int64
		read := func(text string) error {
			return wire.Unmarshal([]byte(text), func(r *wire.Reader) { values = decode(r) }, nil)
		}
		if err := read("{" + strings.Join(members, ",") + "}"); err != nil || values[n-1] != int64((n-1)%10) {
			t.Fatalf("%d: %v", n, err)
		}
		for i := range members {
			without := append(append([]string{}, members[:i]...), members[i+1:]...)
			name := members[i][1:4]
			var broken *violation.Error
			if err := read("{" + strings.Join(without, ", ") + "}"); !errors.As(err, &broken) || len(broken.Violations) != 1 || broken.Violations[0].Pointer != "/"+name {
				t.Fatalf("%d without %s: %v", n, name, err)
			}
			if err := read("{" + strings.Join(append([]string{members[i]}, members...), ",") + "}"); !errors.As(err, &broken) || broken.Violations[0].Pointer != "/"+name {
				t.Fatalf("%d with %s twice: %v", n, name, err)
			}
		}
	}
}

// TestPeek looks at values and members without reading them.
func TestPeek(t *testing.T) {
	for _, c := range []struct {
		text, member, kind, scalar string
		integer                    bool
	}{
		{`{"a":1}`, "a", "number", "1", true}, {`{"b":[{}],"a":true}`, "a", "boolean", "true", false}, {`{"a":1e2}`, "a", "number", "100", true},
		{`{ "b" : "}" , "\u0061" : 1.5 }`, "a", "number", "", false}, {`{"a":null}`, "a", "null", "", false}, {`{}`, "a", "nothing", "", false}, {`[1]`, "a", "nothing", "", false},
		{`{"b":1}`, "a", "nothing", "", false}, {`{"a":1,"a":2}`, "a", "number", "1", true}, {`{"x":{"a":1}}`, "a", "nothing", "", false}, {`{"a~/\"":-5.0}`, `a~/"`, "number", "-5", true},
	} {
		var r wire.Reader
		r.Reset([]byte(c.text), 0, wire.MaxDepth)
		p := r.Peek().In(c.member)
		scalar, _ := p.Scalar()
		if p.Kind().String() != c.kind || scalar != c.scalar || p.IsInteger() != c.integer || r.Peek().Has(c.member) != (c.kind != "nothing") {
			t.Errorf("%s: %v %q %v", c.text, p.Kind(), scalar, p.IsInteger())
		}
		if r.Pos() != 0 {
			t.Errorf("%s: looking moved the cursor", c.text)
		}
	}
}
