package workbench

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium is where Debian has the browser; CHROMIUM names another one.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "../../bin/workbench/chromium", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skip("there is no Chromium: apt-get install chromium, or set CHROMIUM")
	return ""
}

// tab is one page of a browser, with what it asked for and what it complained of.
type tab struct {
	*testing.T
	ctx context.Context

	mu         sync.Mutex
	requests   []string
	complaints []string
}

// newTab starts a browser.
func newTab(t *testing.T) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.WSURLReadTimeout(patience))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	b := &tab{T: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			b.requests = append(b.requests, e.Request.URL)
		case *cdpruntime.EventExceptionThrown:
			b.complaints = append(b.complaints, e.ExceptionDetails.Error())
		case *cdpruntime.EventConsoleAPICalled:
			for _, a := range e.Args {
				b.complaints = append(b.complaints, string(a.Value))
			}
		}
	})
	if err := chromedp.Run(ctx); err != nil { // the browser lives as long as the context of the first actions
		t.Fatal(err)
	}
	return b
}

// patience is how long one thing that a person sees or does may take, on a machine that has much else to do.
const patience = 2 * time.Minute

// do runs actions.
func (b *tab) do(actions ...chromedp.Action) {
	b.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	if err := chromedp.Run(ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// eval evaluates an expression of JavaScript, which may be a promise.
func eval[T any](b *tab, expression string) (v T) {
	b.Helper()
	b.do(chromedp.Evaluate(expression, &v, func(p *cdpruntime.EvaluateParams) *cdpruntime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return v
}

// wait waits until an expression is true. One that fails is not true yet: the page may still be loading, or not show yet what the expression uses.
// chromedp.Poll gives up where the page that it began in has made way for the next.
func (b *tab) wait(expression string) {
	b.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	var ok bool
	var err error
	for !ok && ctx.Err() == nil {
		err = chromedp.Run(ctx, chromedp.Evaluate("Boolean("+expression+")", &ok))
		if !ok {
			time.Sleep(20 * time.Millisecond)
		}
	}
	if !ok {
		var text string
		chromedp.Run(b.ctx, chromedp.Evaluate("document.body.innerText", &text))
		b.Fatalf("%s: %v; the page shows:\n%s\n%s", expression, err, text, strings.Join(b.heard(), "\n"))
	}
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
			b.do(emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500),
				emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
				chromedp.Sleep(100*time.Millisecond), chromedp.CaptureScreenshot(&png))
			if wide := eval[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
				b.Errorf("%s: at a width of %d the page is %d wider than the window", name, width, wide)
			}
			file := filepath.Join(folder, name+"-"+scheme+"-"+map[bool]string{true: "360", false: "1400"}[width < 500]+".png")
			if err := os.WriteFile(file, png, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.do(emulation.ClearDeviceMetricsOverride())
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
