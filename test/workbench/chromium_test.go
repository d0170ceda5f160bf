package workbench

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium drives the browser by the Chrome DevTools Protocol. Its contexts are of chromedp.
type chromium struct{ ctx context.Context }

// newChromium starts the browser where Debian has it; CHROMIUM names another one.
func newChromium(t *testing.T, b *tab) driver {
	t.Helper()
	path := found(t, "Chromium", os.Getenv("CHROMIUM"), "../../bin/workbench/chromium", "chromium-browser", "google-chrome", "chromium")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WSURLReadTimeout(patience))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			b.asks(e.Request.URL)
		case *cdpruntime.EventExceptionThrown:
			b.complains(e.ExceptionDetails.Error())
		case *cdpruntime.EventConsoleAPICalled:
			for _, a := range e.Args {
				b.complains(string(a.Value))
			}
		}
	})
	if err := chromedp.Run(ctx); err != nil { // the browser lives as long as the context of the first actions
		t.Fatal(err)
	}
	return chromium{ctx}
}

// do runs actions until ctx ends.
func (c chromium) do(ctx context.Context, actions ...chromedp.Action) error {
	within, stop := context.WithCancel(c.ctx)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	return chromedp.Run(within, actions...)
}

func (c chromium) open(ctx context.Context, url string) error {
	return c.do(ctx, chromedp.Navigate(url))
}

func (c chromium) evaluate(ctx context.Context, expression string) (json.RawMessage, error) {
	var v *cdpruntime.RemoteObject
	err := c.do(ctx, chromedp.Evaluate(expression, &v, func(p *cdpruntime.EvaluateParams) *cdpruntime.EvaluateParams {
		return p.WithAwaitPromise(true).WithReturnByValue(true)
	}))
	if err != nil || len(v.Value) == 0 {
		return json.RawMessage("null"), err
	}
	return json.RawMessage(v.Value), nil
}

func (c chromium) resize(ctx context.Context, width int64) error {
	if width == 0 {
		return c.do(ctx, emulation.ClearDeviceMetricsOverride())
	}
	return c.do(ctx, emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500))
}

func (c chromium) scheme(ctx context.Context, name string) error {
	return c.do(ctx, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}))
}

func (c chromium) screenshot(ctx context.Context) (png []byte, err error) {
	err = c.do(ctx, chromedp.CaptureScreenshot(&png))
	return png, err
}

func (c chromium) press(ctx context.Context, keys string) error {
	return c.do(ctx, chromedp.KeyEvent(keys))
}
