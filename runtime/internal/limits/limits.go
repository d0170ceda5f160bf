// Package limits compares the tables of SECURITY.md with the defaults that they list.
//
//test:by ./runtime/transport/tcp
package limits

import (
	"bufio"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Check compares the rows for options whose names begin with prefix, such as mcp.Options., with the
// defaults by the rest of the name. Both must be complete. The default 0 stands for no limit.
func Check(t *testing.T, file, prefix string, defaults map[string]int64) {
	t.Helper()
	rows := read(t, file, prefix)
	for name, want := range defaults {
		text, found := rows[name]
		if got, ok := value(text); !found || !ok || got != want {
			t.Errorf("%s%s is %d; SECURITY.md says %q", prefix, name, want, text)
		}
	}
	for name := range rows {
		if _, ok := defaults[name]; !ok {
			t.Errorf("SECURITY.md has %s%s, which is not a limit", prefix, name)
		}
	}
}

// Fields returns the numbers and durations of a struct of options in which the defaults are set.
func Fields(options any) map[string]int64 {
	all := map[string]int64{}
	v := reflect.ValueOf(options)
	for i := range v.NumField() {
		if f := v.Field(i); f.CanInt() {
			all[v.Type().Field(i).Name] = f.Int()
		}
	}
	return all
}

// read returns the defaults in the rows of the file.
func read(t *testing.T, file, prefix string) map[string]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		cells := strings.Split(s.Text(), "|")
		if len(cells) != 5 {
			continue
		}
		if name, ok := strings.CutPrefix(strings.Trim(cells[3], " `"), prefix); ok {
			rows[name] = strings.TrimSpace(cells[2])
		}
	}
	return rows
}

// units are what numbers may be followed by.
var units = map[string]int64{
	"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "s": int64(time.Second), "min": int64(time.Minute), "h": int64(time.Hour),
}

// value parses a default, such as 10,000, 64 KiB or 30 s. It is 0 for none, and for a default that
// depends on something, which follows after a comma and a space.
func value(text string) (int64, bool) {
	if strings.HasPrefix(text, "none") || strings.Contains(text, ", ") {
		return 0, true
	}
	number, unit, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(strings.ReplaceAll(number, ",", ""), 10, 64)
	scale, ok := units[unit]
	return n * scale, err == nil && ok
}
