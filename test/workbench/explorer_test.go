package workbench

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/discover"
	"github.com/rpcgen-go/rpcgen/runtime/x/explorer"
)

// dot is a PNG image of one pixel.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// box is an MCP server that asks, reports progress and draws.
type box struct{ toolbox.UnimplementedServer }

func (box) SearchItems(ctx context.Context, in toolbox.SearchItemsInput) (toolbox.SearchItemsOutput, error) {
	for i := range 3 {
		if err := mcp.Progress(ctx, float64(i), 3, "looking"); err != nil {
			return toolbox.SearchItemsOutput{}, err
		}
	}
	if in.Query == "forever" {
		<-ctx.Done()
		return toolbox.SearchItemsOutput{}, ctx.Err()
	}
	return toolbox.SearchItemsOutput{Items: []toolbox.Item{{Sku: "ABC-0001", Name: in.Query, Cents: 9007199254740993}}}, nil
}

func (box) PlaceOrder(ctx context.Context, in toolbox.PlaceOrderInput) (toolbox.PlaceOrderOutput, error) {
	form, err := toolbox.AskPlaceOrderConfirm(ctx, in)
	if err != nil {
		return toolbox.PlaceOrderOutput{}, err
	}
	return toolbox.PlaceOrderOutput{OrderID: fmt.Sprintf("%s, %v, %s", in.Sku, form.Ok, form.Note)}, nil
}

func (box) Draw(context.Context, toolbox.Choice) (mcp.ImageContent, error) {
	data, err := base64.StdEncoding.DecodeString(dot)
	return mcp.ImageContent{Data: data, MimeType: "image/png"}, err
}

func (box) ReadCatalogue(context.Context) ([]toolbox.Item, error) {
	return []toolbox.Item{{Sku: "ABC-0001", Name: "Hammer", Cents: 1999}}, nil
}

// clouds is a JSON-RPC service.
type clouds struct{ weather.UnimplementedServer }

func (clouds) WeatherCurrent(_ context.Context, p weather.WeatherCurrentParams) (weather.Report, error) {
	var none weather.Report
	return none, &weather.CityNotFoundError{City: p.City}
}

var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

// openExplorer opens the page of a handler and waits until it is connected.
func openExplorer(t *testing.T, h *explorer.Handler) (*tab, string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	b := newTab(t)
	b.do(chromedp.Navigate(h.URL(s.URL + "/")))
	b.wait(`document.body.dataset.ready === 'true'`)
	return b, s.URL
}

func newBox() (*explorer.Handler, *mcp.Server) {
	server := toolbox.NewServer(box{}, mcp.Options{Logger: silent})
	return explorer.NewHandler(server, explorer.Options{URL: "http://localhost:4000/mcp", Runtime: runtime.Options{Logger: silent}}), server
}

// open chooses an entry by its name.
func (b *tab) open(name string) {
	b.Helper()
	if !eval[bool](b, fmt.Sprintf(`(() => { const e = [...document.querySelectorAll('#entries button')].find((one) => one.textContent === %q); e?.click(); return Boolean(e); })()`, name)) {
		b.Fatalf("there is no entry %s", name)
	}
}

// press presses the button of a text within main.
func (b *tab) press(name string) {
	b.Helper()
	b.wait(fmt.Sprintf(`(() => { const e = [...document.querySelectorAll('button')].find((one) => one.textContent === %q && one.offsetParent && !one.disabled); e?.click(); return Boolean(e); })()`, name))
}

// json replaces the JSON beside the form.
func (b *tab) json(text string) {
	b.Helper()
	eval[bool](b, fmt.Sprintf(`(() => { const a = document.querySelector('[aria-label="The arguments as JSON"]'); a.value = %q; a.dispatchEvent(new Event('input')); return true; })()`, text))
}

// shows waits until the page shows a text.
func (b *tab) shows(text string) {
	b.Helper()
	b.wait(fmt.Sprintf(`document.body.innerText.includes(%q)`, text))
}

// TestExplorerTool: a tool is called by its form; violations are at their fields, progress and structured content are shown, large integers
// stay whole.
func TestExplorerTool(t *testing.T) {
	h, _ := newBox()
	b, _ := openExplorer(t, h)
	b.open("search_items")
	b.picture("explorer-tool")
	b.json(`{"query": "", "limit": 99}`)
	b.press("Call")
	b.shows("expected at least 1 character")
	if got := eval[string](b, `[...document.querySelectorAll('.field')].find((f) => f.querySelector('label')?.textContent === 'limit').querySelector('.said').innerText`); !strings.Contains(got, "at most 50") {
		t.Errorf("at the field limit stands %q", got)
	}
	b.picture("explorer-violations")
	b.json(`{"query": "a\nb\"\\"}`)
	b.press("Call")
	b.shows("9007199254740993")
	b.open("draw")
	b.json(`{"sku": "ABC-0001"}`)
	b.press("Call")
	b.wait(`document.querySelector('.content img')?.naturalWidth === 1`)
	b.quiet()
}

