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
	for _, want := range []string{"case MethodTextEcho:\n\t\treturn handler5()\n", "return -1\n"} {
		if !strings.Contains(source, want) {
			t.Errorf("no %q in\n%s", want, source)
		}
	}
}

// TestLargeRouter: a router that reads the method into a variable is found as well.
func TestLargeRouter(t *testing.T) {
	source, err := (&workshop{dir: "../../../.."}).router("generated/lsp")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(source, "return handler60()") || strings.Contains(source, "method := method") {
		t.Errorf("the router is not found in\n%.2000s", source)
	}
}
