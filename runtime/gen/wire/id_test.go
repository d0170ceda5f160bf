package wire_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/test/cputime"
)

// TestIDKey: ids with equal values have the same key, others do not. Those that nearly all peers write are their own keys.
func TestIDKey(t *testing.T) {
	keys := map[string]string{}
	nines := strings.Repeat("9", 30)
	for _, same := range [][]string{
		{"4", "4.0", "4e0", "0.4e1", "40e-1", "4.000E+0"},
		{"0", "-0", "0.0", "0e999999999999999999999"},
		{"-7", "-7.0", "-70e-1"},
		{"1.5", "15e-1", "1.50"},
		{"9223372036854775807", "9223372036854775807.0", "922337203685477580.7e1"},
		{"12345678901234567890", "1234567890123456789e1", "12345678901234567890.0"},
		{"1" + strings.Repeat("0", 400), "1e400", "0.1e401", "10e399"},
		{"1e" + nines},
		{"1e" + nines[1:]},
		{`"4"`},
		{`"a"`, `"\u0061"`},
		{`"\u2028"`, "\"\u2028\""},
		{`"a\"b"`, `"a\u0022b"`},
		{`".4e1"`},
		{`""`},
		{"null"},
	} {
		key := wire.IDKey(same[0])
		for _, text := range same {
			if got := wire.IDKey(text); got != key {
				t.Errorf("%s has the key %s, and %s %s", text, got, same[0], key)
			}
			if keys[key] != "" && keys[key] != same[0] {
				t.Errorf("%s and %s have the same key", same[0], keys[key])
			}
		}
		keys[key] = same[0]
	}
	for _, usual := range []string{"7", "1234567890123456789", `"6ba7b810-9dad-11d1-80b4-00c04fd430c8"`} {
		id, _ := wire.ParseID([]byte(usual))
		if id.Key() != usual || testing.AllocsPerRun(10, func() { id.Key() }) > 0 {
			t.Errorf("%s is not its own key", usual)
		}
	}
}

// TestIDKeyCost: neither many digits nor large exponents take longer than reading them.
func TestIDKeyCost(t *testing.T) {
	keys := func(n int) func() {
		texts := []string{"1e" + strings.Repeat("9", n), "1" + strings.Repeat("0", n), "0." + strings.Repeat("0", n) + "1"}
		return func() {
			for _, text := range texts {
				wire.IDKey(text)
				wire.ParseID([]byte(text))
			}
		}
	}
	cputime.Linear(t, "keys", keys(1<<19), keys(1<<22))
	keys(1)()
	wire.IDKey("1e2000000000") // hangs if the digits are written out
}

// TestIDValues: an id is a string, or a number whose value is an integer. Its text is kept.
func TestIDValues(t *testing.T) {
	for text, want := range map[string]struct {
		ok, fits bool
		n        int64
	}{
		"4": {true, true, 4}, "4.0": {true, true, 4}, "40e-1": {true, true, 4}, "-0": {true, true, 0}, "1e2": {true, true, 100},
		"9223372036854775807.0": {true, true, 1<<63 - 1}, "9223372036854775808": {true, false, 0}, "1e400": {true, false, 0}, `"4"`: {true, false, 0},
		"1.5": {}, "1e-1": {}, "01": {}, "1.": {}, "4 ": {}, "null": {}, "true": {}, "": {},
	} {
		id, ok := wire.ParseID([]byte(text))
		n, fits := id.Int64()
		if ok != want.ok || fits != want.fits || fits && n != want.n || ok && id.String() != text {
			t.Errorf("%q is read as %q, %v, and is the integer %d, %v", text, id, ok, n, fits)
		}
	}
}

// FuzzIDKey: keys are equal if and only if the values are.
func FuzzIDKey(f *testing.F) {
	f.Add("4", "4.0")
	f.Add("1e400", "-10e399")
	f.Fuzz(func(t *testing.T, a, b string) {
		value := func(text string) *big.Rat {
			d, _ := wire.ParseDecimal(text)
			r, ok := new(big.Rat).SetString(text)
			if !ok || wire.SkipNumber([]byte(text), 0) != len(text) || d.Exp > 1000 || d.Exp < -1000 {
				t.Skip()
			}
			return r
		}
		if x, y := value(a), value(b); (x.Cmp(y) == 0) != (wire.IDKey(a) == wire.IDKey(b)) {
			t.Errorf("the keys are %s and %s", wire.IDKey(a), wire.IDKey(b))
		}
	})
}
