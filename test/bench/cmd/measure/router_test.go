package main

import (
	"strings"
	"testing"
)

// TestRouter: the routing functions of generated packages are found, whatever they look like now.
func TestRouter(t *testing.T) {
	source, err := (&workshop{dir: "../.."}).router("rpc")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"case MethodTextEcho:\n\t\treturn handler6()\n", "return -1\n"} {
		if !strings.Contains(source, want) {
			t.Errorf("no %q in\n%s", want, source)
		}
	}
}

// TestReadMethod: routers of many methods keep the method in a variable, which is a parameter here.
func TestReadMethod(t *testing.T) {
	const body = "\tmethod := c.Method()\n\tswitch len(method) {\n"
	if got, want := readMethod.ReplaceAllString(body, ""), "\tswitch len(method) {\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
