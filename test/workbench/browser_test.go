package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var browser = flag.String("browser", "chromium", "the browser that the pages are used in: chromium or firefox")

// driver is a browser with one page.
type driver interface {
	open(ctx context.Context, url string) error
	evaluate(ctx context.Context, expression string) (json.RawMessage, error) // awaits promises
	resize(ctx context.Context, width int64) error                            // zero stands for the size at the beginning
	scheme(ctx context.Context, name string) error
	screenshot(ctx context.Context) ([]byte, error)
	press(ctx context.Context, keys string) error
}

// found returns the path of a program that has one of these names, of which empty ones do not count.
func found(t *testing.T, browser string, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skipf("there is no %s: apt-get install %s, or set %s", browser, names[len(names)-1], strings.ToUpper(browser))
	return ""
}

// tab is one page of a browser, with what it asked for and what it complained of.
type tab struct {
	*testing.T
	driver

	mu         sync.Mutex
	requests   []string
	complaints []string
}

// newTab starts a browser.
func newTab(t *testing.T) *tab {
	t.Helper()
	b := &tab{T: t}
	switch *browser {
	case "chromium":
		b.driver = newChromium(t, b)
	case "firefox":
		b.driver = newFirefox(t, b)
	default:
		t.Fatalf("there is no driver for %s", *browser)
	}
	return b
}

// asks notes a request of the page.
func (b *tab) asks(url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = append(b.requests, url)
}

// complains notes what the page says on its console, and errors that nothing catches.
func (b *tab) complains(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = append(b.complaints, text)
}

// patience is how long one thing that a person sees or does may take, on a machine that has much else to do.
const patience = 2 * time.Minute

// do does something in the browser.
func (b *tab) do(f func(ctx context.Context) error) {
	b.Helper()
	ctx, stop := context.WithTimeout(b.Context(), patience)
	defer stop()
	if err := f(ctx); err != nil {
		b.Fatal(err)
	}
}

// visit opens the page of a URL.
func (b *tab) visit(url string) {
	b.Helper()
	b.do(func(ctx context.Context) error { return b.driver.open(ctx, url) })
}

// keys presses keys, as a person does.
func (b *tab) keys(all ...string) {
	b.Helper()
	for _, one := range all {
		b.do(func(ctx context.Context) error { return b.driver.press(ctx, one) })
	}
}

// wide makes the window as wide as that.
func (b *tab) wide(width int64) {
	b.Helper()
	b.do(func(ctx context.Context) error { return b.resize(ctx, width) })
}

// eval evaluates an expression of JavaScript, which may be a promise.
func eval[T any](b *tab, expression string) (v T) {
	b.Helper()
	b.do(func(ctx context.Context) error {
		text, err := b.evaluate(ctx, expression)
		return errors.Join(err, json.Unmarshal(text, &v))
	})
	return v
}

// wait waits until an expression is true. One that fails is not true yet: the page may still be loading, or not show yet what the expression uses.
func (b *tab) wait(expression string) {
	b.Helper()
	ctx, stop := context.WithTimeout(b.Context(), patience)
	defer stop()
	var text json.RawMessage
	var err error
	for ctx.Err() == nil {
		if text, err = b.evaluate(ctx, "Boolean("+expression+")"); string(text) == "true" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	shown, _ := b.evaluate(b.Context(), "document.body.innerText")
	b.Fatalf("%s: %v; the page shows:\n%s\n%s", expression, err, shown, strings.Join(b.heard(), "\n"))
}

// heard returns what the page complained of.
func (b *tab) heard() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.complaints
}

// asked returns the requests since the last call.
func (b *tab) asked() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.requests
	b.requests = nil
	return all
}

// picture writes what is seen to bin/workbench, for people to look at.
func (b *tab) picture(name string) {
	b.Helper()
	folder := filepath.Join("..", "..", "bin", "workbench")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		b.Fatal(err)
	}
	for _, width := range []int64{1400, 360} {
		for _, scheme := range []string{"light", "dark"} {
			var png []byte
			b.do(func(ctx context.Context) (err error) {
				if err := errors.Join(b.resize(ctx, width), b.scheme(ctx, scheme)); err != nil {
					return err
				}
				_, err = b.evaluate(ctx, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`)
				if err == nil {
					png, err = b.screenshot(ctx)
				}
				return err
			})
			if wide := eval[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
				b.Errorf("%s: at a width of %d the page is %d wider than the window", name, width, wide)
			}
			file := filepath.Join(folder, *browser+"-"+name+"-"+scheme+"-"+map[bool]string{true: "360", false: "1400"}[width < 500]+".png")
			if err := os.WriteFile(file, png, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.wide(0)
}

// quiet fails if the page complained of anything.
func (b *tab) quiet() {
	b.Helper()
	if all := b.heard(); len(all) > 0 {
		b.Errorf("the page complains: %s", strings.Join(all, "\n"))
	}
}

// serve serves a handler on loopback.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// built is the folder of the static playground.
func built(t *testing.T) string {
	t.Helper()
	folder := filepath.Join("..", "..", "bin", "playground")
	if _, err := os.Stat(filepath.Join(folder, "compiler.wasm.gz")); errors.Is(err, os.ErrNotExist) {
		t.Skip("the playground is not built: run make playground")
	}
	return folder
}
