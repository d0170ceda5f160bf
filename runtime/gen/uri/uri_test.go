package uri_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/uri"
)

// RFC 6570 section 1.2: the values of its examples for levels 1 and 2.
func TestExamplesOfRFC6570(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{string(uri.Append(nil, "value")), "value"},
		{string(uri.Append(nil, "Hello World!")), "Hello%20World%21"},
		{string(uri.AppendReserved(nil, "value")), "value"},
		{string(uri.AppendReserved(nil, "Hello World!")), "Hello%20World!"},
		{string(uri.AppendReserved(nil, "/foo/bar")), "/foo/bar"},
		{string(uri.AppendReserved(nil, "50%")), "50%25"},
		{string(uri.AppendReserved(nil, "50%25")), "50%25"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, expected %s", c.got, c.want)
		}
	}
}

func TestMatch(t *testing.T) {
	for text, want := range map[string]string{
		"shop://p/a/b":         "a|b",
		"shop://p/a/b/c?d#e":   "a|b/c?d#e",
		"shop://p/a%2Fb/c%20d": "a/b|c d",
		"shop://p/%C3%A9/x":    "é|x",
		"shop://p//b":          "",
		"shop://p/a/":          "",
		"shop://p/a":           "",
		"shop://p/":            "",
		"shop://q/a/b":         "",
		"shop://p/a b/c":       "",
		"shop://p/a%2/c":       "",
		"shop://p/a%FF/c":      "",
		"shop://p/a?b/c":       "",
		"shop://p/\x00/c":      "",
		"shop://p/a%00b/c":     "",
		"shop://p/a%0Ab/c":     "",
		"shop://p/a/c%C2%85":   "",
		"shop://p/..%2F/c":     "../|c",
		"":                     "",
	} {
		m := uri.NewMatch(text)
		m.Literal("shop://p/")
		got := m.Simple("/") + "|" + m.LastReserved("")
		if !m.Done() {
			got = ""
		}
		if got != want {
			t.Errorf("%q: got %q, expected %q", text, got, want)
		}
	}
}

func TestSuffix(t *testing.T) {
	for text, want := range map[string]string{"f:a.txt": "a", "f:a.txt.txt": "a.txt", "f:.txt": "", "f:a.tx": "", "f:a/b.txt": ""} {
		m := uri.NewMatch(text)
		m.Literal("f:")
		got := m.Last(".txt")
		if !m.Done() {
			got = ""
		}
		if got != want {
			t.Errorf("%q: got %q, expected %q", text, got, want)
		}
	}
}

func TestIntegers(t *testing.T) {
	for text, ok := range map[string]bool{"0": true, "-7": true, "2147483647": true, "2147483648": false, "+1": false, "01": false, "": false, "x": false} {
		m := uri.NewMatch("")
		if m.Int(text, 32); m.Done() != ok {
			t.Errorf("Int %q: %v", text, m.Done())
		}
	}
	for text, ok := range map[string]bool{"0": true, "4294967295": true, "4294967296": false, "-0": false, "00": false} {
		m := uri.NewMatch("")
		if m.Uint(text, 32); m.Done() != ok {
			t.Errorf("Uint %q: %v", text, m.Done())
		}
	}
}
