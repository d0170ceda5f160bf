package workbench

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/transcript"
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
	b.visit(h.URL(s.URL + "/"))
	b.wait(`document.body.dataset.ready === 'true'`)
	return b, s.URL
}

func newBox() (*explorer.Handler, *mcp.Server) {
	server := toolbox.NewServer(box{}, mcp.Options{Logger: silent})
	return explorer.NewHandler(server, explorer.Options{URL: "http://localhost:4000/mcp", Runtime: runtime.Options{Logger: silent}}), server
}

// era chooses the era of MCP, and waits until the page has what it offers there.
func (b *tab) era(era string) {
	b.Helper()
	eval[bool](b, fmt.Sprintf(`(() => { const e = document.getElementById('era'); document.body.dataset.era = ''; e.value = %q; e.dispatchEvent(new Event('change')); return true; })()`, era))
	b.wait(fmt.Sprintf(`document.body.dataset.era === %q`, era))
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

// typed replaces what a field holds, as a person does.
func (b *tab) typed(field, text string) {
	b.Helper()
	b.wait(fmt.Sprintf(`(() => {
		const f = [...document.querySelectorAll('.field')].find((f) => f.querySelector(':scope > .row > label')?.textContent === %q);
		const state = f.querySelector('select');
		if (!f.querySelector('input, textarea')) { state.value = 'value'; state.dispatchEvent(new Event('change', {bubbles: true})); }
		const input = f.querySelector('input, textarea');
		input.value = %q;
		input.dispatchEvent(new Event('input', {bubbles: true}));
		return true;
	})()`, field, text))
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
	b.picture("explorer-start")
	b.open("search_items")
	b.picture("explorer-tool")
	b.typed("limit", "99")
	b.shows("must be at most 50")
	b.typed("limit", "4.5")
	b.shows("must be an integer")
	if eval[bool](b, `document.body.innerText.includes('must be at least 1 character')`) {
		t.Error("a field that nobody has been in is said to be wrong")
	}
	b.json(`{"query": "", "limit": 99}`)
	b.shows("must be at least 1 character")
	b.press("Call")
	b.shows("expected at least 1 character")
	if got := eval[string](b, `[...document.querySelectorAll('.field')].find((f) => f.querySelector('label')?.textContent === 'limit').querySelector('.said').innerText`); !strings.Contains(got, "at most 50") {
		t.Errorf("at the field limit stands %q", got)
	}
	b.picture("explorer-violations")
	b.json(`{"query": "a\nb\"\\"}`)
	b.press("Call")
	b.shows("9007199254740993")
	copied := b.copied("Go test")
	for _, name := range []string{"reserve", "picture"} { // without an output schema: one answers with nothing, the other with contents
		b.open(name)
		b.json(`{"sku": "ABC-0001"}`)
		copied += b.copied("Go test")
	}
	b.open("draw")
	b.json(`{"sku": "ABC-0001"}`)
	b.press("Call")
	b.wait(`document.querySelector('.content img')?.naturalWidth === 1`)
	b.picture("explorer-image")
	b.quiet()
	runCopied(t, copied)
}

// copied presses a button that copies, and returns the text.
func (b *tab) copied(name string) string {
	b.Helper()
	eval[any](b, `if (!window.recorded) Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { window.copied = text; }}}); window.recorded = true`)
	b.press(name)
	b.wait(`Boolean(window.copied)`)
	return eval[string](b, `(() => { const text = window.copied; window.copied = ''; return text; })()`)
}

// shop is what the test of a person has besides what is copied.
const shop = `package copied

import (
	"context"
	"encoding/json"
	"testing"

	rpc "github.com/rpcgen-go/rpcgen/generated/toolbox"
	rpctest "github.com/rpcgen-go/rpcgen/generated/toolbox/toolboxtest"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

type box struct{ rpc.UnimplementedServer }

func (box) SearchItems(_ context.Context, in rpc.SearchItemsInput) (rpc.SearchItemsOutput, error) {
	return rpc.SearchItemsOutput{Items: []rpc.Item{{Sku: "ABC-0001", Name: in.Query, Cents: 9007199254740993}}}, nil
}

func (box) Reserve(context.Context, rpc.ReserveInput) error { return nil }

func (box) Picture(context.Context, rpc.PictureInput) (mcp.CallToolResult, error) {
	return mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: "drawn"}}}, nil
}

func newServer() rpc.Server { return box{} }

`

// runCopied runs the test that the page gave, in a folder of this repository.
func runCopied(t *testing.T, text string) {
	t.Helper()
	folder := filepath.Join("..", "..", "bin", "workbench", "_copied") // which ./... leaves out
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "copied_test.go"), []byte(shop+text), 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "test", "-v", ".")
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil || strings.Count(string(out), "--- PASS") != strings.Count(text, "func Test") {
		t.Errorf("what is copied as a test does not pass: %v\n%s\n%s", err, out, text)
	}
}