// TestExplorerEras: the questions of a tool are answered by a person in both eras, and a call that never ends can be cancelled.
func TestExplorerEras(t *testing.T) {
	h, _ := newBox()
	b, _ := openExplorer(t, h)
	for _, era := range []string{"handshake", "stateless"} {
		eval[bool](b, fmt.Sprintf(`(() => { const e = document.getElementById('era'); e.value = %q; e.dispatchEvent(new Event('change')); return true; })()`, era))
		b.open("place_order")
		b.json(`{"sku": "ABC-0001", "count": 2}`)
		b.press("Call")
		b.shows("Order 2 x ABC-0001?")
		if era == "handshake" {
			b.picture("explorer-question")
		}
		b.press("Accept")
		b.shows("ABC-0001, false, none")
		b.open("search_items")
		b.json(`{"query": "forever"}`)
		b.press("Call")
		b.shows("Progress: 2 of 3 looking")
		b.press("Cancel")
		b.shows("cancelled")
	}
	b.quiet()
}

// TestExplorerResources: resources are read, also by templates, and changes of one that is subscribed to are shown.
func TestExplorerResources(t *testing.T) {
	h, server := newBox()
	b, _ := openExplorer(t, h)
	b.open("catalogue")
	b.press("Call")
	b.shows("Hammer")
	for _, era := range []string{"handshake", "stateless"} {
		eval[bool](b, fmt.Sprintf(`(() => { const e = document.getElementById('era'); e.value = %q; e.dispatchEvent(new Event('change')); return true; })()`, era))
		b.open("catalogue")
		b.press("Subscribe to changes")
		b.shows("Unsubscribe")
		b.wait(`performance.now() > 0`)
		eval[bool](b, `(async () => { await new Promise((r) => setTimeout(r, 300)); return true; })()`)
		server.ResourceUpdated("shop://catalogue")
		b.shows("notifications/resources/updated")
		b.press("Unsubscribe")
		b.wait(`[...document.querySelectorAll('button')].some((one) => one.textContent === 'Subscribe to changes')`)
	}
	b.quiet()
}

// TestExplorerService: a JSON-RPC service is described by rpc.discover; its declared errors are named, and violations are at their fields.
func TestExplorerService(t *testing.T) {
	document, err := os.ReadFile("../../cmd/rpcgen/internal/openrpc/testdata/weather.openrpc.json")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := openExplorer(t, explorer.NewHandler(weather.NewHandler(clouds{}), explorer.Options{Name: "Weather",
		Runtime: runtime.Options{Logger: silent, Middleware: []runtime.Middleware{discover.Middleware(string(document))}}}))
	b.open("weather/current")
	b.json(`{"city": "<b>Oslo</b>"}`)
	b.press("Call")
	b.shows("city <b>Oslo</b> not found")
	b.json(`{"city": 5}`)
	b.press("Call")
	b.shows("expected string")
	b.picture("explorer-service")
	b.quiet()
}

// TestExplorerKeyboard: a call is made with the keyboard alone.
func TestExplorerKeyboard(t *testing.T) {
	h, _ := newBox()
	b, _ := openExplorer(t, h)
	b.do(chromedp.Focus("#search", chromedp.ByQuery), chromedp.KeyEvent("search_items"), chromedp.KeyEvent("\t"), chromedp.KeyEvent("\r"))
	b.wait(`document.querySelector('h2')?.textContent === 'search_items'`)
	for range 12 {
		b.do(chromedp.KeyEvent("\t"))
		if eval[bool](b, `document.activeElement.tagName === 'TEXTAREA' && Boolean(document.activeElement.closest('.field'))`) {
			break
		}
	}
	b.do(chromedp.KeyEvent("tea"))
	for range 40 {
		b.do(chromedp.KeyEvent("\t"))
		if eval[bool](b, `document.activeElement.textContent === 'Call'`) {
			break
		}
	}
	b.do(chromedp.KeyEvent(" "))
	b.shows("Structured content")
	b.quiet()
}
