package mcpauth

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"runtime"
)

// OpenBrowser shows the page at a URL in the browser of the person: with the command in the
// environment variable BROWSER, or else the one of the operating system. It does not wait for the
// browser to end. It opens https and http URLs only.
func OpenBrowser(_ context.Context, rawURL string) error {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return errors.New("mcpauth: not the URL of a page")
	}
	name, args := browser()
	cmd := exec.Command(name, append(args, u.String())...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait() // ends with the browser, which outlives the login
	return nil
}

// browser returns the command that opens a browser.
func browser() (name string, args []string) {
	if name := os.Getenv("BROWSER"); name != "" {
		return name, nil
	}
	switch runtime.GOOS {
	case "darwin":
		return "open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	return "xdg-open", nil
}
