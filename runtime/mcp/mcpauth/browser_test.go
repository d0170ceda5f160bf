package mcpauth

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rpcgen-go/rpcgen/test/await"
)

// TestOpenBrowser: a page is opened by the program that the environment names; what is not a page is not.
func TestOpenBrowser(t *testing.T) {
	for _, at := range []string{"", "javascript:alert(1)", "file:///etc/passwd", "--help", "https:", "://"} {
		if err := OpenBrowser(t.Context(), at); err == nil {
			t.Errorf("%q was opened", at)
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("the program of this test is a shell script")
	}
	folder := t.TempDir()
	program, opened := filepath.Join(folder, "browser"), filepath.Join(folder, "opened")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf %s \"$1\" >"+opened+".new && mv "+opened+".new "+opened+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BROWSER", program)
	const page = "https://auth.example.com/authorize?a=b&c=$(d)"
	if err := OpenBrowser(t.Context(), page); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the page is opened", func() bool {
		text, err := os.ReadFile(opened)
		return err == nil && string(text) == page
	})
}