// TestExplorerEras: the questions of a tool are answered by a person in both eras, and a call that never ends can be cancelled.
func TestExplorerEras(t *testing.T) {
	h, _ := newBox()
	b, _ := openExplorer(t, h)
	for _, era := range []string{"handshake", "stateless"} {
		b.era(era)
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
	eval[any](b, `URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return '#'; }; document.getElementById('showtrace').click()`)
	b.press("Save")
	b.wait(`Boolean(window.saved)`)
	saved, err := transcript.Parse([]byte(eval[string](b, `window.saved`)))
	if err != nil || len(saved.Sections) < 10 || saved.Sections[0].Name != transcript.Client || saved.Sections[1].Name != transcript.Server {
		t.Errorf("the saved messages are read as %d sections, %v", len(saved.Sections), err)
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
	for i, era := range []string{"handshake", "stateless"} {
		b.era(era)
		b.open("catalogue")
		b.press("Subscribe to changes")
		b.shows("Unsubscribe")
		server.ResourceUpdated("shop://catalogue")
		b.wait(fmt.Sprintf(`document.body.innerText.split('notifications/resources/updated').length === %d`, i+2))
		b.press("Unsubscribe")
		b.wait(`[...document.querySelectorAll('button')].some((one) => one.textContent === 'Subscribe to changes')`)
	}
	b.quiet()
}

// TestExplorerService: a JSON-RPC service is described by rpc.discover; its declared errors are named, and violations are at their fields.
func TestExplorerService(t *testing.T) {
	document, err := os.ReadFile("../../cmd/rpcgen/internal/language/openrpc/testdata/weather.openrpc.json")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := openExplorer(t, explorer.NewHandler(weather.NewHandler(clouds{}), explorer.Options{
		Runtime: runtime.Options{Logger: silent, Middleware: []runtime.Middleware{discover.Middleware(string(document))}}}))
	b.titled("Weather")
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

// TestDescribed: of a schema the page has the notifications of the server as well, and a branch of a union that is a declared text is called by its name
// and shows its pattern. The service, which has a method that MCP has too, is not asked what it is.
func TestDescribed(t *testing.T) {
	const document = `{"openrpc":"1.3.2","info":{"title":"Shelf","version":"1"},"methods":[{"name":"initialize","params":[
		{"name":"key","required":true,"schema":{"anyOf":[{"$ref":"#/components/schemas/Code"},{"$ref":"#/components/schemas/Place"},{"type":"integer"}]}}],"result":{"name":"r","schema":{}}},
		{"name":"shelf/follow","params":[],"result":{"name":"r","schema":{}},"x-items":{"wire":"shelf_subscribe"}}],
		"x-callbacks":[{"name":"shelf/changed","description":"A book was moved.","params":[{"name":"book","schema":{"type":"string"}}]}],
		"components":{"schemas":{"Code":{"type":"string","pattern":"^[a-z]{2}$"},"Place":{"type":"object","properties":{"row":{"type":"integer"}},"required":["row"]}}}}`
	asked := make(chan string, 10)
	b, _ := openExplorer(t, explorer.NewRelay(func(context.Context, runtime.Handler) (runtime.Conn, error) { return listener{asked}, nil },
		explorer.Options{Name: "Shelf", Document: []byte(document), URL: "tcp://localhost:4100"}))
	if len(asked) > 0 {
		t.Errorf("the service is sent %s", <-asked)
	}
	b.open("shelf/changed")
	b.shows("A book was moved.")
	if eval[bool](b, `[...document.querySelectorAll('main button')].some((one) => one.textContent === 'Call')`) {
		t.Error("what the server sends can be called")
	}
	b.open("initialize")
	b.shows("matches ^[a-z]{2}$")
	if got := eval[string](b, `[...document.querySelector('main .block select').options].map((one) => one.textContent).join()`); got != "Code,Place,integer" {
		t.Errorf("the branches are called %s", got)
	}
	if got := eval[string](b, `[...document.querySelectorAll('main button')].map((one) => one.textContent).join()`); !strings.Contains(got, "rpcgen call") || strings.Contains(got, "curl") {
		t.Errorf("the buttons are %s", got)
	}
	b.choose("key", "Place")
	b.json(`{"key": "ab"}`)
	b.press("Call")
	b.shows("method not found")
	<-asked
	b.open("shelf/follow")
	b.press("Call")
	b.shows("method not found")
	if got := <-asked; !strings.Contains(got, `"method":"shelf_subscribe"`) {
		t.Errorf("a stream with another name on the wire is called by %s", got)
	}
	b.quiet()
}

// titled fails if the page has another title.
func (b *tab) titled(want string) {
	b.Helper()
	if got := eval[string](b, `document.title + '|' + document.getElementById('title').textContent`); got != want+"|"+want {
		b.Errorf("the title is %s, not %s", got, want)
	}
}

// TestUndescribed: a service without rpc.discover has a page that says what is missing.
func TestUndescribed(t *testing.T) {
	b, _ := openExplorer(t, explorer.NewRelay(func(context.Context, runtime.Handler) (runtime.Conn, error) {
		return listener{make(chan string, 10)}, nil
	}, explorer.Options{URL: "tcp://localhost:4100"}))
	b.titled("tcp://localhost:4100")
	b.shows("it does not answer rpc.discover. Start the page with a schema or an OpenRPC document before the server")
	b.quiet()
}

// listener is a connection to a service that has no method.
type listener struct{ asked chan string }

func (listener) NextID(int) (int64, error) { return 1, nil }

func (l listener) Call(_ context.Context, id int64, msg []byte) ([]byte, error) {
	l.asked <- string(msg)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"method not found"}}`, id), nil
}

func (listener) CallBatch(context.Context, int64, int, []byte) ([][]byte, error) { return nil, nil }

func (l listener) Notify(_ context.Context, msg []byte) error {
	l.asked <- string(msg)
	return nil
}

// choose chooses an option of a field: its state, or a branch.
func (b *tab) choose(field, option string) {
	b.Helper()
	b.wait(fmt.Sprintf(`(() => {
		const f = [...document.querySelectorAll('.field')].find((f) => (f.querySelector(':scope > .row > label')?.textContent ?? '') === %q);
		const select = [...f.querySelectorAll('select')].find((s) => [...s.options].some((o) => o.textContent === %q));
		select.value = [...select.options].find((o) => o.textContent === %q).value;
		select.dispatchEvent(new Event('change', {bubbles: true}));
		return true;
	})()`, field, option, option))
}

// TestKnownFaults does by hand what is known to go wrong on pages like this one, and looks at what would be sent. Streams and notifications, which
// grpcui does not show (its issue 407), are in the tests of tools, eras and resources.
func TestKnownFaults(t *testing.T) {
	const email, sms = `{"type":"object","properties":{"kind":{"const":"email"},"address":{"type":"string"}},"required":["kind","address"]}`, `{"type":"object","properties":{"kind":{"const":"sms"},"phone":{"type":"string"}},"required":["kind","phone"]}`
	cases := []struct {
		name, schema string
		steps        func(b *tab)
		want         string
	}{
		{"null is not absent (inspector 1853)", `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`,
			func(b *tab) { b.choose("a", "null") }, `{"a":null}`},
		{"a field that may be null can be filled, and left (inspector 1856)", `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null}}}`,
			func(b *tab) { b.choose("a", "value"); b.typed("b", "7"); b.choose("a", "not sent") }, `{"b":7}`},
		{"a branch (inspector 1885)", `{"type":"object","properties":{"to":{"oneOf":[` + email + `,` + sms + `]}},"required":["to"]}`,
			func(b *tab) { b.choose("to", "kind: sms"); b.typed("phone", "112") }, `{"to":{"kind":"sms","phone":"112"}}`},
		{"a union in a union (inspector 1928)", `{"type":"object","properties":{"to":{"oneOf":[{"type":"string","title":"name"},{"title":"way","oneOf":[` + email + `,` + sms + `]}]}},"required":["to"]}`,
			func(b *tab) { b.choose("to", "way"); b.choose("to", "kind: sms"); b.typed("phone", "112") }, `{"to":{"kind":"sms","phone":"112"}}`},
		{"a union as a whole (inspector 2123)", `{"type":"object","anyOf":[` + email + `,` + sms + `]}`,
			func(b *tab) { b.choose("", "kind: sms"); b.typed("phone", "112") }, `{"kind":"sms","phone":"112"}`},
		{"escapes and line breaks (inspector 1910 and 1919)", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`,
			func(b *tab) { b.typed("a", "C:\\new\n\"two\"\t\\n") }, `{"a":"C:\\new\n\"two\"\t\\n"}`},
		{"names twice", `{"type":"object","additionalProperties":{"type":"integer"}}`,
			func(b *tab) {
				b.press("Add a member")
				b.press("Add a member")
				b.typed("name2", "5")
				rename := func(name string) {
					eval[any](b, fmt.Sprintf(`{ const key = [...document.querySelectorAll('[aria-label="Name of the member"]')][1]; key.value = %q; key.dispatchEvent(new Event('input')); }`, name))
				}
				rename("name1")
				b.shows("This name is there already.")
				rename("x")
			}, `{"name1":0,"x":5}`},
	}
	var tools []string
	for i, c := range cases {
		tools = append(tools, fmt.Sprintf(`{"name":"tool%d","inputSchema":%s}`, i, c.schema))
	}
	b, _ := openExplorer(t, explorer.NewHandler(nil, explorer.Options{Document: []byte(`{"tools":[` + strings.Join(tools, ",") + `],"methods":[{"name":"eth_blockNumber","params":[],
		"result":{"name":"r","schema":{"oneOf":[{"title":"a number"},{"$ref":"#/components/schemas/Nothing"}]}}}],"components":{"schemas":{"Nothing":{"type":"null","description":"No block."}}}}`)}))
	for i, c := range cases {
		b.open(fmt.Sprintf("tool%d", i))
		c.steps(b)
		if got := eval[string](b, `import('/json.js').then(({parse, print}) => print(parse(document.querySelector('[aria-label="The arguments as JSON"]').value)))`); got != c.want {
			t.Errorf("%s: what is sent is %s, not %s", c.name, got, c.want)
		}
	}
	b.open("eth_blockNumber") // OpenRPC playground 171: a union as the result was not shown
	eval[any](b, `for (const one of document.querySelectorAll('main details')) one.open = true`)
	b.shows("a number")
	b.open("Nothing")
	b.shows("No block.")
	b.quiet()
}

// TestExplorerKeyboard: a call is made with the keyboard alone.
func TestExplorerKeyboard(t *testing.T) {
	h, _ := newBox()
	b, _ := openExplorer(t, h)
	eval[any](b, `document.querySelector('#search').focus()`)
	b.keys("search_items")
	for range 5 { // Firefox stops at a list that can be scrolled, too
		b.keys("\t")
		if eval[bool](b, `document.activeElement.textContent === 'search_items'`) {
			break
		}
	}
	b.keys("\r")
	b.wait(`document.querySelector('main h2')?.textContent === 'search_items'`)
	for range 12 {
		b.keys("\t")
		if eval[bool](b, `document.activeElement.tagName === 'TEXTAREA' && Boolean(document.activeElement.closest('.field'))`) {
			break
		}
	}
	b.keys("tea")
	for range 40 {
		b.keys("\t")
		if eval[bool](b, `document.activeElement.textContent === 'Call'`) {
			break
		}
	}
	b.keys(" ")
	b.shows("Structured content")
	b.quiet()
}
